import { statfs } from 'node:fs/promises';
import { ForensicsError } from '../../errors.ts';

// Space for directories, headers and the database's own growth besides the files.
const reserveBytes = 16 * 1024 * 1024;

/** @throws {ForensicsError} `no_space_left` if the disk of `folder` has fewer than `bytes` free. */
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
