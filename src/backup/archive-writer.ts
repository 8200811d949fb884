/** Writes a backup's archive from its first byte to its last: files as they come, their hashes, the manifest. */

import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ForensicsError } from '../errors.ts';
import { archiveEnd, encodeHead, isHoldable, paddingOf } from './entry-head.ts';
import { type Manifest, manifestText, names, sumLine } from './manifest.ts';

export interface ArchiveWriter {
  /** @throws {ForensicsError} `conflict` when the source is shorter or longer than it was said to be. */
  add(name: string, sizeBytes: number, source: AsyncIterable<Uint8Array>): Promise<void>;
  end(facts: Omit<Manifest, 'files' | 'bytes' | 'sums'>): Promise<Ended>;
}

export interface Ended {
  readonly manifest: Manifest;
  readonly manifestSha256: string;
}

/** @param at - the time that all entries bear. */
export function createArchiveWriter(handle: FileHandle, at: Date): ArchiveWriter {
  const seconds = Math.floor(at.getTime() / 1000);
  const sums: string[] = [];
  let bytes = 0;

  async function begin(name: string, sizeBytes: number): Promise<void> {
    if (!isHoldable(name)) throw new ForensicsError('output_not_writable', tooLong(name));
    await writeAll(handle, encodeHead({ name, sizeBytes, at: seconds }));
  }

  async function addText(name: string, text: string): Promise<string> {
    const content = Buffer.from(text);
    await begin(name, content.length);
    await writeAll(handle, content);
    await writeAll(handle, Buffer.alloc(paddingOf(content.length)));
    return createHash('sha256').update(content).digest('hex');
  }

  return {
    async add(name, sizeBytes, source) {
      await begin(name, sizeBytes);
      const sha256 = createHash('sha256');
      const written = await copy(handle, source, sha256);
      if (written !== sizeBytes) throw changed(name);
      await writeAll(handle, Buffer.alloc(paddingOf(sizeBytes)));
      sums.push(sumLine(sha256.digest('hex'), name));
      bytes += sizeBytes;
    },
    async end(facts) {
      const listed = await addText(names.sums, sums.join(''));
      const manifest = { ...facts, files: sums.length, bytes, sums: listed };
      const manifestSha256 = await addText(names.manifest, manifestText(manifest));
      await addText(names.manifestSum, sumLine(manifestSha256, names.manifest));
      await writeAll(handle, archiveEnd);
      return { manifest, manifestSha256 };
    },
  };
}

async function copy(
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  sha256: Hash,
): Promise<number> {
  let written = 0;
  for await (const block of source) {
    sha256.update(block);
    await writeAll(handle, block);
    written += block.length;
  }
  return written;
}

/** One `write` may take fewer bytes than it was given. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

function changed(name: string): ForensicsError {
  return new ForensicsError('conflict', `${name} was changed while it was read; try again.`);
}

function tooLong(name: string): string {
  return `A backup cannot hold a file with a name as long as that of ${name}; rename it.`;
}
