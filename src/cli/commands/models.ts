/** `forensics models`: which models this machine has, whether their files are what their manifests say, and further ones. */

import type { Command } from 'commander';
import { addModel } from '../../app/add-model.ts';
import { installedModelsDir, modelsFolder } from '../../data-folder/data-folder.ts';
import { readConfig } from '../../config/config.ts';
import { ForensicsError } from '../../errors.ts';
import type { AnyManifest } from '../../inference/model.ts';
import { createRegistry } from '../../inference/registry.ts';
import { columnsOf } from '../output/terminal.ts';
import type { LocalOptions } from '../target/data-folder.ts';

interface Options extends LocalOptions {
  readonly json: boolean;
}

interface AddOptions extends Options {
  readonly replace: boolean;
}

export function defineModels(models: Command): void {
  models.addHelpText(
    'after',
    `
Examples:
  $ forensics models verify --json
  $ forensics models add ./trace-2`,
  );
  common(models.command('list'))
    .description('List the models of each kind; the first is the default.')
    .action(list);
  common(models.command('verify'))
    .description('Compare the files of models with the SHA-256 of their manifests.')
    .argument('[id]', 'one model (default: all)')
    .action(verify);
  common(models.command('add'))
    .description('Install another model beside those of the package.')
    .argument('<model>', 'its folder, or the manifest.json in it')
    .option('--replace', 'also where a model of this id is there, or comes with the package', false)
    .addHelpText(
      'after',
      `
Its files are compared with the SHA-256 of its manifest, and it examines a picture, as a whole and in parts, before it
is installed: in the folder that the setting modelsDir names, else in "models" of the data folder. The model of the package
stays the default; ask for this one with --model. Only with the id of a packaged model, and --replace, does it take its place.
A running server has to be started again. What such a folder has to hold: models/README.md of the package.

Examples:
  $ forensics models add ./trace-2
  $ forensics models add ./trace-2/manifest.json --replace`,
    )
    .action(add);
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

async function add(from: string, { json, replace, ...local }: AddOptions): Promise<void> {
  const into = installedModelsDir(await settingsOf(local));
  const { manifest, defaultId } = await addModel({ from, into, isReplacing: replace });
  if (json) return printJson({ model: summaryOf(manifest), folder: into, default: defaultId });
  const { id, version, type } = manifest;
  const use = id === defaultId ? 'it is the default now' : howToUse[type](id, defaultId);
  process.stdout.write(`${id} ${version} is installed; ${use}\n`);
}

const howToUse: Readonly<Record<AnyManifest['type'], (id: string, defaultId: string) => string>> = {
  image: (id, defaultId) => `ask for it with --model ${id}, ${defaultId} stays the default`,
  localisation: (id, defaultId) =>
    `bundles that name ${id} can be reproduced, ${defaultId} stays the default`,
};

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
