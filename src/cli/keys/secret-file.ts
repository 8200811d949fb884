/** A secret that goes into a file instead of onto the screen. */

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from '../system-code.ts';

/**
 * Writes what `secretOf` picks from the outcome of `act` into a new file that only its owner may read. The file is
 * made first: an act that cannot be repeated is not done for a file that cannot be written.
 *
 * @throws {ForensicsError} `conflict` when the file exists, `output_not_writable`, and what `act` throws.
 */
export async function intoSecretFile<T>(
  path: string,
  act: () => Promise<T>,
  secretOf: (outcome: T) => string,
): Promise<T> {
  const file = await openNew(path);
  try {
    const outcome = await act();
    await file.writeFile(`${secretOf(outcome)}\n`);
    return outcome;
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') {
      const message = 'The file of --out exists; remove it or name another.';
      throw new ForensicsError('conflict', message, { cause: error });
    }
    const message = 'The file of --out cannot be written; name one in a folder that is yours.';
    throw new ForensicsError('output_not_writable', message, { cause: error });
  }
}
