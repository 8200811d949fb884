/**
 * Installs another model: verified against its manifest, tried on a picture in a child process, and only then put in its
 * place, as a whole.
 */

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defaultSeed } from '../contract/vocabulary.ts';
import { ForensicsError } from '../errors.ts';
import { packagedDir, readInstalled, readModelFolder } from '../inference/model-folder.ts';
import type { AnyManifest } from '../inference/model.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { shippedTrialImage } from './first-run.ts';

export interface AddModel {
  /** A model folder, or the `manifest.json` in it. */
  readonly from: string;
  /** Holds a folder for each model. */
  readonly into: string;
  /** Also where a model of the same id is installed, or comes with the package. */
  readonly isReplacing: boolean;
}

export interface Added {
  readonly manifest: AnyManifest;
  /** Of its kind, the model that is meant where nobody names one: this one only where it took the place of that one. */
  readonly defaultId: string;
}

/** Of the folder, beside what the manifest lists: nothing is decided by them, so nothing vouches for them. */
const companions = ['CARD.md', 'golden.json'];

/**
 * Most that an arm may differ where tiles meet, as a share of its largest value. The two arms of trace-1 differ by 0.0002 and 0;
 * with a halo one cell too narrow by 0.04 and 0.002.
 */
const largestSeam = 0.001;

/**
 * @throws {ForensicsError} `file_not_found`, `model_integrity` for a model that is damaged or does not answer as its
 * manifest says, `conflict` when its id is taken, `inference_*` when the trial run fails.
 */
export async function addModel({ from, into, isReplacing }: AddModel): Promise<Added> {
  const folder = folderOf(from);
  const { manifest, files } = await readModelFolder(folder);
  const place = join(into, manifest.id);
  await checkFree({ manifest, place, isReplacing });
  mkdirSync(into, { recursive: true, mode: 0o700 });
  // Beside its place, so that the last step is a rename; a name that no model can have.
  const staging = mkdtempSync(join(into, '.adding-'));
  try {
    const staged = join(staging, manifest.id);
    mkdirSync(staged, { mode: 0o700 });
    for (const [name, bytes] of files) writeFileSync(join(staged, name), bytes, { mode: 0o600 });
    copyCompanions(folder, staged);
    await tryOut(staging, manifest);
    if (isThere(place)) renameSync(place, join(staging, 'replaced'));
    renameSync(staged, place);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  const { entries } = await readInstalled(into, packagedDir);
  const first = entries.find((entry) => entry.manifest.type === manifest.type);
  return { manifest, defaultId: first?.manifest.id ?? manifest.id };
}

interface Wanted extends Pick<AddModel, 'isReplacing'> {
  readonly manifest: AnyManifest;
  readonly place: string;
}

/** @throws {ForensicsError} `conflict`. */
async function checkFree({ manifest, place, isReplacing }: Wanted): Promise<void> {
  const { id, type } = manifest;
  const { entries } = await readInstalled(null, packagedDir);
  const packaged = entries.find((entry) => entry.manifest.id === id);
  if (packaged && packaged.manifest.type !== type) {
    throw conflict(`Another kind of model has the id ${id}; give this one an id of its own.`);
  }
  if (isReplacing) return;
  if (packaged) {
    throw conflict(
      `The model ${id} comes with the package; give this one another id, or add --replace to use it in its place.`,
    );
  }
  if (isThere(place)) {
    throw conflict(
      `A model ${id} is installed already; add --replace to put this one in its place.`,
    );
  }
}

function copyCompanions(from: string, to: string): void {
  const present = companions.filter((name) => isFile(join(from, name)));
  for (const name of present) copyFileSync(join(from, name), join(to, name));
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
async function tryOut(modelsDir: string, manifest: AnyManifest): Promise<void> {
  const { id } = manifest;
  const sandbox = createSandbox({ modelsDir, poolSize: 1 });
  try {
    if (manifest.type === 'image') await tryInParts(sandbox, id);
    await tryOnPicture(sandbox, manifest);
  } catch (error) {
    const isItsFault = error instanceof ForensicsError && error.code === 'internal';
    throw isItsFault ? doesNotAnswer(id, error) : error;
  } finally {
    await sandbox.close();
  }
}

const source = { path: shippedTrialImage };

async function tryOnPicture(sandbox: Sandbox, { id, type }: AnyManifest): Promise<void> {
  const named = type === 'image' ? { model: id } : { model: null, locator: id };
  const options = { ...named, decisionStrategy: 'relaxed', seed: defaultSeed } as const;
  const { predictions } = await sandbox.examine({ source, options });
  if (!Object.values(predictions).every(Number.isFinite)) throw doesNotAnswer(id);
}

/** A localisation model is always shown the whole picture; an image model reads large ones in tiles. */
async function tryInParts(sandbox: Sandbox, id: string): Promise<void> {
  const { features, votes } = await sandbox.seams({ source, model: id });
  if (Number.isNaN(features) || Number.isNaN(votes)) throw doesNotAnswer(id);
  if (features > largestSeam) throw showsSeams(id, 'model.onnx', 'input.haloPx');
  if (votes !== null && votes > largestSeam) throw showsSeams(id, 'votes.onnx', 'votes.haloPx');
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function conflict(message: string): ForensicsError {
  return new ForensicsError('conflict', message);
}

function doesNotAnswer(id: string, cause?: Error): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `Model ${id} does not answer a picture with the numbers that its manifest promises; ask whoever made it. models/README.md tells what is promised, --verbose what is missing.`,
    { cause },
  );
}

function showsSeams(id: string, file: string, field: string): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `${file} of model ${id} says something else of a part of a picture than of the whole: it looks further than ${field} of its manifest tells, so that seams would show in large pictures; enlarge ${field}.`,
  );
}
