/** Finds models, verifies their hashes and returns the verified bytes, so that what was hashed is what is loaded. */

import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ForensicsError, modelNotFound } from '../contract/errors.ts';
import {
  type AnyManifest,
  type EmbeddingStatistics,
  type LocateManifest,
  type ModelManifest,
  parseAnyManifest,
  parseStatistics,
} from '../contract/manifest.ts';

export type VerifiedModel = Awaited<ReturnType<typeof openModel>>;
export type VerifiedLocator = Awaited<ReturnType<Registry['openLocator']>>;

export type Registry = ReturnType<typeof createRegistry>;

/**
 * @param dirs.extra - folder of additional models, which override packaged models with the same id.
 * @param dirs.packaged - folder of the models in this package.
 * @param dirs.once - reads the folders only once.
 */
export function createRegistry(
  dirs: { readonly extra?: string | null; readonly packaged?: string; readonly once?: true } = {},
) {
  const readNow = () => readInstalled(dirs.extra ?? null, dirs.packaged ?? packagedDir);
  let known: ReturnType<typeof readNow> | undefined;
  const read = () => (dirs.once ? (known ??= readNow()) : readNow());
  const findImage = async (id: string | null) => findEntry((await read()).images, id);
  const findLocator = async (id: string | null) => findEntry((await read()).locators, id);
  return {
    /** Image models, with the default first (see `Installed`). Leaves out damaged manifests, which `open` reports. */
    list: async () => (await read()).images.entries.map(({ manifest }) => manifest),
    /** Image models, followed by localisation models. */
    listAll: async () => (await read()).all.entries.map(({ manifest }) => manifest),
    /** @param id - null for the default. @throws {ForensicsError} `model_not_found`, `model_integrity`. */
    find: async (id: string | null) => (await findImage(id)).manifest,
    /** The image model with its files. @throws {ForensicsError} as `find`; `model_integrity` names the damaged file. */
    open: async (id: string | null) => openModel(await findImage(id)),
    /** Like `find`, for localisation models. */
    findLocator: async (id: string | null = null) => (await findLocator(id)).manifest,
    /** Like `open`, for localisation models. */
    openLocator: async (id: string | null = null) => {
      const entry = await findLocator(id);
      const network: Uint8Array = (await verifiedFiles(entry)).get(locateFile)!;
      return { manifest: entry.manifest, network };
    },
    /** Unchanged as long as the files of both default models are. @throws {ForensicsError} as `find` and `open`. */
    stampDefaults: async () => {
      const { images, locators } = await read();
      const defaults = [findEntry(images, null), findEntry(locators, null)];
      return JSON.stringify(await Promise.all(defaults.map(stampFiles)));
    },
    /** If `id` is null, all, of which there must be one of each kind. @throws {ForensicsError} as `open`. */
    verify: async (id: string | null) => {
      const { images, locators, all } = await read();
      // An examination needs a model of each kind, and a damaged manifest may be that of the default.
      if (id === null) {
        findEntry(images, null);
        findEntry(locators, null);
      }
      const wanted = id === null ? all.entries : [findEntry<AnyManifest>(all, id)];
      for (const entry of wanted) {
        const files = await verifiedFiles(entry);
        if (entry.manifest.type === 'image') readStatistics(files);
      }
      return wanted.map(({ manifest }) => manifest);
    },
  };
}

/** If another folder is damaged, the default is unknown, and it would be wrong to use a different model silently. */
function findEntry<Manifest extends AnyManifest>(
  { kind, entries, damages }: Installed<Manifest>,
  id: string | null,
): ModelFolder<Manifest> {
  const known = entries.find(({ manifest }) => manifest.id === id);
  const entry = id === null && damages.length === 0 ? entries[0] : known;
  if (!entry) throw damages[0] ?? notFound(entries, id, kind);
  return entry;
}

/** Opens a model in any folder. @throws {ForensicsError} `model_integrity`, naming the damaged file. */
export async function openModel(entry: ModelFolder<ModelManifest>) {
  const files: ReadonlyMap<string, Uint8Array> = await verifiedFiles(entry);
  return {
    manifest: entry.manifest,
    statistics: readStatistics(files),
    backbone: files.get('model.onnx')!,
    head: files.get('head.onnx')!,
    /** Null for a model without a transformer. */
    transformer: files.get(transformerFile) ?? null,
  };
}

function notFound(entries: readonly ModelFolder[], id: string | null, kind: string) {
  const known = entries.map(({ manifest }) => manifest.id).join(', ');
  const requested = JSON.stringify(id?.slice(0, 80));
  const message =
    known === ''
      ? `No ${kind} is installed; reinstall forensics.`
      : `There is no ${kind} ${requested}; known models: ${known}.`;
  return modelNotFound(message);
}

/** A model folder: its manifest and the files that it lists; trusted only once their hashes have been verified. */
interface ModelFolder<Manifest extends AnyManifest = AnyManifest> {
  readonly folder: string;
  readonly manifest: Manifest;
  /** What to do about a damaged file, worded as the end of a sentence. */
  readonly remedy: string;
}

const statisticsFile = 'statistics.json';
const transformerFile = 'transformer.onnx';
const locateFile = 'locate.onnx';

