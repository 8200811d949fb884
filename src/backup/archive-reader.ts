/**
 * Reads a backup's archive from its first byte to its last and compares each with what was written: heads and gaps are
 * written again in thought, contents have their hashes, the list of hashes has its own in the manifest, and the manifest has
 * one behind it. What was read is handed on while it is read, so nobody may rely on it before the end.
 */

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { ForensicsError } from '../errors.ts';
import { systemCodeOf } from '../errors/system-code.ts';
import { archiveEnd, blockBytes, decodeHead, type EntryHead, paddingOf } from './entry-head.ts';
import { names } from './manifest.ts';
import { type Archive, judgeRecords, type Records } from './records.ts';

/** Takes the content of one file. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  /** All of it came. */
  end(): Promise<void>;
  /** Called in any case. */
  close(): Promise<void>;
}

export interface ReadHow {
  /** Null for what nobody needs. */
  readonly sinkFor?: (name: string) => Promise<Sink | null>;
  /** Hears how many of how many bytes were read, and ends it by throwing. */
  readonly onProgress?: (doneBytes: number, allBytes: number) => void;
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`; `backup_unreadable` when it never was a backup. */
export async function readArchive(file: string, how: ReadHow = {}): Promise<Archive> {
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    const records: Records = { files: new Map(), hashes: new Map(), texts: new Map(), at: null };
    const fault = await walk({ handle, size, how }, records);
    return judgeRecords(records, fault);
  } finally {
    await handle.close();
  }
}

interface Walk {
  readonly handle: FileHandle;
  readonly size: number;
  readonly how: ReadHow;
}

/** @returns what ended it early, or null for an end as it should be. */
async function walk(walking: Walk, records: Records): Promise<string | null> {
  let offset = 0;
  let before = 'the beginning';
  while (true) {
    const block = await readBlock(walking.handle, offset, blockBytes);
    if (block.length < blockBytes) return tooShort(offset, before);
    const head = decodeHead(block);
    if (offset === 0 && head?.name !== names.database) refuseUnlessOurs(block);
    if (head === null) {
      const isEnd = block.equals(archiveEnd.subarray(blockBytes));
      return isEnd ? judgeEnd(walking, offset, before) : `The bytes after ${before} are damaged.`;
    }
    if (head.at !== (records.at ?? head.at)) return `The time of ${head.name} was changed.`;
    if (records.hashes.has(head.name)) return `${head.name} is in it twice.`;
    records.at = head.at;
    const fault = await readContent(walking, { ...head, offset: offset + blockBytes }, records);
    if (fault !== null) return fault;
    offset += blockBytes + head.sizeBytes + paddingOf(head.sizeBytes);
    before = head.name;
  }
}

// Held in memory while the rest is read; a list of two million hashes is shorter.
const mostOwnBytes = 400_000_000;

async function readContent(
  { handle, size, how }: Walk,
  { name, sizeBytes, offset }: EntryHead & { readonly offset: number },
  { files, hashes, texts }: Records,
): Promise<string | null> {
  const end = offset + sizeBytes;
  if (end > size) return `It ends in the middle of ${name}.`;
  const isOwn = name === names.sums || name === names.manifest || name === names.manifestSum;
  if (isOwn && sizeBytes > mostOwnBytes) return `${name} is longer than any.`;
  const sink = isOwn ? textSink(name, texts) : ((await how.sinkFor?.(name)) ?? null);
  const sha256 = createHash('sha256');
  let done = offset;
  try {
    for await (const bytes of blocksOf(handle, offset, end)) {
      sha256.update(bytes);
      await sink?.write(bytes);
      how.onProgress?.((done += bytes.length), size);
    }
    await sink?.end();
  } finally {
    await sink?.close();
  }
  hashes.set(name, sha256.digest('hex'));
  if (!isOwn) files.set(name, sizeBytes);
  const padding = await readBlock(handle, end, paddingOf(sizeBytes));
  return padding.every((byte) => byte === 0) ? null : `The bytes after ${name} are damaged.`;
}

const pieceBytes = 1 << 20;

/** @throws {ForensicsError} `backup_damaged` when the file became shorter meanwhile. */
async function* blocksOf(handle: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const bytes = await readBlock(handle, at, Math.min(pieceBytes, to - at));
    if (bytes.length === 0) {
      throw new ForensicsError('backup_damaged', 'The backup became shorter while it was read.');
    }
    yield bytes;
    at += bytes.length;
  }
}

/** Shorter than `length` only where the file ends. */
async function readBlock(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const block = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(block, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return block.subarray(0, filled);
}

async function judgeEnd({ handle, size }: Walk, offset: number, before: string) {
  if (size < offset + archiveEnd.length) return tooShort(offset, before);
  if (size > offset + archiveEnd.length) return 'Something was added behind its end.';
  const end = await readBlock(handle, offset, archiveEnd.length);
  return end.equals(archiveEnd) ? null : `The bytes after ${before} are damaged.`;
}

/** A single changed byte makes no stranger of a backup. */
function refuseUnlessOurs(block: Buffer): void {
  const expected = Buffer.alloc(100);
  expected.write(names.database);
  const name = block.subarray(0, expected.length);
  if (name.filter((byte, index) => byte !== expected[index]).length <= 1) return;
  throw new ForensicsError(
    'backup_unreadable',
    'This is no backup of forensics; name a file that "forensics backup create" made, unpacked if it was compressed.',
  );
}

function tooShort(offset: number, before: string): string {
  return `It ends too early, at byte ${offset}, after ${before}.`;
}

/** These are short, or one line a file. */
function textSink(name: string, texts: Map<string, string>): Sink {
  const parts: Buffer[] = [];
  return {
    write: async (bytes) => void parts.push(Buffer.from(bytes)),
    end: async () => void texts.set(name, Buffer.concat(parts).toString('utf8')),
    close: async () => undefined,
  };
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT';
    const code = isMissing ? 'file_not_found' : 'file_not_readable';
    const what = isMissing ? 'does not exist' : 'cannot be read';
    throw new ForensicsError(code, `The backup ${file} ${what}.`, { cause: error });
  }
  throw new ForensicsError('backup_unreadable', `${file} is no file; name the backup itself.`);
}
