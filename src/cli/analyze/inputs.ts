/** One picture as it was named, and how its bytes are reached. Whether they are a picture is for the sandbox to say. */

import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from '../../files/system-errors.ts';
import { defaultLimits } from '../../image/picture.ts';
import type { PictureSource } from '../../sandbox/sandbox.ts';

/** `label` is what the user called it. `path` null stands for standard input. */
export interface Input {
  readonly label: string;
  readonly path: string | null;
  readonly failure: ForensicsError | null;
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

/** What the operating system says comes out in our words. */
export async function attempt<T>(act: () => Promise<T>): Promise<T> {
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

export function isDirectory(): ForensicsError {
  return new ForensicsError(
    'file_is_directory',
    'This is a folder; add --recursive to take its pictures.',
  );
}

function tooManyBytes(maxBytes: number): ForensicsError {
  const megabytes = Math.floor(maxBytes / 1e6);
  return new ForensicsError(
    'image_too_many_bytes',
    `The file has more than ${megabytes} MB; that is the most that can be examined.`,
  );
}
