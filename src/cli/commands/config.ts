/** `forensics config`: prints the settings and where each comes from. */

import { readConfig, redacted } from '../../contract/config.ts';
import { log, print, printJson } from '../output/terminal.ts';
import type { Command } from '../options.ts';
import { toList } from '../output/layout.ts';
import { type ServeOptions, withSettingFlags } from './serve.ts';

export function defineConfig(config: Command): void {
  config.examples('show', 'show --json --config ./config.json');
  const does = 'Print every setting and where it comes from; secrets are shown as ***.';
  withSettingFlags(config.subcommand('show', does), 'serve')
    .option('--json', 'print JSON', false)
    .helpAfter(`
Takes the options of "forensics serve" and shows their effect. If a setting is invalid, it says which one, and the exit code
is 2.`)
    .examples('', '--json --config ./config.json')
    .action(show);
}

async function show({ config, json, ...flags }: ServeOptions): Promise<void> {
  const read = readConfig({ flags, configFile: config });
  const settings = redacted(read);
  if (json) return printJson({ configFile: read.file, settings });
  log(read.file === null ? 'There is no config file.' : `The config file is ${read.file}`);
  const table = toList(Object.entries(settings), {
    setting: ([name]) => name,
    value: ([, { value }]) => toText(value),
    origin: ([, { origin, givenAs }]) => [origin, givenAs ?? ''].join(' ').trimEnd(),
  });
  print(table);
}

function toText(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
