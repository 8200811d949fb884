/** `forensics config`: what the settings are, and where each of them comes from. */

import type { Command } from 'commander';
import {
  readConfig,
  redacted,
  settingNames,
  type ShownSetting,
  variableOf,
} from '../../config/config.ts';
import { nearWord } from '../errors.ts';
import { print, printJson, say } from '../output/print.ts';
import { listTable } from '../output/table.ts';
import { type SettingFlags, withSettingFlags } from './serve.ts';

type ShowOptions = SettingFlags<'serve'> & { readonly origin: boolean; readonly json: boolean };

export function defineConfig(config: Command): void {
  config.addHelpText('after', examples);
  withSettingFlags(
    config.command('show').description('Print every setting; secrets are shown as ***.'),
    'serve',
  )
    .option('--origin', 'tell which flag, variable or config file each value comes from', false)
    .option('--json', 'print JSON, with the origins', false)
    .addHelpText(
      'after',
      `
Takes the flags of "forensics serve", to tell what they would make of it. Ends with exit code 2 when a
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
  for (const line of misspeltVariables(process.env)) say(line);
  const settings = redacted(read);
  if (json) return printJson({ configFile: read.file, settings });
  say(read.file === null ? 'There is no config file.' : `The config file is ${read.file}`);
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

/** Read by the command line alone: they are no settings of a server. */
const ofCommands = ['CONFIG', 'URL', 'PROFILE', 'API_KEY'].map((name) => `FORENSICS_${name}`);

/** Variables that look like one of ours with a slip in it: nobody reads them, and nothing else would tell. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const known = [...settingNames.map(variableOf), ...ofCommands];
  return Object.keys(environment)
    .filter((name) => name.startsWith('FORENSICS_') && !known.includes(name))
    .map((name) => ({ name, meant: nearWord(name, known) }))
    .filter(({ meant }) => meant !== undefined)
    .map(({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`);
}
