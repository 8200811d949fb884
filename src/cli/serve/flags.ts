/** The settings that commands take as flags, made from their schema. No secret is among them. */

import type { Command } from 'commander';
import { helpFor, type SettingName } from '../../config/settings.ts';

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
