/** `forensics serve`: the options and their help. The work is in `serve/run.ts`, loaded when the command is called. */

import type { Command } from 'commander';
import { helpFor, type SettingName } from '../../config/settings.ts';
import { runServe, type ServeOptions } from '../serve/run.ts';

export function defineServe(serve: Command): void {
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
      await runServe(command.optsWithGlobals<ServeOptions>());
    });
}

// The settings that commands take as flags, made from their schema. No secret is among them.

export const flagsOf = {
  serve: [
    'host',
    'port',
    'publicUrl',
    'dataDir',
    'tlsCert',
    'tlsKey',
    'behindProxy',
    'workers',
    'logLevel',
  ],
  worker: ['dataDir', 'workers'],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>;

export type SettingFlags<C extends keyof typeof flagsOf> = {
  readonly [Name in (typeof flagsOf)[C][number]]?: string | boolean;
} & { readonly config?: string };

export function withSettingFlags(command: Command, like: keyof typeof flagsOf): Command {
  for (const name of flagsOf[like]) command.option(...helpFor(name));
  return command.option('--config <file>', 'the config file');
}
