/** Reads a file that the user named, up to a limit, with errors that explain the fix. */

import { readFile, stat } from 'node:fs/promises';
import { failure } from '../../contract/failure-reasons.ts';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from './system-errors.ts';

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

const readFailures = {
  ENOENT: 'no_such_file',
  ENOTDIR: 'no_such_file',
  ENAMETOOLONG: 'name_too_long',
  ELOOP: 'link_loop',
  EACCES: 'not_allowed',
  EPERM: 'not_allowed',
  EISDIR: 'folder',
} as const;

function isKnown(code: string): code is keyof typeof readFailures {
  return Object.hasOwn(readFailures, code);
}

/**
 * Errors of the operating system about a file that is read, as our messages.
 *
 * @returns `file_not_found`, `file_not_readable`, `file_is_directory`; what does not come from the system as it is.
 */
export function toReadFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  const options = { cause: error };
  return isKnown(code)
    ? failure(readFailures[code], {}, options)
    : failure('not_readable', { code }, options);
}
