/** Reads and writes files, private durable ones and output, both atomically; translates the system's errors. */

import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { conflict, failure, ForensicsError } from '../../contract/errors.ts';
import { isKeyOf } from '../../contract/vocabulary.ts';

/** Creates a folder for files that only their owner can read. @throws {ForensicsError} as `cannotWrite` returns. */
export function makePrivateFolder(path: string, otherwise?: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw cannotWrite(error, otherwise);
  }
}

/** False if the file exists: of several processes, only one writes. @throws {ForensicsError} `config_invalid`. */
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

/** @returns `no_space_left`, `file_not_readable` if it is another user's or read-only, otherwise `config_invalid`. */
export function cannotWrite(
  cause: unknown,
  otherwise = 'The data folder cannot be written to; run this as the user who owns it, or choose another with --data-dir.',
): ForensicsError {
  const code = systemCodeOf(cause);
  if (isFull(code)) {
    const full = 'The disk that holds the data folder is full; free some space.';
    return new ForensicsError('no_space_left', full, { cause });
  }
  if (code === 'EROFS') return new ForensicsError('file_not_readable', mountedReadOnly, { cause });
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  const kind = isForbidden ? 'file_not_readable' : 'config_invalid';
  return new ForensicsError(kind, otherwise, { cause });
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

/** @throws {ForensicsError} `conflict` if it may not be replaced, `output_not_writable` without its folder. */
export async function checkFree(path: string, { force }: Force): Promise<void> {
  await fs.promises.access(dirname(resolve(path)), fs.constants.W_OK).catch((error: unknown) => {
    throw toOutputFailure(error);
  });
  const found = await fs.promises.lstat(path).catch(() => null);
  if (found !== null && !(force && found.isFile())) throw alreadyExists(path, force);
}

/** @throws {ForensicsError} `conflict`, `no_space_left`, `output_not_writable`; then no file is left. */
export async function writeWholeFile(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { force }: Force,
): Promise<void> {
  const temporary = join(dirname(path), `.forensics-${randomUUID()}.new`);
  try {
    await fs.promises.writeFile(temporary, bytes, { flag: 'wx', flush: true });
    if (force) await fs.promises.rename(temporary, path);
    else if (!(await linkUnlessTaken(temporary, path))) throw alreadyExists(path, force);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw alreadyExists(path, force);
    throw toOutputFailure(error);
  } finally {
    await fs.promises.rm(temporary, { force: true });
  }
}

/** By a link, because a rename would replace a file that another process wrote. @returns false if the name is taken. */
export async function linkUnlessTaken(temporary: string, path: string): Promise<boolean> {
  try {
    await fs.promises.link(temporary, path);
    return true;
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    if (code === 'EEXIST') return false;
    // Otherwise, the file system lacks links, as on USB sticks and some network shares.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    if ((await fs.promises.lstat(path).catch(() => null)) !== null) return false;
    await fs.promises.rename(temporary, path);
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
  const { bavail, bsize } = await fs.promises.statfs(folder, { bigint: true });
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

/** The operating system's error code (`ENOENT`, `EACCES`, ...), or null for any other error. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error || 'errno' in error)) return null;
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'something else has this name',
  EISDIR: 'it is a folder',
  EACCES: 'you do not have permission to write there',
  EPERM: 'you do not have permission to write there',
  EROFS: 'it is read-only',
  ENAMETOOLONG: 'its name is too long',
};

/** Why nothing can be written to a path: the code and, if known, its meaning. */
export function reasonOf(code: string): string {
  const reason = reasons[code];
  return reason === undefined ? code : `${code}: ${reason}`;
}

/** To users, a full disk, a quota of the system and a size limit are all the same: the data does not fit. */
export function isFull(code: string | null): boolean {
  return code !== null && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
}

/** The result of `act`, or null if the file does not exist. */
export async function unlessMissing<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Translates an error from writing a file. @returns `no_space_left` or `output_not_writable`; other errors unchanged. */
export function toOutputFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  if (isFull(code)) return failure('disk_full', {}, { cause: error });
  return new ForensicsError(
    'output_not_writable',
    `The output location cannot be written to (${reasonOf(code)}); choose another.`,
    { cause: error },
  );
}

/** @throws {ForensicsError} `no_space_left`, `output_not_writable`; other errors of `act` unchanged. */
export async function writing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toOutputFailure(error);
  }
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `file_is_directory`, `bundle_unreadable`. */
export async function readFileUpTo(path: string, maxBytes: number): Promise<Uint8Array> {
  await requireFileUpTo(path, maxBytes);
  return fs.promises.readFile(path).catch((error: unknown) => {
    throw toReadFailure(error);
  });
}

/** @throws {ForensicsError} as `readFileUpTo`. */
export async function requireFileUpTo(path: string, maxBytes: number): Promise<void> {
  // Checked before opening, because opening a pipe would wait for a writer, and reading a device would never end.
  const found = await fs.promises.stat(path).catch((error: unknown) => {
    throw toReadFailure(error);
  });
  if (found.isDirectory()) {
    throw new ForensicsError('file_is_directory', 'This is a folder; specify a file.');
  }
  if (!found.isFile()) {
    throw new ForensicsError('file_not_readable', 'This is a device or pipe; save it to a file.');
  }
  if (found.size > maxBytes) {
    const most =
      maxBytes < 1e6 ? `${Math.floor(maxBytes / 1e3)} kB` : `${Math.floor(maxBytes / 1e6)} MB`;
    throw new ForensicsError('bundle_unreadable', `The file is larger than ${most}.`);
  }
}

const readFailures = {
  ENOENT: 'no_such_file',
  ENOTDIR: 'no_such_file',
  ENAMETOOLONG: 'name_too_long',
  ELOOP: 'link_loop',
  EACCES: 'not_allowed',
  EPERM: 'not_allowed',
  EISDIR: 'folder',
} as const;

/** @returns `file_not_found`, `file_not_readable`, `file_is_directory`; other errors unchanged. */
export function toReadFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  const options = { cause: error };
  return isKeyOf(readFailures, code)
    ? failure(readFailures[code], {}, options)
    : failure('not_readable', { code }, options);
}

// Streams of which the other end decides how much to send.

/** All bytes; undefined if there are more than `maxBytes`, and then the rest is not read. */
export async function readUpTo(
  stream: AsyncIterable<unknown>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const bytes = await readStart(stream, maxBytes);
  return bytes.length > maxBytes ? undefined : bytes;
}

/** All bytes or, for a longer stream, slightly more than `maxBytes`; the rest is discarded by leaving the loop. */
export async function readStart(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    if (!(part instanceof Uint8Array)) throw new TypeError('Expected a stream of bytes.');
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(parts, size);
}

/**
 * Writes a stream to a file that exists only while it is open, so that nothing is left even after a crash. The caller
 * closes it.
 *
 * @throws {ForensicsError} `no_space_left`, `output_not_writable`; and whatever the stream throws.
 */
export async function spool(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  folder: string,
): Promise<fs.promises.FileHandle> {
  const path = join(folder, `.${randomUUID()}.spool`);
  return writing(async () => {
    const file = await fs.promises.open(path, 'wx+', 0o600);
    try {
      await fs.promises.rm(path);
      await file.writeFile(stream);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}
