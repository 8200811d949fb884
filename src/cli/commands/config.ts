/** `forensics config`: what the settings are, and where each of them comes from. */

import type { Command } from 'commander';
import { readConfig, redacted, type ShownSetting } from '../../contract/config.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { listTable } from '../output/layout.ts';
import { type SettingFlags, withSettingFlags } from './serve.ts';

type ShowOptions = SettingFlags<'serve'> & { readonly origin: boolean; readonly json: boolean };

export function defineConfig(config: Command): void {
  config.addHelpText('after', examples);
  withSettingFlags(
    config.command('show').description('Print every setting; secrets are shown as ***.'),
    'serve',
  )
    .option('--origin', 'show which flag, variable or config file each value comes from', false)
    .option('--json', 'print JSON, with the origins', false)
    .addHelpText(
      'after',
      `
Takes the flags of "forensics serve" and shows their effect. Ends with exit code 2 when a
setting is wrong, and says which.
${examples}`,
    )
    .action(async (_own: unknown, command: Command) => {
      await show(command.optsWithGlobals<ShowOptions>());
    });
}

const examples = `
Examples:
  $ forensics config show --origin
  $ forensics config show --json --config ./config.json`;

async function show({ config, origin, json, ...flags }: ShowOptions): Promise<void> {
  const read = readConfig({ flags, ...(config === undefined ? {} : { configFile: config }) });
  const settings = redacted(read);
  if (json) return printJson({ configFile: read.file, settings });
  log(read.file === null ? 'There is no config file.' : `The config file is ${read.file}`);
  await printTable(settings, { origin });
}

async function printTable(
  settings: Readonly<Record<string, ShownSetting>>,
  { origin }: { readonly origin: boolean },
): Promise<void> {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const from = [setting.origin, setting.givenAs ?? ''].join(' ').trimEnd();
    return [name, textOf(setting.value), ...(origin ? [from] : [])];
  });
  print(listTable(['setting', 'value', ...(origin ? ['origin'] : [])], rows));
}

function textOf(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
