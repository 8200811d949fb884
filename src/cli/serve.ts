/** `forensics serve`: the options and their help. The work is in `serve/run.ts`, loaded when the command is called. */

import type { Command } from 'commander';
import { withSettingFlags } from './serve/flags.ts';
import type { ServeOptions } from './serve/run.ts';

export function registerServe(program: Command): void {
  const serve = program
    .command('serve')
    .description('Serve the HTTP interface over HTTPS, with database, store and workers inside.');
  withSettingFlags(serve, 'serve')
    .option('--json', 'print one JSON line on stdout when the server is ready', false)
    .addHelpText(
      'after',
      `
Every option can be given as an environment variable (FORENSICS_PORT) or in the config file (port).
The first run makes the data folder, a certificate, a tenant and its first API key, and prints how to use them.

Examples:
  $ forensics serve
  $ forensics serve --host 0.0.0.0 --public-url https://forensics.example:8443`,
    )
    .action(async (_own: unknown, command: Command) => {
      const { runServe } = await import('./serve/run.ts');
      await runServe(command.optsWithGlobals<ServeOptions>());
    });
}
