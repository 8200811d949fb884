/** Asks, shows what was understood, and sets up when that is agreed to. */

import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { join, resolve } from 'node:path';
import { hasInstallation } from '../../app/core.ts';
import type { FirstRun } from '../../app/first-run.ts';
import { configFolder, readConfig, redacted, type Settings } from '../../config.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../failure.ts';
import type { LocalOptions } from '../local-core.ts';
import { askYes } from '../prompts/ask.ts';
import { canAsk } from '../prompts/person.ts';
import { shellWord } from '../shell-word.ts';
import { print, say } from '../talk.ts';
import type { Answers } from './answers.ts';
import { askAddress, askCertificate, askDataDir } from './ask-place.ts';
import { askFirst, askPeople, askStore, askWebhooks } from './ask-service.ts';
import { setUp } from './set-up.ts';

export type InitOptions = LocalOptions;

/** @throws {ForensicsError} `usage` where nobody can be asked; `cancelled`: then nothing was changed. */
export async function runInit({ dataDir, config }: InitOptions): Promise<void> {
  if (!canAsk()) {
    throw usageError(
      'Nobody can be asked here. It is not needed either: "forensics serve" makes what it needs at its first start; settings come from flags, variables and the config file.',
    );
  }
  const standard = join(configFolder(), 'config.json');
  const { FORENSICS_CONFIG: named = '' } = process.env;
  const configFile = resolve(config ?? (named === '' ? standard : named));
  if (existsSync(configFile)) {
    await agreeTo(`There is a config file, ${configFile}. Replace it in the end?`, false);
  }
  const answers = await askAll(dataDir ?? configOf({}).settings.dataDir);
  const { settings } = configOf(answers.settings);
  show(configFile, answers);
  await agreeTo('Write that?', true);
  const made = await setUp({ answers, settings, configFile });
  tell(made, answers, configFile === standard ? '' : ` --config ${shellWord(configFile)}`);
}

async function askAll(proposedDataDir: string): Promise<Answers> {
  const dataDir = await askDataDir(proposedDataDir);
  const isKnown = hasInstallation({ dataDir });
  if (isKnown) say('It was set up before: its tenants and keys stay as they are.');
  const address = await askAddress();
  const certificate = address.behindProxy === true ? {} : await askCertificate();
  const store = await askStore();
  const people = await askPeople();
  const first = isKnown ? null : await askFirst();
  const webhooks = await askWebhooks(first);
  const settings = { dataDir, ...address, ...certificate, ...store, ...people, ...webhooks };
  return { settings, first };
}

/** With what the program does by itself, and without the variables and the config file of this moment. */
function configOf(settings: Partial<Settings>) {
  const { XDG_DATA_HOME, FORENSICS_MASTER_KEY } = process.env;
  const environment = { XDG_DATA_HOME, FORENSICS_MASTER_KEY, XDG_CONFIG_HOME: devNull };
  return readConfig({ flags: settings, environment });
}

function show(configFile: string, { settings, first }: Answers): void {
  const shown = redacted(configOf(settings));
  const values = Object.entries(shown).filter(([name]) => name in settings);
  say('');
  say(`${configFile} will be:`);
  for (const [name, { value }] of values) say(`  ${name}: ${JSON.stringify(value)}`);
  if (first === null) return;
  const where = first.keyFile === null ? 'shown once' : `in ${first.keyFile}`;
  say(`The data folder gets the tenant "${first.tenantName}" and an API key, ${where}.`);
  if (first.webhookUrl !== null)
    say(`Its status changes are told to ${new URL(first.webhookUrl).origin}.`);
}

/** @throws {ForensicsError} `cancelled`. */
async function agreeTo(question: string, fallback: boolean): Promise<void> {
  if (await askYes(question, fallback)) return;
  throw new ForensicsError('cancelled', 'Nothing was changed.');
}

function tell(made: FirstRun | null, { settings, first }: Answers, configFlag: string): void {
  if (made !== null && first?.keyFile == null) {
    say(
      `The API key of "${made.tenant.name}", valid until ${made.key.expiresAt}; it is not shown again:`,
    );
    print(made.key.secret);
  }
  say('Next:');
  say(`  forensics serve${configFlag}`);
  say(`  forensics doctor${configFlag}`);
  if (settings.oidcIssuer === undefined && made !== null) {
    say(
      `  forensics user create you@example.org --tenant ${made.tenant.name} --generate${configFlag}`,
    );
  }
}
