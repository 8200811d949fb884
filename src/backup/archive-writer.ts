/** Writes the archive of a backup: a plain tar with the files as they come, their hashes, and the manifest at the end. */

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { ForensicsError } from '../errors.ts';
import { type Manifest, manifestText, names, sumLine } from './manifest.ts';

/** @throws {ForensicsError} `conflict` when the source is shorter or longer than `sizeBytes`. */
export type AddFile = (
  name: string,
  sizeBytes: number,
  source: AsyncIterable<Uint8Array>,
) => Promise<void>;

export interface WrittenArchive {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/**
 * @param path - a file that does not exist yet; it is flushed to the disk.
 * @param at - the modification time of every entry.
 * @param fill - adds the files and returns the facts for the manifest.
 */
export async function writeArchive(
  path: string,
  at: Date,
  fill: (add: AddFile) => Promise<Omit<Manifest, 'files' | 'bytes' | 'sums'>>,
): Promise<WrittenArchive> {
  const tar = pack();
  const written = pipeline(tar, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  const sums: string[] = [];
  let bytes = 0;

  async function write(name: string, size: number, source: AsyncIterable<Uint8Array>) {
    const sha256 = createHash('sha256');
    async function* hashed() {
      let read = 0;
      for await (const block of source) {
        sha256.update(block);
        read += block.length;
        yield block;
      }
      if (read === size) return;
      throw new ForensicsError('conflict', `${name} changed while it was read; try again.`);
    }
    await pipeline(hashed, tar.entry({ name, size, mode: 0o600, mtime: at, type: 'file' }));
    return sha256.digest('hex');
  }

  async function writeText(name: string, text: string): Promise<string> {
    const content = Buffer.from(text);
    return write(name, content.length, Readable.from([content]));
  }

  try {
    const facts = await fill(async (name, sizeBytes, source) => {
      sums.push(sumLine(await write(name, sizeBytes, source), name));
      bytes += sizeBytes;
    });
    const listed = await writeText(names.sums, sums.join(''));
    const manifest = { ...facts, files: sums.length, bytes, sums: listed };
    const manifestSha256 = await writeText(names.manifest, manifestText(manifest));
    await writeText(names.manifestSum, sumLine(manifestSha256, names.manifest));
    tar.finalize();
    await written;
    return { manifest, manifestSha256 };
  } catch (error) {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
    // Where the file could not be written, this throws the cause of what failed above.
    await written;
    throw error;
  }
}
