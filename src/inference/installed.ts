/** Which models lie in the folders, by their manifests alone. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForensicsError } from '../errors.ts';
import type { AnyManifest } from './model.ts';
import { type ModelFolder, parseAnyManifest } from './model-folder.ts';

export interface Installed<Manifest extends AnyManifest = AnyManifest> {
  /** Newest first, each id once. */
  readonly entries: readonly ModelFolder<Manifest>[];
  readonly damages: readonly ForensicsError[];
}

/** `models/` lies beside `src/` and `dist/`, so one relative path serves both. */
export const packagedDir = fileURLToPath(new URL('../../models/', import.meta.url));

/** Models of `extra` win over those of `packaged` of the same id. @throws {ForensicsError} `model_not_found`. */
export async function readInstalled(extra: string | null, packaged: string): Promise<Installed> {
  const own = await readEntries(packaged, async () => []);
  const added = extra === null ? [] : await readEntries(extra, extraDirMissing);
  const all = [...added, ...own];
  const firstOfEach = new Map<string, ModelFolder>();
  for (const entry of all) {
    if (entry instanceof ForensicsError || firstOfEach.has(entry.manifest.id)) continue;
    firstOfEach.set(entry.manifest.id, entry);
  }
  return {
    entries: [...firstOfEach.values()].toSorted(newestFirst),
    damages: all.filter((entry) => entry instanceof ForensicsError),
  };
}

async function extraDirMissing(cause: unknown): Promise<never> {
  throw new ForensicsError(
    'model_not_found',
    'The folder of additional models cannot be read; correct the setting that names it.',
    { cause },
  );
}

function newestFirst(one: ModelFolder, other: ModelFolder): number {
  const age = Date.parse(other.manifest.created) - Date.parse(one.manifest.created);
  return age || (one.manifest.id < other.manifest.id ? 1 : -1);
}

async function readEntries(
  modelsDir: string,
  onMissing: (cause: unknown) => Promise<string[]>,
): Promise<readonly (ModelFolder | ForensicsError)[]> {
  const names = (await readdir(modelsDir).catch(onMissing)).toSorted();
  const entries = await Promise.all(names.map((name) => readEntry(join(modelsDir, name), name)));
  return entries.filter((entry) => entry !== null);
}

/** Null for a folder that is no model: it holds no manifest. */
async function readEntry(
  folder: string,
  name: string,
): Promise<ModelFolder | ForensicsError | null> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return { folder, manifest: parseAnyManifest(text) };
  } catch (cause) {
    if (!(cause instanceof ForensicsError)) throw cause;
    return new ForensicsError(cause.code, `Model folder ${name}: ${cause.message}`, { cause });
  }
}
