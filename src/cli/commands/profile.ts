/** `forensics profile`: the servers that this user has saved. */

import { X509Certificate } from 'node:crypto';
import type { Command } from '../command.ts';
import { calling, subcommand } from '../options.ts';
import { printList } from '../output/layout.ts';
import { log } from '../output/terminal.ts';
import {
  withProfileLock,
  removeCredentials,
  listProfiles,
  type Profile,
  profileNamed,
  readCredentials,
  removeProfile,
} from '../connection/profiles.ts';

export function defineProfile(profile: Command): void {
  profile.helpAfter(`
"forensics login" creates a profile. Commands use its server with --profile NAME or FORENSICS_PROFILE; without
either, and without --url, they act on this machine. Keys and tokens are never shown.

Examples:
  $ forensics profile list
  $ forensics profile remove lab`);
  subcommand(profile, 'list', 'List all profiles, by name.', [
    'profile list',
    'profile list --json',
  ])
    .option('--json', 'print JSON', false)
    .action(calling(list));
  subcommand(
    profile,
    'remove',
    'Delete a profile and its login from this machine, without contacting the server.',
  )
    .argument('<name>', 'the profile')
    .helpAfter(`
"forensics logout" ends the session on the server.

Examples:
  $ forensics profile remove lab
  $ forensics logout --profile lab && forensics profile remove lab`)
    .action(remove);
}

interface ProfileOptions {
  readonly json: boolean;
}

function list(options: ProfileOptions): void {
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

async function remove(name: string): Promise<void> {
  const profile = profileNamed(name);
  const hadSession = readCredentials(name)?.kind === 'session';
  await withProfileLock(name, async () => {
    removeCredentials(name);
    removeProfile(name);
  });
  log(`The profile "${name}" was removed.`);
  if (hadSession) log(`Its session on ${profile.url} stays valid until it expires.`);
}

/** A profile as printed, without key or token. `loggedInAs`: an email address or `API key`; null without a login. */
function shownProfile(profile: Profile) {
  const { name, url, tenant = null, ca, fingerprint } = profile;
  const credentials = readCredentials(name);
  const loggedInAs =
    credentials === null ? null : credentials.kind === 'session' ? credentials.email : 'API key';
  const pinned =
    fingerprint === undefined ? "the system's certificate authorities" : `SHA-256 ${fingerprint}`;
  const trusts =
    ca === undefined ? pinned : `the authority ${new X509Certificate(ca).fingerprint256}`;
  return { name, url, tenant, loggedInAs, trusts };
}
