/** `forensics models`: lists the models on this machine, and checks their files against their manifests. */

import { readConfig } from '../../contract/config.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { modelNotFound } from '../../contract/errors.ts';
import type { AnyManifest } from '../../contract/manifest.ts';
import { createRegistry } from '../../inference/registry.ts';
import type { Command, FolderOptions, LocalOptions } from '../options.ts';
import { lineWidth, printJson } from '../output/terminal.ts';

export function defineModels(models: Command): void {
  models
    .helpAfter(`
To add a model, copy its folder into the folder set as modelsDir (by default "models" in the data folder), and run
"forensics models verify". A verdict uses the packaged model unless --model specifies another.`)
    .examples('list', 'verify trace-3');
  models
    .localCommand('list', 'List the models of each kind; the first is the default.')
    .examples('', '--json')
    .action(list);
  const verifies = 'Compare the files of models with the SHA-256 in their manifests.';
  models
    .localCommand('verify', verifies)
    .examples('', 'trace-3 --json')
    .argument('[id]', 'one model (default: all)')
    .action(verify);
}

async function list({ json, ...local }: LocalOptions): Promise<void> {
  const manifests = await registry(local).listAll();
  if (json) return printJson({ models: manifests.map(summary) });
  if (manifests.length === 0) {
    throw modelNotFound('No model is installed; reinstall forensics.');
  }
  const lines = manifests.map(({ id, version, type, created, files }) => {
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    return `${id}  version ${version}  ${kinds[type]}  made ${created.slice(0, 10)}  ${size}`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

const kinds: Readonly<Record<AnyManifest['type'], string>> = {
  image: 'real or generated',
  localisation: 'where it was changed',
};

async function verify(id: string | undefined, { json, ...local }: LocalOptions): Promise<void> {
  const verified = await registry(local).verify(id ?? null);
  if (json) return printJson({ models: verified.map(summary), verified: true });
  const isWide = lineWidth(process.stdout) >= 90;
  for (const manifest of verified) {
    process.stdout.write(`${manifest.id} ${manifest.version}: every file is intact\n`);
    for (const [name, { sha256 }] of Object.entries(manifest.files)) {
      process.stdout.write(isWide ? `  ${sha256}  ${name}\n` : `  ${name}\n    ${sha256}\n`);
    }
  }
}

function registry({ dataDir, config }: FolderOptions) {
  const { settings } = readConfig({ flags: { dataDir }, configFile: config });
  return createRegistry({ extra: modelsFolder(settings) });
}

function summary({ id, version, type, created, files }: AnyManifest) {
  return { id, version, type, created, files };
}
