/**
 * Finds the model folders, believes nothing before the hashes were checked, and hands out the verified bytes: what was
 * hashed is what is loaded. It knows files and manifests, not what the networks say.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForensicsError } from '../errors.ts';
import { parseManifest, parseStatistics } from './manifest.ts';
import type { EmbeddingStatistics, ModelManifest } from './model.ts';

export interface VerifiedModel {
  readonly manifest: ModelManifest;
  readonly statistics: EmbeddingStatistics;
  readonly backbone: Uint8Array;
  readonly head: Uint8Array;
  /** The second arm, for a model that has one. */
  readonly votes: Uint8Array | null;
}

export interface Registry {
  /** Newest first. A folder whose description is damaged is left out here and reported by `open`. */
  list(): Promise<readonly ModelManifest[]>;
  /**
   * The model that `id` means, by its description alone.
   *
   * @param id - null for the newest image model.
   * @throws {ForensicsError} `model_not_found` naming the known models, `model_integrity` for a damaged description.
   */
  find(id: string | null): Promise<ModelManifest>;
  /** The same with its files. @throws {ForensicsError} as `find`, and `model_integrity` naming the damaged file. */
  open(id: string | null): Promise<VerifiedModel>;
}

interface Entry {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

interface Shelf {
  /** Newest first, each id once. */
  readonly entries: readonly Entry[];
  readonly damages: readonly ForensicsError[];
}

/** Files without which a model cannot be run. */
const neededFiles = ['model.onnx', 'head.onnx', 'statistics.json'] as const;
const votesFile = 'votes.onnx';

/** `models/` lies beside `src/` and `dist/`, so one relative path serves both. */
const packagedDir = fileURLToPath(new URL('../../models/', import.meta.url));

/**
 * @param dirs.extra - a further folder of model folders; its models win over packaged ones of the same id.
 * @param dirs.packaged - where the models of this package lie.
 */
export function createRegistry(
  dirs: { readonly extra?: string | null; readonly packaged?: string } = {},
): Registry {
  const readShelf = () => shelfOf(dirs.extra ?? null, dirs.packaged ?? packagedDir);
  return {
    list: async () => (await readShelf()).entries.map(({ manifest }) => manifest),
    find: async (id) => entryOf(await readShelf(), id).manifest,
    open: async (id) => openModel(entryOf(await readShelf(), id)),
  };
}

async function shelfOf(extra: string | null, packaged: string): Promise<Shelf> {
  const own = await readEntries(packaged, async () => []);
  const added = extra === null ? [] : await readEntries(extra, extraDirMissing);
  const all = [...added, ...own];
  const firstOfEach = new Map<string, Entry>();
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

function newestFirst(one: Entry, other: Entry): number {
  const age = Date.parse(other.manifest.created) - Date.parse(one.manifest.created);
  return age || (one.manifest.id < other.manifest.id ? 1 : -1);
}

async function readEntries(
  modelsDir: string,
  onMissing: (cause: unknown) => Promise<string[]>,
): Promise<readonly (Entry | ForensicsError)[]> {
  const names = (await readdir(modelsDir).catch(onMissing)).toSorted();
  const entries = await Promise.all(names.map((name) => readEntry(join(modelsDir, name), name)));
  return entries.filter((entry) => entry !== null);
}

/** Null for a folder that is no model: it holds no manifest. */
async function readEntry(folder: string, name: string): Promise<Entry | ForensicsError | null> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return { folder, manifest: parseManifest(text) };
  } catch (cause) {
    if (!(cause instanceof ForensicsError)) throw cause;
    return new ForensicsError(cause.code, `Model folder ${name}: ${cause.message}`, { cause });
  }
}

/** With a damaged neighbour the newest model is unknown, and falling back to an older one in silence would be wrong. */
function entryOf({ entries, damages }: Shelf, id: string | null): Entry {
  const known = entries.find(({ manifest }) => manifest.id === id);
  const entry = id === null && damages.length === 0 ? entries[0] : known;
  if (!entry) throw damages[0] ?? notFound(entries, id);
  return entry;
}

/**
 * The files of one model folder that lies anywhere, checked like those of an installed one.
 *
 * @returns `files`: what its manifest lists, by name, the manifest itself among them.
 * @throws {ForensicsError} `model_not_found` without a manifest, `model_integrity`.
 */
export async function readModelFolder(
  folder: string,
): Promise<{ readonly manifest: ModelManifest; readonly files: ReadonlyMap<string, Uint8Array> }> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause: unknown) => {
    throw new ForensicsError('model_not_found', 'The folder holds no manifest.json of a model.', {
      cause,
    });
  });
  const manifest = parseManifest(text);
  const files = await verifiedFiles({ folder, manifest });
  parseStatistics(files.get('statistics.json')!.toString('utf8'));
  return { manifest, files };
}

async function openModel(entry: Entry): Promise<VerifiedModel> {
  const files = await verifiedFiles(entry);
  return {
    manifest: entry.manifest,
    statistics: parseStatistics(files.get('statistics.json')!.toString('utf8')),
    backbone: files.get('model.onnx')!,
    head: files.get('head.onnx')!,
    votes: files.get(votesFile) ?? null,
  };
}

function notFound(entries: readonly Entry[], id: string | null): ForensicsError {
  if (entries.length === 0) {
    return new ForensicsError('model_not_found', 'No model is installed; reinstall forensics.');
  }
  const known = entries.map(({ manifest }) => manifest.id).join(', ');
  const asked = JSON.stringify(id?.slice(0, 80));
  return new ForensicsError(
    'model_not_found',
    `There is no model ${asked}; known models: ${known}.`,
  );
}

/** Every file that the manifest lists is checked, also those that this version does not need. */
async function verifiedFiles({ folder, manifest }: Entry): Promise<ReadonlyMap<string, Buffer>> {
  const needed = manifest.votes ? [...neededFiles, votesFile] : neededFiles;
  const names = new Set([...needed, ...Object.keys(manifest.files)]);
  return new Map(
    await Promise.all(
      [...names].map(async (name) => [name, await verifiedFile(folder, name, manifest)] as const),
    ),
  );
}

async function verifiedFile(
  folder: string,
  name: string,
  manifest: ModelManifest,
): Promise<Buffer> {
  const expected = manifest.files[name];
  if (!expected) throw damaged(manifest, name, 'is not listed in its manifest');
  const bytes = await readFile(join(folder, name)).catch((cause: unknown) => {
    throw damaged(manifest, name, 'cannot be read', cause);
  });
  if (bytes.length !== expected.bytes) {
    throw damaged(manifest, name, `has ${bytes.length} bytes instead of ${expected.bytes}`);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected.sha256) {
    throw damaged(manifest, name, 'does not have the SHA-256 of its manifest');
  }
  return bytes;
}

function damaged(
  manifest: ModelManifest,
  name: string,
  what: string,
  cause?: unknown,
): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `${name} of model ${manifest.id} ${what}; reinstall forensics.`,
    { cause },
  );
}
