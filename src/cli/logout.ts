/** `forensics logout`: ends a session on its server and forgets it here. */

import type { Command } from 'commander';
import type { LogoutOptions } from './logout/run.ts';
import { named } from './option-values.ts';

export function registerLogout(program: Command): void {
  program
    .command('logout')
    .description('Log out of a server: end the session there and forget it here.')
    .option('--profile <name>', 'the profile to log out of (or FORENSICS_PROFILE)', named)
    .addHelpText(
      'after',
      `
The server ends the sessions of the person on all devices. An API key is only forgotten: it stays valid until it ends or
"forensics keys revoke" ends it. The profile itself stays, for the next login; "forensics profile remove" forgets it too,
without a word to the server.

Examples:
  $ forensics logout --profile lab
  $ forensics logout --profile ci --quiet`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { logout } = await import('./logout/run.ts');
      await logout(command.optsWithGlobals<LogoutOptions>());
    });
}
