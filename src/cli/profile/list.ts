/** `forensics profile list`. */

import { listTable } from '../list-table.ts';
import { print, printJson, say } from '../talk.ts';
import { listProfiles } from '../server/profiles.ts';
import type { ProfileOptions } from './options.ts';
import { shownProfile } from './shown.ts';

export function list({ json }: ProfileOptions): void {
  const profiles = listProfiles().map(shownProfile);
  if (json) return printJson(profiles);
  if (profiles.length === 0) return say('There are no profiles; "forensics login" makes one.');
  const rows = profiles.map(({ name, url, tenant, loggedInAs }) => [
    name,
    url,
    tenant ?? '',
    loggedInAs ?? 'nobody',
  ]);
  print(listTable(['name', 'server', 'tenant', 'logged in as'], rows));
}
