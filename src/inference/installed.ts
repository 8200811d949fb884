/**
 * Which models lie in the folders, by their manifests alone, and which of them is meant where none is named: the newest of
 * the package. An added one has to be asked for, because a verdict must not change when somebody adds a model; only one that
 * was put in the place of a packaged one (the same id) is also meant where that one was.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForensicsError } from '../errors.ts';
import type { AnyManifest } from './model.ts';
import { type ModelFolder, parseAnyManifest } from './model-folder.ts';

export interface Installed<Manifest extends AnyManifest = AnyManifest> {
  /** Each id once: those of the package, newest first, behind them further ones, newest first. */
  readonly entries: readonly ModelFolder<Manifest>[];
  readonly damages: readonly ForensicsError[];
}

/** `models/` lies beside `src/` and `dist/`, so one relative path serves both. */
export const packagedDir = fileURLToPath(new URL('../../models/', import.meta.url));

/** @throws {ForensicsError} `model_not_found`. */
export async function readInstalled(extra: string | null, packaged: string): Promise<Installed> {
  const own = await readEntries(packaged, reinstall, async () => []);
  const added = extra === null ? [] : await readEntries(extra, addAgain, extraDirMissing);
  // A key keeps its first place in a Map and its last value: an added model of a packaged id stands where that one was.
  const entries = new Map([...byId(own), ...byId(added)]);
  return {
    entries: [...entries.values()],
    damages: [...added, ...own].filter((entry) => entry instanceof ForensicsError),
  };
}

/** What to do about a damaged file. */
const reinstall = 'reinstall forensics';
const addAgain = 'add the model again: forensics models add FOLDER --replace';

/** Newest first; of two folders with one id the newer. */
function byId(
  entries: readonly (ModelFolder | ForensicsError)[],
): ReadonlyMap<string, ModelFolder> {
  const models = new Map<string, ModelFolder>();
  for (const entry of entries.filter(isDescribed).toSorted(newestFirst)) {
    if (!models.has(entry.manifest.id)) models.set(entry.manifest.id, entry);
  }
  return models;
}

function isDescribed(entry: ModelFolder | ForensicsError): entry is ModelFolder {
  return !(entry instanceof ForensicsError);
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
  remedy: string,
  onMissing: (cause: unknown) => Promise<string[]>,
): Promise<readonly (ModelFolder | ForensicsError)[]> {
  const names = (await readdir(modelsDir).catch(onMissing)).toSorted();
  const entries = await Promise.all(names.map((name) => readEntry(modelsDir, name, remedy)));
  return entries.filter((entry) => entry !== null);
}

/** Null for a folder that is no model: it holds no manifest. */
async function readEntry(
  modelsDir: string,
  name: string,
  remedy: string,
): Promise<ModelFolder | ForensicsError | null> {
  const folder = join(modelsDir, name);
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return { folder, remedy, manifest: parseAnyManifest(text) };
  } catch (cause) {
    if (!(cause instanceof ForensicsError)) throw cause;
    return new ForensicsError(cause.code, `Model folder ${name}: ${cause.message}`, { cause });
  }
}
