/** Writes files atomically: durable files that only their owner can read, and the output files of commands. */

import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { randomUUID } from 'node:crypto';
import { access, constants, link, lstat, rename, rm, writeFile, statfs } from 'node:fs/promises';
import { ForensicsError, configInvalid, conflict } from '../../errors.ts';
import { isFull, lacksLinks, systemCodeOf, toOutputFailure } from './system-errors.ts';

/** Creates a folder for such files. @throws {ForensicsError} `config_invalid`. */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw cannotWrite(error);
  }
}

/**
 * Returns false if the file already exists: of several processes that try at once, only one writes.
 * @throws {ForensicsError} `config_invalid`.
 */
export function writeOnce(file: string, content: string): boolean {
  return throughTemporary(file, content, (temporary) => {
    try {
      fs.linkSync(temporary, file);
      return true;
    } catch (error) {
      if (fs.existsSync(file)) return false;
      throw error;
    }
  });
}

/** Replaces the contents of a file. @throws {ForensicsError} `config_invalid`. */
export function replaceFile(file: string, content: string, mode = 0o600): void {
  throughTemporary(file, content, (temporary) => fs.renameSync(temporary, file), mode);
}

/** Makes the names in a folder survive a power cut: without the key, everything encrypted with it is worthless. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

/**
 * What to do about an error from writing to the data folder.
 * @returns `no_space_left`, `file_not_readable` if it belongs to another user, otherwise `config_invalid`.
 */
export function cannotWrite(
  cause: unknown,
  otherwise = 'The data folder cannot be written to; run this as the user who owns it, or choose another with --data-dir.',
): ForensicsError {
  const code = systemCodeOf(cause);
  if (isFull(code)) {
    const full = 'The disk that holds the data folder is full; free some space.';
    return new ForensicsError('no_space_left', full, { cause });
  }
  if (code === 'EROFS') return configInvalid(mountedReadOnly, { cause });
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  return new ForensicsError(isForbidden ? 'file_not_readable' : 'config_invalid', otherwise, {
    cause,
  });
}

const mountedReadOnly =
  'The disk that holds the data folder is mounted read-only; mount it for writing, or choose another data folder with --data-dir.';

function throughTemporary<T>(
  file: string,
  content: string,
  put: (temporary: string) => T,
  mode = 0o600,
): T {
  const temporary = `${file}.${process.pid}.new`;
  try {
    fs.writeFileSync(temporary, content, { mode, flush: true });
    const done = put(temporary);
    syncFolder(dirname(file));
    return done;
  } catch (error) {
    throw cannotWrite(error);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/**
 * Creates a folder that the user specified, with any missing parents. An existing folder is left as it is.
 *
 * Does not use `mkdir` with `recursive`, because Node.js 24 retries forever if the file system rejects a new entry with
 * ENOENT, as /proc does.
 *
 * @throws the file system's error, with its `code`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    fs.mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

interface Force {
  readonly force: boolean;
}

/**
 * Checks the path before the work begins.
 *
 * @throws {ForensicsError} `conflict` if `path` exists and may not be replaced, `output_not_writable` when its folder
 *   is not a folder.
 */
export async function checkFree(path: string, { force }: Force): Promise<void> {
  await access(dirname(resolve(path)), constants.W_OK).catch((error: unknown) => {
    throw toOutputFailure(error);
  });
  const found = await lstat(path).catch(() => null);
  if (found !== null && !(force && found.isFile())) throw alreadyExists(path, force);
}

/**
 * @param bytes - the whole content, or pieces of it as they are produced.
 * @throws {ForensicsError} `conflict`, `no_space_left`, `output_not_writable`, and whatever the pieces throw; no file
 *   is left behind.
 */
export async function writeWholeFile(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { force }: Force,
): Promise<void> {
  const temporary = join(dirname(path), `.forensics-${randomUUID()}.new`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', flush: true });
    await putInPlace(temporary, path, { force });
  } catch (error) {
    throw toOutputFailure(error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives a finished file its name; its temporary name may remain as a second link. */
async function putInPlace(temporary: string, path: string, { force }: Force): Promise<void> {
  try {
    if (force) await rename(temporary, path);
    else if (!(await linkUnlessTaken(temporary, path))) throw alreadyExists(path, force);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw alreadyExists(path, force);
    throw toOutputFailure(error);
  }
}

/**
 * Gives a finished file a name, if the name is still free. Uses a link, because a rename would replace a file that
 * another process wrote in the meantime.
 *
 * @returns false if the name is taken.
 */
export async function linkUnlessTaken(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    if (!lacksLinks(systemCodeOf(error))) throw error;
    if ((await lstat(path).catch(() => null)) !== null) return false;
    await rename(temporary, path);
    return true;
  }
}

function alreadyExists(path: string, force: boolean): ForensicsError {
  const what = force ? 'exists and is not a file' : 'already exists; add --force to replace it';
  return conflict(`${path} ${what}, or choose another name.`);
}

// Space for directories, headers and the growth of the database, in addition to the files.
const reserveBytes = 16 * 1024 * 1024;

/** @throws {ForensicsError} `no_space_left` if fewer than `bytes` are free on the disk of `folder`. */
export async function requireFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder, { bigint: true });
  const free = Number(bavail * bsize);
  if (free >= bytes + reserveBytes) return;
  throw new ForensicsError(
    'no_space_left',
    `${megabytes(bytes + reserveBytes)} MB are needed and ${megabytes(free)} MB are free; free some space, or choose another place.`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}
