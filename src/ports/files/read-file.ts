/** Reads a file that the user named, up to a limit, with errors that explain the fix. */

import { readFile, stat } from 'node:fs/promises';
import { type ErrorCode, ForensicsError } from '../../errors.ts';
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

const noSuchFile = ['file_not_found', 'There is no such file.'] as const;
const notAllowed = [
  'file_not_readable',
  'You may not read this file; change its permissions.',
] as const;
const readFailures: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: noSuchFile,
  ENOTDIR: noSuchFile,
  ENAMETOOLONG: ['file_not_found', 'There is no such file: its name is too long.'],
  ELOOP: ['file_not_readable', 'This file cannot be read: it is a symbolic link in a loop.'],
  EACCES: notAllowed,
  EPERM: notAllowed,
  EISDIR: ['file_is_directory', 'This is a folder; name a file in it.'],
};

/**
 * Errors of the operating system about a file that is read, as our messages.
 *
 * @returns `file_not_found`, `file_not_readable`, `file_is_directory`; what does not come from the system as it is.
 */
export function toReadFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  const [name, message] = readFailures[code] ?? [
    'file_not_readable',
    `This file cannot be read (${code}); check the disk that it lies on.`,
  ];
  return new ForensicsError(name, message, { cause: error });
}
