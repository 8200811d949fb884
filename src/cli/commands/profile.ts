/** `forensics profile`: the servers that this user knows by name. */

import { X509Certificate } from 'node:crypto';
import type { Command } from 'commander';
import { listTable, printFields } from '../output/layout.ts';
import { log, print, printJson } from '../output/terminal.ts';
import {
  alone,
  forgetCredentials,
  listProfiles,
  type Profile,
  profileNamed,
  readCredentials,
  removeProfile,
} from '../connection/profiles.ts';

export function defineProfile(profile: Command): void {
  profile.addHelpText(
    'after',
    `
"forensics login" makes a profile. A command acts on its server with --profile NAME or FORENSICS_PROFILE; without
either, and without --url, it acts on this machine. Keys and tokens are never shown.

Examples:
  $ forensics profile list
  $ forensics profile show lab --json`,
  );
  describeList(profile.command('list'));
  describeShow(profile.command('show'));
  describeRemove(profile.command('remove'));
}

function describeList(command: Command): void {
  command
    .description('List all profiles, by name.')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Examples:
  $ forensics profile list
  $ forensics profile list --json`,
    )
    .action(async (_own: unknown, called: Command) => {
      list(called.optsWithGlobals<ProfileOptions>());
    });
}

function describeShow(command: Command): void {
  command
    .description('Show one profile: its server, how that is known, and who is logged in.')
    .argument('<name>', 'the profile')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Examples:
  $ forensics profile show lab
  $ forensics profile show lab --json`,
    )
    .action(async (name: string, _own: unknown, called: Command) => {
      show(name, called.optsWithGlobals<ProfileOptions>());
    });
}

function describeRemove(command: Command): void {
  command
    .description('Delete a profile and its login from this machine, without contacting the server.')
    .argument('<name>', 'the profile')
    .addHelpText(
      'after',
      `
"forensics logout" ends the session on the server.

Examples:
  $ forensics profile remove lab
  $ forensics logout --profile lab && forensics profile remove lab`,
    )
    .action(async (name: string) => {
      await remove(name);
    });
}

function list({ json }: ProfileOptions): void {
  const profiles = listProfiles().map(shownProfile);
  if (json) return printJson(profiles);
  if (profiles.length === 0) return log('There are no profiles; "forensics login" makes one.');
  const rows = profiles.map(({ name, url, tenant, loggedInAs }) => [
    name,
    url,
    tenant ?? '',
    loggedInAs ?? '-',
  ]);
  print(listTable(['name', 'server', 'tenant', 'logged in as'], rows));
}

interface ProfileOptions {
  readonly json: boolean;
}

async function remove(name: string): Promise<void> {
  const profile = profileNamed(name);
  const hadSession = readCredentials(name)?.kind === 'session';
  await alone(name, async () => {
    forgetCredentials(name);
    removeProfile(name);
  });
  log(`The profile "${name}" is forgotten.`);
  if (hadSession) log(`Its session on ${profile.url} goes on until it ends by itself.`);
}

function show(name: string, options: ProfileOptions): void {
  printFields(shownProfile(profileNamed(name)), options);
}

/** A profile as people may see it: no key, no token. */
interface ShownProfile {
  readonly name: string;
  readonly url: string;
  readonly tenant: string | null;
  /** Address of the person whose session it is, or `API key`; null without a login. */
  readonly loggedInAs: string | null;
  /** How the server is known again. */
  readonly trusts: string;
}

function shownProfile(profile: Profile): ShownProfile {
  const { name, url, tenant = null } = profile;
  return { name, url, tenant, loggedInAs: whoIn(name), trusts: trustIn(profile) };
}

function whoIn(name: string): string | null {
  const credentials = readCredentials(name);
  if (credentials === null) return null;
  return credentials.kind === 'session' ? credentials.email : 'API key';
}

function trustIn({ ca, fingerprint }: Profile): string {
  if (ca !== undefined) return `the authority ${new X509Certificate(ca).fingerprint256}`;
  return fingerprint === undefined ? 'the authorities of the system' : `SHA-256 ${fingerprint}`;
}
