/** A copy of the packaged model in a temporary folder, to be damaged. */

import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packaged = fileURLToPath(new URL('../../../models/trace-1', import.meta.url));

type Json = Record<string, unknown>;

export interface ModelFolder {
  /** Holds one folder, `model`. */
  readonly modelsDir: string;
  readonly pathOf: (name: string) => string;
  readonly editManifest: (edit: (manifest: Json) => void) => void;
}

export function copyModel(): ModelFolder {
  const modelsDir = mkdtempSync(join(tmpdir(), 'forensics-models-'));
  const folder = join(modelsDir, 'model');
  cpSync(packaged, folder, { recursive: true });
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

export function packagedText(name: string): string {
  return readFileSync(join(packaged, name), 'utf8');
}

function readManifest(path: string): Json {
  const manifest: Json = JSON.parse(readFileSync(path, 'utf8'));
  return manifest;
}
