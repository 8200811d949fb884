/** `forensics serve`: the options and their help. The work is in `serve/run.ts`, loaded when the command is called. */

import type { Command } from 'commander';
import type { ServeOptions } from './serve/run.ts';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('Serve the HTTP interface over HTTPS, with database, store and workers inside.')
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'the port to listen on; 0 takes a free one (default: 8443)')
    .option('--public-url <url>', 'what clients put before /v1, when it is not host and port')
    .option('--data-dir <dir>', 'the data folder (default: forensics in $XDG_DATA_HOME)')
    .option('--tls-cert <file>', 'your certificate, PEM (default: one of our own authority)')
    .option('--tls-key <file>', 'its private key, PEM')
    .option('--behind-proxy', 'listen on plain HTTP for a proxy on this machine')
    .option('--workers <n>', 'child processes that examine pictures')
    .option('--log-level <level>', 'silent, fatal, error, warn, info, debug or trace')
    .option('--config <file>', 'the config file')
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
