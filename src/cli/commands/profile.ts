/** `forensics profile`: the servers that this user has saved. */

import { X509Certificate } from 'node:crypto';
import type { Command } from '../command.ts';
import { calling, subcommand } from '../options.ts';
import { printList } from '../output/layout.ts';
import { log } from '../output/terminal.ts';
import {
  listProfiles,
  type Profile,
  profileNamed,
  readApiKey,
  removeProfile,
} from '../connection/profiles.ts';

export function defineProfile(profile: Command): void {
  profile.helpAfter(`
"forensics login" creates a profile. Commands use its server with --profile NAME or FORENSICS_PROFILE; without
either, and without --url, they act on this machine. Keys are never shown.

Examples:
  $ forensics profile list
  $ forensics profile remove lab`);
  subcommand(profile, 'list', 'List all profiles, by name.', [
    'profile list',
    'profile list --json',
  ])
    .option('--json', 'print JSON', false)
    .action(calling(list));
  const removes =
    'Delete a profile and its API key from this machine. The key stays valid on the server.';
  subcommand(profile, 'remove', removes, ['profile remove lab', 'profile remove ci --quiet'])
    .argument('<name>', 'the profile')
    .action(remove);
}

function list(options: { readonly json: boolean }): void {
  printList(
    listProfiles().map(shownProfile),
    {
      name: ({ name }) => name,
      server: ({ url }) => url,
      tenant: ({ tenant }) => tenant ?? '',
      'logged in as': ({ loggedInAs }) => loggedInAs ?? '-',
    },
    { ...options, none: 'There are no profiles; "forensics login" creates one.' },
  );
}

function remove(name: string): void {
  profileNamed(name);
  removeProfile(name);
  log(`The profile "${name}" was removed.`);
}

/** A profile as printed, without the key. `loggedInAs` is null without a login. */
function shownProfile(profile: Profile) {
  const { name, url, tenant = null, ca } = profile;
  const loggedInAs = readApiKey(name) === null ? null : 'API key';
  const trusts =
    ca === undefined
      ? "the system's certificate authorities"
      : `the authority ${new X509Certificate(ca).fingerprint256}`;
  return { name, url, tenant, loggedInAs, trusts };
}
