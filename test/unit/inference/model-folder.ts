/** Copies of the packaged models in a temporary folder, to be damaged. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../../fixtures/folder.ts';

const packaged = fileURLToPath(new URL('../../../models', import.meta.url));

type Json = Record<string, unknown>;

export interface ModelFolder {
  /** Contains one folder, `model`. */
  readonly modelsDir: string;
  readonly pathOf: (name: string) => string;
  readonly editManifest: (edit: (manifest: Json) => void) => void;
}

export function copyModel(id = 'trace-3'): ModelFolder {
  const modelsDir = newFolder();
  const folder = join(modelsDir, 'model');
  cpSync(join(packaged, id), folder, { recursive: true });
  const pathOf = (name: string) => join(folder, name);
  return {
    modelsDir,
    pathOf,
    editManifest: (edit) => {
      const manifest = readManifest(pathOf('manifest.json'));
      edit(manifest);
      writeFileSync(pathOf('manifest.json'), JSON.stringify(manifest));
    },
  };
}

/** @param name - such as `trace-3/manifest.json`. */
export function packagedText(name: string): string {
  return readFileSync(join(packaged, name), 'utf8');
}

/** The packaged file with one value replaced. @param path - of the value, with dots. */
export function withValue(name: string, path: string, value: unknown): string {
  const root: Json = JSON.parse(packagedText(name));
  const names = path.split(/\.(?!onnx|json)/);
  const last = names.pop() ?? '';
  let fields = root;
  for (const step of names) fields = Object(fields[step]);
  fields[last] = value;
  return JSON.stringify(root);
}

function readManifest(path: string): Json {
  const manifest: Json = JSON.parse(readFileSync(path, 'utf8'));
  return manifest;
}
