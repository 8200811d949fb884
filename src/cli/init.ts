/** `forensics init`: walks through the first set-up. The work is in `init/run.ts`, loaded when the command is called. */

import type { Command } from 'commander';
import type { InitOptions } from './init/run.ts';

export function registerInit(program: Command): void {
  program
    .command('init')
    .description('Set a server up by answering questions.')
    .option('--data-dir <dir>', 'the data folder that is proposed')
    .option('--config <file>', 'the config file to write (default: the one that is read by itself)')
    .addHelpText(
      'after',
      `
Asks for data folder, address, certificate, store, tenant, first API key, people and webhooks, shows the config file, and writes
it together with the data folder. Ctrl-C leaves everything as it was. Scripts need none of it: the first
"forensics serve" makes what it needs.

Examples:
  $ forensics init
  $ forensics init --config /etc/forensics/config.json --data-dir /var/lib/forensics`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { runInit } = await import('./init/run.ts');
      await runInit(command.optsWithGlobals<InitOptions>());
    });
}
