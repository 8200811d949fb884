/** `forensics usage`: what the tenants used, a row each. */

import { type Command, Option } from 'commander';
import { dayOf } from './option-values.ts';
import { withServiceOptions } from './service-options.ts';
import type { UsageOptions } from './usage/run.ts';

export function registerUsage(program: Command): void {
  withServiceOptions(program.command('usage').description('Show what the tenants used.'))
    .option('--tenant <name>', 'this tenant alone')
    .option('--from <day>', 'first day (UTC), such as 2026-03-01; default: the first of all', dayOf)
    .option('--to <day>', 'last day (UTC); default: today', dayOf)
    .addOption(
      new Option('--csv', 'a row of comma-separated values a tenant and day (UTC), under a header')
        .default(false)
        .conflicts('json'),
    )
    .addHelpText(
      'after',
      `
On this machine it shows every tenant, also deleted ones (NAME~ID) as long as something of them is kept; on a server those of
whoever is logged in, or the tenant that is named. All figures of one tenant: forensics tenant report NAME.

Examples:
  $ forensics usage --from 2026-03-01 --to 2026-03-31
  $ forensics usage --tenant acme --csv`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { usage } = await import('./usage/run.ts');
      await usage(command.optsWithGlobals<UsageOptions>());
    });
}
