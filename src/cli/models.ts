/** `forensics models`: which models this machine has, and whether their files are what their manifests say. */

import type { Command } from 'commander';
import { ForensicsError } from '../errors.ts';
import type { ModelManifest } from '../inference/model.ts';
import { columnsOf } from './terminal.ts';

interface Options {
  readonly json: boolean;
}

export function registerModels(program: Command): void {
  const models = program
    .command('models')
    .description('Show and verify the models that verdicts rest on.')
    .addHelpText(
      'after',
      `
Examples:
  $ forensics models list
  $ forensics models verify --json`,
    );
  models
    .command('list')
    .description('List the models, newest first; the first is the default.')
    .option('--json', 'print one JSON document', false)
    .action(list);
  models
    .command('verify')
    .description('Compare the files of models with the SHA-256 of their manifests.')
    .argument('[id]', 'one model (default: all)')
    .option('--json', 'print one JSON document', false)
    .action(verify);
}

async function list({ json }: Options): Promise<void> {
  const manifests = await (await registry()).list();
  if (json) return printJson({ models: manifests.map(summaryOf) });
  if (manifests.length === 0) {
    throw new ForensicsError('model_not_found', 'No model is installed; reinstall forensics.');
  }
  const lines = manifests.map(({ id, version, created, files }) => {
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    return `${id}  version ${version}  made ${created.slice(0, 10)}  ${(bytes / 1e6).toFixed(1)} MB`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function verify(id: string | undefined, { json }: Options): Promise<void> {
  const models = await registry();
  const ids = id === undefined ? (await models.list()).map((manifest) => manifest.id) : [id];
  // Damaged descriptions are told by opening the default model, so an empty list is opened as well.
  const asked = ids.length === 0 ? [null] : ids;
  const verified: ModelManifest[] = [];
  for (const each of asked) verified.push((await models.open(each)).manifest);
  if (json) return printJson({ models: verified.map(summaryOf), verified: true });
  const isWide = columnsOf(process.stdout) >= 90;
  for (const manifest of verified) {
    process.stdout.write(`${manifest.id} ${manifest.version}: every file is intact\n`);
    for (const [name, { sha256 }] of Object.entries(manifest.files)) {
      process.stdout.write(isWide ? `  ${sha256}  ${name}\n` : `  ${name}\n    ${sha256}\n`);
    }
  }
}

async function registry() {
  const { createRegistry } = await import('../inference/registry.ts');
  return createRegistry();
}

function summaryOf({ id, version, created, files }: ModelManifest) {
  return { id, version, created, files };
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
