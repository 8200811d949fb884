/** Reads a file that somebody named, up to a limit, with errors that say what to do. */

import { readFile, stat } from 'node:fs/promises';
import { ForensicsError } from '../errors.ts';
import { toReadFailure } from './system-errors.ts';

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`, `file_is_directory`, `bundle_unreadable` when too large. */
export async function readFileUpTo(path: string, maxBytes: number): Promise<Uint8Array> {
  // Looked at before it is opened: opening a pipe would wait for a writer, reading a disk would never end.
  const found = await stat(path).catch((error: unknown) => {
    throw toReadFailure(error);
  });
  if (found.isDirectory()) {
    throw new ForensicsError('file_is_directory', 'This is a folder; name the zip file.');
  }
  if (!found.isFile()) {
    throw new ForensicsError('file_not_readable', 'This is a device or pipe; save it to a file.');
  }
  if (found.size > maxBytes) {
    const most = Math.floor(maxBytes / 1e6);
    throw new ForensicsError('bundle_unreadable', `The file has more than ${most} MB.`);
  }
  return readFile(path).catch((error: unknown) => {
    throw toReadFailure(error);
  });
}
