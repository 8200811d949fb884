/** Files that appear whole or not at all, for their owner's eyes alone, and that outlive a power cut. */

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

/** A folder for such files. @throws {ForensicsError} `config_invalid`. */
export function makeOwnFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw cannotWrite(error);
  }
}

/** False when the file is there already: of several processes at once, one writes. @throws {ForensicsError} `config_invalid`. */
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

/** Puts other content in the place of a file. @throws {ForensicsError} `config_invalid`. */
export function replaceFile(file: string, content: string, mode = 0o600): void {
  throughTemporary(file, content, (temporary) => renameSync(temporary, file), mode);
}

/** The names in a folder survive a power cut: a key that is lost makes everything worthless that was made with it. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export function cannotWrite(cause: unknown): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    'The data folder cannot be written to; choose another with --data-dir.',
    { cause },
  );
}

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
 * Makes a folder that a person named, and its parents where they are missing. A folder that exists stays as it is.
 *
 * Not `mkdir` with `recursive`: where the file system refuses a new entry with ENOENT, as /proc does, Node.js 24 tries
 * for ever.
 *
 * @throws the error of the file system, with its `code`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it in between.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
