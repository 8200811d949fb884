/**
 * From the arguments to the pictures they name, one after the other: of folders only the names of those on the way down
 * are held. What cannot be taken becomes a failure beside the others, so that one bad argument never stops the rest.
 */

import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { attempt, type Input, isDirectory } from './inputs.ts';

export interface WalkOptions {
  readonly recursive: boolean;
  /** A folder that is never looked into: the one that results are written to. */
  readonly exceptDir: string | null;
}

interface Walk extends WalkOptions {
  /** Paths that are arguments themselves: a folder that holds one leaves it to its own turn. */
  readonly named: ReadonlySet<string>;
  readonly seen: Set<string>;
}

/**
 * In the order of the arguments; the files of a folder by name, folders below it in their place. A path that is named
 * twice is taken once.
 */
export async function* walkInputs(
  args: readonly string[],
  options: WalkOptions,
): AsyncGenerator<Input> {
  const named = new Set(args.map((arg) => resolve(arg)));
  const walk: Walk = { ...options, named, seen: new Set() };
  const left = new Set(named);
  for (const label of args) {
    if (label === '-') yield { label, path: null, failure: null };
    else if (left.delete(resolve(label))) yield* inputsOf(label, walk);
  }
}

async function* inputsOf(label: string, walk: Walk): AsyncGenerator<Input> {
  try {
    const found = await attempt(() => stat(label));
    if (found.isDirectory()) yield* inputsOfFolder(label, walk);
    else yield { label, path: label, failure: null };
  } catch (error) {
    yield failedInput(label, error);
  }
}

async function* inputsOfFolder(dir: string, walk: Walk): AsyncGenerator<Input> {
  const { recursive, exceptDir, named, seen } = walk;
  if (!recursive) throw isDirectory();
  // It lies in another one that was named before.
  if (seen.has(await attempt(() => realpath(dir)))) return;
  let isEmpty = true;
  for await (const input of picturesBelow(dir, { isDeep: true, exceptDir, seen })) {
    isEmpty = false;
    if (!named.has(resolve(input.label))) yield input;
  }
  if (isEmpty) throw noPicture();
}

export interface BelowOptions {
  /** Whether folders below are taken too. */
  readonly isDeep: boolean;
  readonly exceptDir: string | null;
  /** Real paths of folders, added to: a link back up the tree is followed once at most. */
  readonly seen: Set<string>;
}

/** Hidden files and folders are left out. @throws {ForensicsError} `file_*` for `dir` itself. */
export async function* picturesBelow(dir: string, options: BelowOptions): AsyncGenerator<Input> {
  const { exceptDir, seen, isDeep } = options;
  const real = await attempt(() => realpath(dir));
  const isExcepted = exceptDir !== null && real === (await realpath(exceptDir).catch(() => null));
  if (isExcepted || seen.has(real)) return;
  seen.add(real);
  const names = (await attempt(() => readdir(dir))).filter((name) => !name.startsWith('.'));
  for (const name of names.toSorted()) {
    const path = join(dir, name);
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that nothing is held
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) {
      if (isDeep) yield* folderBelow(path, options);
    } else if (isPicture(name, found)) yield { label: path, path, failure: null };
  }
}

const pictureName = /\.(?:jpe?g|png)$/i;

/** A link that leads nowhere is kept when it is called a picture: the user wants to hear of it. */
function isPicture(name: string, found: Stats | null): boolean {
  return pictureName.test(name) && (found === null || found.isFile());
}

/** One that may not be read is one failure, and the walk goes on. */
async function* folderBelow(dir: string, options: BelowOptions): AsyncGenerator<Input> {
  try {
    yield* picturesBelow(dir, options);
  } catch (error) {
    yield failedInput(dir, error);
  }
}

function failedInput(label: string, error: unknown): Input {
  if (!(error instanceof ForensicsError)) throw error;
  return { label, path: label, failure: error };
}

function noPicture(): ForensicsError {
  return new ForensicsError(
    'file_not_found',
    'There is no .jpg, .jpeg or .png file in this folder.',
  );
}
