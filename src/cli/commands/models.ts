/** `forensics models`: which models this machine has, and whether their files match their manifests. */

import type { Command } from 'commander';
import { readConfig } from '../../contract/config.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { ForensicsError } from '../../errors.ts';
import type { AnyManifest } from '../../inference/manifest.ts';
import { createRegistry } from '../../inference/registry.ts';
import { examples, type LocalOptions } from '../options.ts';
import { columnsOf } from '../output/terminal.ts';

interface Options extends LocalOptions {
  readonly json: boolean;
}

export function defineModels(models: Command): void {
  models.addHelpText(
    'after',
    `
To add a model, copy its folder into the one that the setting modelsDir names ("models" of the data folder by default),
and run "forensics models verify". A verdict uses the packaged model unless --model names another.

Examples:
  $ forensics models list
  $ forensics models verify trace-2`,
  );
  common(models.command('list'))
    .description('List the models of each kind; the first is the default.')
    .addHelpText('after', examples('models list', 'models list --json'))
    .action(list);
  common(models.command('verify'))
    .description('Compare the files of models with the SHA-256 of their manifests.')
    .argument('[id]', 'one model (default: all)')
    .addHelpText('after', examples('models verify', 'models verify trace-2 --json'))
    .action(verify);
}

function common(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print one JSON document', false);
}

async function list({ json, ...local }: Options): Promise<void> {
  const manifests = await (await registry(local)).listAll();
  if (json) return printJson({ models: manifests.map(summaryOf) });
  if (manifests.length === 0) {
    throw new ForensicsError('model_not_found', 'No model is installed; reinstall forensics.');
  }
  const lines = manifests.map(({ id, version, type, created, files }) => {
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    return `${id}  version ${version}  ${kinds[type]}  made ${created.slice(0, 10)}  ${size}`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What the verdicts of each kind of model are about. */
const kinds: Readonly<Record<AnyManifest['type'], string>> = {
  image: 'real or generated',
  localisation: 'where it was changed',
};

async function verify(id: string | undefined, { json, ...local }: Options): Promise<void> {
  const verified = await (await registry(local)).verify(id ?? null);
  if (json) return printJson({ models: verified.map(summaryOf), verified: true });
  const isWide = columnsOf(process.stdout) >= 90;
  for (const manifest of verified) {
    process.stdout.write(`${manifest.id} ${manifest.version}: every file is intact\n`);
    for (const [name, { sha256 }] of Object.entries(manifest.files)) {
      process.stdout.write(isWide ? `  ${sha256}  ${name}\n` : `  ${name}\n    ${sha256}\n`);
    }
  }
}

async function registry(local: LocalOptions) {
  return createRegistry({ extra: modelsFolder(await settingsOf(local)) });
}

async function settingsOf({ dataDir, config }: LocalOptions) {
  const configFile = config === undefined ? {} : { configFile: config };
  return readConfig({ flags: { dataDir }, ...configFile }).settings;
}

function summaryOf({ id, version, type, created, files }: AnyManifest) {
  return { id, version, type, created, files };
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
