/**
 * Finds the model folders, believes nothing before the hashes were checked, and hands out the verified bytes: what was
 * hashed is what is loaded. It knows files and manifests, not what the networks say.
 */

import { ForensicsError } from '../errors.ts';
import { parseStatistics } from './manifest.ts';
import {
  type Installed,
  locateFile,
  type ModelFolder,
  packagedDir,
  readInstalled,
  statisticsFile,
  textOf,
  verifiedFiles,
  ensembleFile,
} from './model-folder.ts';
import type { AnyManifest, EmbeddingStatistics, LocateManifest, ModelManifest } from './model.ts';

export interface VerifiedModel {
  readonly manifest: ModelManifest;
  readonly statistics: EmbeddingStatistics;
  readonly backbone: Uint8Array;
  readonly head: Uint8Array;
  /** The second branch, for a model that has one. */
  readonly ensemble: Uint8Array | null;
}

export interface VerifiedLocator {
  readonly manifest: LocateManifest;
  readonly network: Uint8Array;
}

export interface Registry {
  /** Image models, the default first (see `installed.ts`). A folder whose description is damaged is left out here and reported by `open`. */
  list(): Promise<readonly ModelManifest[]>;
  /** The same, and the models that say where a picture was changed behind them. */
  listAll(): Promise<readonly AnyManifest[]>;
  /**
   * The image model that `id` means, by its description alone.
   *
   * @param id - null for the default.
   * @throws {ForensicsError} `model_not_found` naming the known models, `model_integrity` for a damaged description.
   */
  find(id: string | null): Promise<ModelManifest>;
  /** The same with its files. @throws {ForensicsError} as `find`, and `model_integrity` naming the damaged file. */
  open(id: string | null): Promise<VerifiedModel>;
  /** As `find`, among the models that say where a picture was changed. */
  findLocator(id?: string | null): Promise<LocateManifest>;
  /** As `open`. */
  openLocator(id?: string | null): Promise<VerifiedLocator>;
  /**
   * Checks every file of one model of either kind, or of all.
   *
   * @throws {ForensicsError} as `open`; of all also when no model of a kind is installed or a description is damaged.
   */
  verify(id: string | null): Promise<readonly AnyManifest[]>;
}

/**
 * @param dirs.extra - a further folder of model folders; its models win over packaged ones of the same id.
 * @param dirs.packaged - where the models of this package lie.
 */
export function createRegistry(
  dirs: { readonly extra?: string | null; readonly packaged?: string } = {},
): Registry {
  const read = () => readInstalled(dirs.extra ?? null, dirs.packaged ?? packagedDir);
  const images = async () => ofType(await read(), isImage);
  const locators = async () => ofType(await read(), isLocator);
  return {
    list: async () => manifestsOf(await images()),
    listAll: async () => manifestsOf(byType(await read())),
    find: async (id) => entryOf(await images(), id, imageKind).manifest,
    open: async (id) => openModel(entryOf(await images(), id, imageKind)),
    findLocator: async (id = null) => entryOf(await locators(), id, locatorKind).manifest,
    openLocator: async (id = null) => openLocator(entryOf(await locators(), id, locatorKind)),
    verify: async (id) => {
      const installed = await read();
      const wanted =
        id === null ? everyEntry(installed) : [entryOf(byType(installed), id, imageKind)];
      for (const entry of wanted) await verifiedFiles(entry);
      return wanted.map(({ manifest }) => manifest);
    },
  };
}

/** For messages. */
const imageKind = 'model';
const locatorKind = 'localisation model';

const isImage = (entry: ModelFolder): entry is ModelFolder<ModelManifest> =>
  entry.manifest.type === 'image';
const isLocator = (entry: ModelFolder): entry is ModelFolder<LocateManifest> =>
  entry.manifest.type === 'localisation';

/** Nobody can tell which kind a damaged folder would be, so it concerns both. */
function ofType<Manifest extends AnyManifest>(
  { entries, damages }: Installed,
  isWanted: (entry: ModelFolder) => entry is ModelFolder<Manifest>,
): Installed<Manifest> {
  return { entries: entries.filter(isWanted), damages };
}

function byType(installed: Installed): Installed {
  return {
    ...installed,
    entries: [...ofType(installed, isImage).entries, ...ofType(installed, isLocator).entries],
  };
}

/** An examination needs a model of each kind, and a damaged description may be that of the default. */
function everyEntry(installed: Installed): readonly ModelFolder[] {
  entryOf(ofType(installed, isImage), null, imageKind);
  entryOf(ofType(installed, isLocator), null, locatorKind);
  return byType(installed).entries;
}

function manifestsOf<Manifest extends AnyManifest>({ entries }: Installed<Manifest>) {
  return entries.map(({ manifest }) => manifest);
}

/** With a damaged neighbour the default is unknown, and falling back to another model in silence would be wrong. */
function entryOf<Manifest extends AnyManifest>(
  { entries, damages }: Installed<Manifest>,
  id: string | null,
  kind: string,
): ModelFolder<Manifest> {
  const known = entries.find(({ manifest }) => manifest.id === id);
  const entry = id === null && damages.length === 0 ? entries[0] : known;
  if (!entry) throw damages[0] ?? notFound(entries, id, kind);
  return entry;
}

/** Of a folder that lies anywhere. @throws {ForensicsError} `model_integrity` naming the damaged file. */
export async function openModel(entry: ModelFolder<ModelManifest>): Promise<VerifiedModel> {
  const files = await verifiedFiles(entry);
  return {
    manifest: entry.manifest,
    statistics: parseStatistics(textOf(files, statisticsFile)),
    backbone: files.get('model.onnx')!,
    head: files.get('head.onnx')!,
    ensemble: files.get(ensembleFile) ?? null,
  };
}

async function openLocator(entry: ModelFolder<LocateManifest>): Promise<VerifiedLocator> {
  const files = await verifiedFiles(entry);
  return { manifest: entry.manifest, network: files.get(locateFile)! };
}

function notFound(
  entries: readonly ModelFolder[],
  id: string | null,
  kind: string,
): ForensicsError {
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
