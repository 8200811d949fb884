/**
 * Finds the model folders, believes nothing before the hashes were checked, and hands out the verified bytes: what was
 * hashed is what is loaded. It knows files and manifests, not what the networks say.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForensicsError } from '../errors.ts';
import { parseStatistics } from './manifest.ts';
import type { AnyManifest, EmbeddingStatistics, LocateManifest, ModelManifest } from './model.ts';
import {
  locateFile,
  type ModelFolder,
  parseAnyManifest,
  verifiedFiles,
  votesFile,
} from './model-folder.ts';

export interface VerifiedModel {
  readonly manifest: ModelManifest;
  readonly statistics: EmbeddingStatistics;
  readonly backbone: Uint8Array;
  readonly head: Uint8Array;
  /** The second arm, for a model that has one. */
  readonly votes: Uint8Array | null;
}

export interface VerifiedLocator {
  readonly manifest: LocateManifest;
  readonly network: Uint8Array;
}

export interface Registry {
  /** Image models, newest first. A folder whose description is damaged is left out here and reported by `open`. */
  list(): Promise<readonly ModelManifest[]>;
  /** The same, and the models that say where a picture was changed behind them. */
  listAll(): Promise<readonly AnyManifest[]>;
  /**
   * The image model that `id` means, by its description alone.
   *
   * @param id - null for the newest.
   * @throws {ForensicsError} `model_not_found` naming the known models, `model_integrity` for a damaged description.
   */
  find(id: string | null): Promise<ModelManifest>;
  /** The same with its files. @throws {ForensicsError} as `find`, and `model_integrity` naming the damaged file. */
  open(id: string | null): Promise<VerifiedModel>;
  /** As `find`, among the models that say where a picture was changed. */
  findLocator(id?: string | null): Promise<LocateManifest>;
  /** As `open`. */
  openLocator(id?: string | null): Promise<VerifiedLocator>;
}

type Type = AnyManifest['type'];

interface Shelf<Manifest extends AnyManifest = AnyManifest> {
  /** Newest first, each id once. */
  readonly entries: readonly ModelFolder<Manifest>[];
  readonly damages: readonly ForensicsError[];
}

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
  const images = async () => ofType(await readShelf(), isImage);
  const locators = async () => ofType(await readShelf(), isLocator);
  return {
    list: async () => manifestsOf(await images()),
    listAll: async () => {
      const shelf = await readShelf();
      return [...manifestsOf(ofType(shelf, isImage)), ...manifestsOf(ofType(shelf, isLocator))];
    },
    find: async (id) => entryOf(await images(), id, 'image').manifest,
    open: async (id) => openModel(entryOf(await images(), id, 'image')),
    findLocator: async (id = null) => entryOf(await locators(), id, 'localisation').manifest,
    openLocator: async (id = null) => openLocator(entryOf(await locators(), id, 'localisation')),
  };
}

const isImage = (entry: ModelFolder): entry is ModelFolder<ModelManifest> =>
  entry.manifest.type === 'image';
const isLocator = (entry: ModelFolder): entry is ModelFolder<LocateManifest> =>
  entry.manifest.type === 'localisation';

/** Nobody can tell which kind a damaged folder would be, so it concerns both. */
function ofType<Manifest extends AnyManifest>(
  { entries, damages }: Shelf,
  isWanted: (entry: ModelFolder) => entry is ModelFolder<Manifest>,
): Shelf<Manifest> {
  return { entries: entries.filter(isWanted), damages };
}

function manifestsOf<Manifest extends AnyManifest>({ entries }: Shelf<Manifest>) {
  return entries.map(({ manifest }) => manifest);
}

async function shelfOf(extra: string | null, packaged: string): Promise<Shelf> {
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

/** With a damaged neighbour the newest model is unknown, and falling back to an older one in silence would be wrong. */
function entryOf<Manifest extends AnyManifest>(
  { entries, damages }: Shelf<Manifest>,
  id: string | null,
  type: Type,
): ModelFolder<Manifest> {
  const known = entries.find(({ manifest }) => manifest.id === id);
  const entry = id === null && damages.length === 0 ? entries[0] : known;
  if (!entry) throw damages[0] ?? notFound(entries, id, type);
  return entry;
}

async function openModel(entry: ModelFolder<ModelManifest>): Promise<VerifiedModel> {
  const files = await verifiedFiles(entry);
  return {
    manifest: entry.manifest,
    statistics: parseStatistics(files.get('statistics.json')!.toString('utf8')),
    backbone: files.get('model.onnx')!,
    head: files.get('head.onnx')!,
    votes: files.get(votesFile) ?? null,
  };
}

async function openLocator(entry: ModelFolder<LocateManifest>): Promise<VerifiedLocator> {
  const files = await verifiedFiles(entry);
  return { manifest: entry.manifest, network: files.get(locateFile)! };
}

function notFound(entries: readonly ModelFolder[], id: string | null, type: Type): ForensicsError {
  const kind = type === 'image' ? 'model' : 'localisation model';
  if (entries.length === 0) {
    return new ForensicsError('model_not_found', `No ${kind} is installed; reinstall forensics.`);
  }
  const known = entries.map(({ manifest }) => manifest.id).join(', ');
  const asked = JSON.stringify(id?.slice(0, 80));
  return new ForensicsError(
    'model_not_found',
    `There is no ${kind} ${asked}; known models: ${known}.`,
  );
}
