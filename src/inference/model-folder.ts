/** One folder of a model: its manifest, and the files that the manifest lists, believed only once their hashes were checked. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForensicsError } from '../errors.ts';
import { parseLocateManifest } from './locate-manifest.ts';
import { rootOf } from './manifest-fields.ts';
import { parseManifest, parseStatistics } from './manifest.ts';
import type { AnyManifest } from './model.ts';

export interface ModelFolder<Manifest extends AnyManifest = AnyManifest> {
  readonly folder: string;
  readonly manifest: Manifest;
  /** What to do when a file of it is damaged, as the end of a sentence. */
  readonly remedy: string;
}

export const statisticsFile = 'statistics.json';
export const ensembleFile = 'votes.onnx';
export const locateFile = 'locate.onnx';

/** Files without which a model cannot be run. */
function neededFiles(manifest: AnyManifest): readonly string[] {
  if (manifest.type === 'localisation') return [locateFile];
  const always = ['model.onnx', 'head.onnx', statisticsFile];
  return manifest.votes ? [...always, ensembleFile] : always;
}

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseAnyManifest(text: string): AnyManifest {
  const { type } = rootOf(text, 'manifest.json');
  return type === 'localisation' ? parseLocateManifest(text) : parseManifest(text);
}

/**
 * The files of one model folder that lies anywhere, checked like those of an installed one.
 *
 * @returns `files`: what its manifest lists, by name, the manifest itself among them.
 * @throws {ForensicsError} `model_not_found` without a manifest, `model_integrity`.
 */
export async function readModelFolder(
  folder: string,
): Promise<{ readonly manifest: AnyManifest; readonly files: ReadonlyMap<string, Uint8Array> }> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause: unknown) => {
    throw new ForensicsError('model_not_found', 'The folder holds no manifest.json of a model.', {
      cause,
    });
  });
  const manifest = parseAnyManifest(text);
  const remedy = 'get it anew from whoever made it, or correct its manifest';
  return { manifest, files: await verifiedFiles({ folder, manifest, remedy }) };
}

/**
 * Every file that the manifest lists is checked, also those that this version does not need.
 *
 * @throws {ForensicsError} `model_integrity` naming the damaged file.
 */
export async function verifiedFiles(model: ModelFolder): Promise<ReadonlyMap<string, Buffer>> {
  const { manifest } = model;
  const names = new Set([...neededFiles(manifest), ...Object.keys(manifest.files)]);
  const files = new Map(
    await Promise.all(
      [...names].map(async (name) => [name, await verifiedFile(model, name)] as const),
    ),
  );
  if (manifest.type === 'image') parseStatistics(textOf(files, statisticsFile));
  return files;
}

export function textOf(files: ReadonlyMap<string, Buffer>, name: string): string {
  return files.get(name)!.toString('utf8');
}

async function verifiedFile(model: ModelFolder, name: string): Promise<Buffer> {
  const expected = model.manifest.files[name];
  if (!expected) throw damaged(model, name, 'is not listed in its manifest');
  const bytes = await readFile(join(model.folder, name)).catch((cause: unknown) => {
    throw damaged(model, name, 'cannot be read', cause);
  });
  if (bytes.length !== expected.bytes) {
    throw damaged(model, name, `has ${bytes.length} bytes instead of ${expected.bytes}`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected.sha256) {
    throw damaged(model, name, 'does not have the SHA-256 of its manifest');
  }
  return bytes;
}

function damaged(
  { manifest, remedy }: ModelFolder,
  name: string,
  what: string,
  cause?: unknown,
): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `${name} of model ${manifest.id} ${what}; ${remedy}.`,
    { cause },
  );
}

// Which models lie in the folders, by their manifests alone, and which of them is meant where none is named: the newest of
// the package. An added one has to be asked for, because a verdict must not change when somebody adds a model; only one that
// was put in the place of a packaged one (the same id) is also meant where that one was.

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
  const added = extra === null ? [] : await readEntries(extra, copyAgain, extraDirMissing);
  // A key keeps its first place in a Map and its last value: an added model of a packaged id stands where that one was.
  const entries = new Map([...byId(own), ...byId(added)]);
  return {
    entries: [...entries.values()],
    damages: [...added, ...own].filter((entry) => entry instanceof ForensicsError),
  };
}

/** What to do about a damaged file. */
const reinstall = 'reinstall forensics';
const copyAgain = 'copy the folder of the model again';

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
