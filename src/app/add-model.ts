/**
 * Installs another model: verified against its manifest, run once on a picture in a child process, and only then put in its
 * place, as a whole.
 */

import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defaultSeed } from '../engine/result.ts';
import { ForensicsError } from '../errors.ts';
import type { AnyManifest } from '../inference/model.ts';
import { readModelFolder } from '../inference/model-folder.ts';
import { createLab } from '../lab/create-lab.ts';
import { shippedTrialImage } from './trial-images.ts';

export interface AddModel {
  /** A model folder, or the `manifest.json` in it. */
  readonly from: string;
  /** Holds a folder for each model. */
  readonly into: string;
  /** Also where a model of the same id is installed. */
  readonly isReplacing: boolean;
}

/**
 * @throws {ForensicsError} `file_not_found`, `model_integrity` for a model that is damaged or does not answer as its
 * manifest says, `conflict` when its id is installed already, `inference_*` when the trial run fails.
 */
export async function addModel({ from, into, isReplacing }: AddModel): Promise<AnyManifest> {
  const { manifest, files } = await readModelFolder(folderOf(from));
  const place = join(into, manifest.id);
  if (isThere(place) && !isReplacing) throw isInstalled(manifest);
  mkdirSync(into, { recursive: true, mode: 0o700 });
  // Beside its place, so that the last step is a rename; a name that no model can have.
  const staging = mkdtempSync(join(into, '.adding-'));
  try {
    const staged = join(staging, manifest.id);
    mkdirSync(staged, { mode: 0o700 });
    for (const [name, bytes] of files) writeFileSync(join(staged, name), bytes, { mode: 0o600 });
    await tryOut(staging, manifest);
    if (isThere(place)) renameSync(place, join(staging, 'replaced'));
    renameSync(staged, place);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return manifest;
}

function folderOf(from: string): string {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found?.isDirectory()) return from;
  if (found?.isFile() && basename(from) === 'manifest.json') return dirname(from);
  throw new ForensicsError(
    'file_not_found',
    'There is no model; name its folder or the manifest.json in it.',
  );
}

/** Foreign graphs run where pictures do: in a child, with its limits of time and memory. */
async function tryOut(modelsDir: string, { id, type }: AnyManifest): Promise<void> {
  const lab = createLab({ modelsDir, poolSize: 1 });
  const named = type === 'image' ? { model: id } : { model: null, locator: id };
  const options = { ...named, decisionStrategy: 'relaxed', seed: defaultSeed } as const;
  try {
    const { predictions } = await lab.examine({ source: { path: shippedTrialImage }, options });
    if (!Object.values(predictions).every(Number.isFinite)) throw doesNotAnswer(id);
  } catch (error) {
    const isItsFault = error instanceof ForensicsError && error.code === 'internal';
    throw isItsFault ? doesNotAnswer(id, error) : error;
  } finally {
    await lab.close();
  }
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;

function isInstalled({ id }: AnyManifest): ForensicsError {
  return new ForensicsError(
    'conflict',
    `A model ${id} is installed already; add --replace to put this one in its place.`,
  );
}

function doesNotAnswer(id: string, cause?: unknown): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `Model ${id} does not answer a picture with the numbers that its manifest promises; ask whoever made it.`,
    { cause },
  );
}
