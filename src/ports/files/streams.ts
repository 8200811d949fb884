/** Reads streams of which the other end decides how much to send. */

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writing } from './files.ts';

/** All bytes; undefined if there are more than `maxBytes`, and then the rest is not read. */
export async function readUpTo(
  stream: AsyncIterable<unknown>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const bytes = await readStart(stream, maxBytes);
  return bytes.length > maxBytes ? undefined : bytes;
}

/** All bytes or, for a longer stream, slightly more than `maxBytes`; the rest is discarded by leaving the loop. */
export async function readStart(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    if (!(part instanceof Uint8Array)) throw new TypeError('Expected a stream of bytes.');
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(parts, size);
}

/**
 * Writes a stream to a file that exists only while it is open, so that nothing is left even after a crash. The caller
 * closes it.
 *
 * @throws {ForensicsError} `no_space_left`, `output_not_writable`; and whatever the stream throws.
 */
export async function spool(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  folder: string,
): Promise<FileHandle> {
  const path = join(folder, `.${randomUUID()}.spool`);
  return writing(async () => {
    const file = await open(path, 'wx+', 0o600);
    try {
      await rm(path);
      await file.writeFile(stream);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}
