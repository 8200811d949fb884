/** Room on a disk, and what the file system says when it refuses. */

import { statfs } from 'node:fs/promises';
import { ForensicsError } from '../errors.ts';
import { isFull, reasonOf, systemCodeOf } from '../errors/system-code.ts';

// What directories, heads and the database's own growth take beside the files.
const reserveBytes = 16 * 1024 * 1024;

/** @throws {ForensicsError} `no_space_left` when fewer than so many bytes are free where `folder` lies. */
export async function needSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder, { bigint: true });
  const free = Number(bavail * bsize);
  if (free >= bytes + reserveBytes) return;
  throw new ForensicsError(
    'no_space_left',
    `${megabytes(bytes + reserveBytes)} MB are needed and ${megabytes(free)} MB are free; make room, or choose another place.`,
  );
}

/** Ours pass as they are; `place` is what cannot be written to, as it begins a sentence. */
export function toDiskError(error: unknown, place: string): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  if (isFull(code)) {
    return new ForensicsError('no_space_left', `${place} is full; make room.`, { cause: error });
  }
  return new ForensicsError(
    'output_not_writable',
    `${place} cannot be used (${reasonOf(code)}); choose another, or mend that.`,
    { cause: error },
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}
