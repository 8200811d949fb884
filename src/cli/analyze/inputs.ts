/**
 * From the arguments to the pictures they name. What cannot be taken becomes a failure beside the others, so that one
 * bad argument never stops the rest. Whether the bytes are a picture is for the lab to say.
 */

import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import { access, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ForensicsError } from '../../errors.ts';
import { defaultLimits } from '../../image/limits.ts';
import type { PictureSource } from '../../lab/lab.ts';
import { systemCodeOf } from '../system-code.ts';

/** `label` is what the user called it. `path` null stands for standard input. */
export interface Input {
  readonly label: string;
  readonly path: string | null;
  readonly failure: ForensicsError | null;
}

export interface GatherOptions {
  readonly recursive: boolean;
  /** A folder that is never looked into: the one that results are written to. */
  readonly exceptDir: string | null;
}

const pictureName = /\.(?:jpe?g|png)$/i;

/** In the order of the arguments; the files of a folder by name, folders below it in their place. */
export async function gatherInputs(
  args: readonly string[],
  { recursive, exceptDir }: GatherOptions,
): Promise<readonly Input[]> {
  const except = exceptDir === null ? null : await realpath(exceptDir).catch(() => null);
  const inputs: Input[] = [];
  for (const label of args) {
    if (label === '-') inputs.push({ label, path: null, failure: null });
    else inputs.push(...(await inputsOf(label, recursive, except)));
  }
  return inputs;
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `image_too_many_bytes`. */
export async function openSource(input: Input): Promise<PictureSource> {
  if (input.failure) throw input.failure;
  if (input.path === null) return { bytes: await readUpTo(process.stdin, defaultLimits.maxBytes) };
  const { path } = input;
  return attempt(async () => {
    await access(path, constants.R_OK);
    // A pipe can be read only once and has no size: `<(curl ...)` is read here, a file by the child that decodes it.
    if ((await stat(path)).isFile()) return { path };
    const file = await open(path, 'r');
    return { bytes: await readUpTo(file.createReadStream(), defaultLimits.maxBytes) };
  });
}

/** The same, read here: whoever signs what was examined must hold the very bytes. @throws as `openSource`. */
export async function readSource(input: Input): Promise<Exclude<PictureSource, { path: string }>> {
  const source = await openSource(input);
  if ('bytes' in source) return source;
  const { path } = source;
  return attempt(async () => {
    const file = await open(path, 'r');
    const bytes = await readUpTo(file.createReadStream(), defaultLimits.maxBytes);
    return { bytes, name: basename(path) };
  });
}

async function inputsOf(
  label: string,
  recursive: boolean,
  except: string | null,
): Promise<readonly Input[]> {
  try {
    const found = await attempt(() => stat(label));
    if (!found.isDirectory()) return [{ label, path: label, failure: null }];
    if (!recursive) throw isDirectory();
    const seen = new Set(except === null ? [] : [except]);
    const inputs = await picturesBelow(label, seen);
    if (inputs.length === 0) throw noPicture();
    return inputs;
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    return [{ label, path: label, failure: error }];
  }
}

/** `seen` holds the real paths of folders: a link back up the tree is followed once at most. */
async function picturesBelow(dir: string, seen: Set<string>): Promise<readonly Input[]> {
  const real = await attempt(() => realpath(dir));
  if (seen.has(real)) return [];
  seen.add(real);
  const names = (await attempt(() => readdir(dir)))
    .filter((name) => !name.startsWith('.'))
    .toSorted();
  const inputs: Input[] = [];
  for (const name of names) {
    const path = join(dir, name);
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) inputs.push(...(await below(path, seen)));
    else if (isPicture(name, found)) inputs.push({ label: path, path, failure: null });
  }
  return inputs;
}

/** A link that leads nowhere is kept when it is called a picture: the user wants to hear of it. */
function isPicture(name: string, found: Stats | null): boolean {
  return pictureName.test(name) && (found === null || found.isFile());
}

async function below(path: string, seen: Set<string>): Promise<readonly Input[]> {
  try {
    return await picturesBelow(path, seen);
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    return [{ label: path, path, failure: error }];
  }
}

async function readUpTo(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size > maxBytes) throw tooManyBytes(maxBytes);
  }
  return Buffer.concat(parts);
}

async function attempt<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toFileFailure(error);
  }
}

/** What the operating system says about a file, in our words. */
export function toFileFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    return new ForensicsError('file_not_found', 'There is no such file.', { cause: error });
  }
  if (code === 'EISDIR') return isDirectory();
  const why = code === 'ELOOP' ? 'it is a symbolic link in a loop' : `the system says ${code}`;
  const message =
    code === 'EACCES' || code === 'EPERM'
      ? 'You are not allowed to read this file.'
      : `This file cannot be read: ${why}.`;
  return new ForensicsError('file_not_readable', message, { cause: error });
}

function isDirectory(): ForensicsError {
  return new ForensicsError(
    'file_is_directory',
    'This is a folder; add --recursive to take its pictures.',
  );
}

function noPicture(): ForensicsError {
  return new ForensicsError(
    'file_not_found',
    'There is no .jpg, .jpeg or .png file in this folder.',
  );
}

function tooManyBytes(maxBytes: number): ForensicsError {
  const megabytes = Math.floor(maxBytes / 1e6);
  return new ForensicsError(
    'image_too_many_bytes',
    `The file has more than ${megabytes} MB; that is the most that can be examined.`,
  );
}
