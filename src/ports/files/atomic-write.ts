/** Writes files atomically and durably, accessible only to their owner. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { isFull, systemCodeOf } from './system-errors.ts';

/** Creates a folder for such files. @throws {ForensicsError} `config_invalid`. */
export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw cannotWrite(error);
  }
}

/**
 * Returns false if the file already exists: if several processes try at once, one writes. @throws {ForensicsError}
 * `config_invalid`.
 */
export function writeOnce(file: string, content: string): boolean {
  return throughTemporary(file, content, (temporary) => {
    try {
      linkSync(temporary, file);
      return true;
    } catch (error) {
      if (existsSync(file)) return false;
      throw error;
    }
  });
}

/** Replaces the contents of a file. @throws {ForensicsError} `config_invalid`. */
export function replaceFile(file: string, content: string, mode = 0o600): void {
  throughTemporary(file, content, (temporary) => renameSync(temporary, file), mode);
}

/** Makes the names in a folder survive a power cut: losing a key would make everything encrypted with it worthless. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * What to do about an error from writing to the data folder. @returns `no_space_left`, `file_not_readable` if it
 * belongs to another user, `config_invalid`.
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
  if (code === 'EROFS') return new ForensicsError('config_invalid', mountedReadOnly, { cause });
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
    writeFileSync(temporary, content, { mode, flush: true });
    const done = put(temporary);
    syncFolder(dirname(file));
    return done;
  } catch (error) {
    throw cannotWrite(error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Creates a folder given by the user, and its missing parents. An existing folder is left as it is.
 *
 * Does not use `mkdir` with `recursive`: if the file system rejects a new entry with ENOENT, as /proc does, Node.js 24
 * retries forever.
 *
 * @throws the file system's error, with its `code`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in between.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
