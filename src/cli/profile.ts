/** `forensics profile`: the servers that this user knows by name. */

import type { Command } from 'commander';
import type { ProfileOptions } from './profile/options.ts';

export function registerProfile(program: Command): void {
  const profile = program
    .command('profile')
    .description('List, show and remove the servers that are known by name.')
    .addHelpText(
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
      const { list } = await import('./profile/list.ts');
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
      const { show } = await import('./profile/show.ts');
      show(name, called.optsWithGlobals<ProfileOptions>());
    });
}

function describeRemove(command: Command): void {
  command
    .description('Forget a profile and its login on this machine; the server hears nothing of it.')
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
      const { remove } = await import('./profile/remove.ts');
      await remove(name);
    });
}
