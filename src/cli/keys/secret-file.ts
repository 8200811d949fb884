/** A secret that goes into a file instead of onto the screen. */

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { ForensicsError } from '../../errors.ts';
import { isFull, systemCodeOf } from '../../errors/system-code.ts';

export interface SecretFile {
  /** On the disk when it returns. @throws {ForensicsError} `no_space_left`, `output_not_writable`. */
  write(secret: string): Promise<void>;
  /** Removes it. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A new file that only its owner may read. It is made before the secret is: what cannot be repeated is not done for a file
 * that cannot be written.
 *
 * @throws {ForensicsError} `conflict` when the file exists, `output_not_writable`.
 */
export async function openSecretFile(path: string): Promise<SecretFile> {
  const file = await openNew(path);
  return {
    async write(secret) {
      try {
        await file.writeFile(`${secret}\n`);
        await file.sync();
      } catch (error) {
        throw toWriteFailure(error);
      }
    },
    discard: async () => unlink(path),
    close: async () => file.close(),
  };
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

function toWriteFailure(error: unknown): ForensicsError {
  return isFull(systemCodeOf(error))
    ? new ForensicsError('no_space_left', 'There is no room for the file of --out.', {
        cause: error,
      })
    : new ForensicsError('output_not_writable', 'The file of --out cannot be written.', {
        cause: error,
      });
}