/** The files without which a model cannot run, and any others. */
function fileNames(manifest: AnyManifest): readonly string[] {
  const others = Object.keys(manifest.files);
  if (manifest.type === 'localisation') return [...new Set([locateFile, ...others])];
  const own = manifest.transformer === null ? [] : [transformerFile];
  return [...new Set(['model.onnx', 'head.onnx', ...own, statisticsFile, ...others])];
}

/** Even those that this version does not use. @throws {ForensicsError} `model_integrity`, naming the damaged file. */
async function verifiedFiles(model: ModelFolder): Promise<ReadonlyMap<string, Buffer>> {
  const { manifest } = model;
  const reading = fileNames(manifest).map(
    async (name) => [name, await verifiedFile(model, name)] as const,
  );
  return new Map(await Promise.all(reading));
}

/** The manifest as it was read, and the size and times of each file. */
async function stampFiles(model: ModelFolder): Promise<readonly unknown[]> {
  const { folder, manifest } = model;
  const files = fileNames(manifest).map(async (name) => {
    const { ino, size, mtimeMs, ctimeMs } = await stat(join(folder, name)).catch(
      (cause: unknown) => {
        throw damaged(model, name, 'cannot be read', cause);
      },
    );
    return [name, ino, size, mtimeMs, ctimeMs];
  });
  return [manifest, ...(await Promise.all(files))];
}

function readStatistics(files: ReadonlyMap<string, Uint8Array>): EmbeddingStatistics {
  return parseStatistics(new TextDecoder().decode(files.get(statisticsFile)));
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
  if (hash('sha256', bytes) !== expected.sha256) {
    throw damaged(model, name, 'does not have the SHA-256 of its manifest');
  }
  return bytes;
}

function damaged({ manifest, remedy }: ModelFolder, name: string, what: string, cause?: unknown) {
  const message = `${name} of model ${manifest.id} ${what}; ${remedy}.`;
  return new ForensicsError('model_integrity', message, { cause });
}

/**
 * The models of one kind, according to their manifests. The default is the newest one in the package. An added model
 * must be requested explicitly, because adding a model must not change verdicts; but one that replaces a packaged model
 * (with the same id) also replaces it as the default.
 */
interface Installed<Manifest extends AnyManifest = AnyManifest> {
  /** What messages call the kind. */
  readonly kind: string;
  /** Each id only once: packaged models first, then additional ones; in both groups, the newest first. */
  readonly entries: readonly ModelFolder<Manifest>[];
  /** If a folder is damaged, its kind is unknown, so it counts as every kind. */
  readonly damages: readonly ForensicsError[];
}

/** `models/` is beside both `src/` and `dist/`, so the same relative path works from either. */
export const packagedDir = fileURLToPath(new URL('../../models/', import.meta.url));

/** @throws {ForensicsError} `model_not_found`. */
async function readInstalled(extra: string | null, packaged: string) {
  const own = await readEntries(packaged, 'reinstall forensics', async () => []);
  const remedy = 'copy the folder of the model again';
  const added = extra === null ? [] : await readEntries(extra, remedy, extraDirMissing);
  const damages = [...added, ...own].filter((entry) => entry instanceof ForensicsError);
  // A Map keeps a key's first position: an added model takes that of the packaged one with the same id.
  const entries = [...new Map([...byId(own), ...byId(added)]).values()];
  const images = entries.filter(
    (entry): entry is ModelFolder<ModelManifest> => entry.manifest.type === 'image',
  );
  const locators = entries.filter(
    (entry): entry is ModelFolder<LocateManifest> => entry.manifest.type === 'localisation',
  );
  return {
    images: { kind: 'model', entries: images, damages },
    locators: { kind: 'localisation model', entries: locators, damages },
    all: { kind: 'model', entries: [...images, ...locators], damages },
  };
}

/** The newest first; of two folders with the same id, only the newer one. */
function byId(entries: readonly (ModelFolder | ForensicsError)[]) {
  const described = entries.flatMap((entry) => (entry instanceof ForensicsError ? [] : [entry]));
  const newestFirst = described.toSorted(({ manifest: one }, { manifest: other }) => {
    return Date.parse(other.created) - Date.parse(one.created) || (one.id < other.id ? 1 : -1);
  });
  const groups = Map.groupBy(newestFirst, ({ manifest }) => manifest.id);
  return [...groups].map(([id, [newest]]) => [id, newest!] as const);
}

async function extraDirMissing(cause: unknown): Promise<never> {
  throw modelNotFound(
    'The folder of additional models cannot be read; correct the setting that specifies it.',
    { cause },
  );
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

/** By folder, so that a manifest is checked again only after it has changed. */
const lastRead = new Map<string, { readonly text: string; readonly manifest: AnyManifest }>();

/** Null if the folder has no manifest, and so is not a model. */
async function readEntry(modelsDir: string, name: string, remedy: string) {
  const folder = join(modelsDir, name);
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const last = lastRead.get(folder);
    const manifest = last?.text === text ? last.manifest : parseAnyManifest(text);
    lastRead.set(folder, { text, manifest });
    return { folder, remedy, manifest };
  } catch (cause) {
    if (!(cause instanceof ForensicsError)) throw cause;
    return new ForensicsError(cause.code, `Model folder ${name}: ${cause.message}`, { cause });
  }
}
