/** Translates the operating system's errors in reading and writing files. */

import { readFile, stat } from 'node:fs/promises';
import { failure } from '../../contract/failure-reasons.ts';
import { isKeyOf } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';

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

/** Whether a failed link means that the file system lacks links, as on USB sticks and some network shares. */
export function lacksLinks(code: string | null): boolean {
  return code !== null && ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code);
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

/**
 * @throws {ForensicsError} `file_not_found`, `file_not_readable`, `file_is_directory`, `bundle_unreadable` if too
 *   large.
 */
export async function readFileUpTo(path: string, maxBytes: number): Promise<Uint8Array> {
  await requireFileUpTo(path, maxBytes);
  return readFile(path).catch((error: unknown) => {
    throw toReadFailure(error);
  });
}

/** @throws {ForensicsError} as `readFileUpTo`. */
export async function requireFileUpTo(path: string, maxBytes: number): Promise<void> {
  // Checked before opening, because opening a pipe would wait for a writer, and reading a device would never end.
  const found = await stat(path).catch((error: unknown) => {
    throw toReadFailure(error);
  });
  if (found.isDirectory()) {
    throw new ForensicsError('file_is_directory', 'This is a folder; specify the zip file.');
  }
  if (!found.isFile()) {
    throw new ForensicsError('file_not_readable', 'This is a device or pipe; save it to a file.');
  }
  if (found.size > maxBytes) {
    const most = Math.floor(maxBytes / 1e6);
    throw new ForensicsError('bundle_unreadable', `The file is larger than ${most} MB.`);
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

/**
 * Translates an error from reading a file.
 *
 * @returns `file_not_found`, `file_not_readable`, `file_is_directory`; other errors unchanged.
 */
export function toReadFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  const options = { cause: error };
  return isKeyOf(readFailures, code)
    ? failure(readFailures[code], {}, options)
    : failure('not_readable', { code }, options);
}
