/** Names and contents of files while they are being written, and the removal of abandoned ones. */

import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Wire } from '../../../contract/common.ts';
import { ForensicsError, storeUnavailable } from '../../../contract/errors.ts';
import type * as promises from 'node:fs/promises';
import { isFull, reasonOf, systemCodeOf, unlessMissing } from '../../files/files.ts';

export interface NewObject {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Called when all bytes have been written but are not visible yet. If it throws, nothing changes. */
  readonly beforeCommit?: (record: ObjectRecord) => void;
}

const blockBytes = 262_144;

/** Writes bytes and record to a new file at `path` and syncs it. If this fails, the caller removes the file. */
export async function writeObject(
  fs: FileSystem,
  path: string,
  object: NewObject & { readonly maxBytes: number; readonly now: () => Date },
): Promise<ObjectRecord> {
  const handle = await onDisk(() => fs.open(path, 'wx', 0o600));
  try {
    const [md5, sha256] = [createHash('md5'), createHash('sha256')];
    let sizeBytes = 0;
    for await (const block of inBlocks(object.bytes, object.maxBytes)) {
      sizeBytes += block.length;
      md5.update(block);
      sha256.update(block);
      await onDisk(() => writeAll(handle, block));
    }
    const digest = md5.digest('hex');
    const record = {
      key: object.key,
      contentType: object.contentType,
      sizeBytes,
      md5: digest,
      etag: digest,
      sha256: sha256.digest('hex'),
      createdAt: object.now(),
    };
    object.beforeCommit?.(record);
    await onDisk(() => writeAll(handle, encodeTail(record)));
    await onDisk(() => handle.sync());
    return record;
  } finally {
    await onDisk(() => handle.close());
  }
}

/** Large writes are faster than many small ones, and a client must not determine how many there are. */
async function* inBlocks(bytes: NewObject['bytes'], maxBytes: number) {
  let parts: Uint8Array[] = [];
  let [gathered, sizeBytes] = [0, 0];
  for await (const part of bytes) {
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) {
      const message = `An object can be at most ${maxBytes} bytes long.`;
      throw new ForensicsError('blob_too_large', message);
    }
    parts.push(part);
    gathered += part.length;
    if (gathered < blockBytes) continue;
    yield joined(parts);
    [parts, gathered] = [[], 0];
  }
  if (gathered > 0) yield joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** A single `write` may write fewer bytes than given. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

/** Far longer than an upload can pause, so nobody is still writing such a file. */
const abandonedAfterMs = 3_600_000;

export function incomingName(): string {
  return `${randomBytes(12).toString('hex')}.part`;
}

export async function sweepIncoming(folder: string): Promise<void> {
  // Files with any other name are not ours.
  const names = (await unlessMissing(() => readdir(folder))) ?? [];
  for (const name of names.filter((one) => one.endsWith('.part'))) {
    const path = join(folder, name);
    // Another process may remove it at the same moment.
    const found = await unlessMissing(() => stat(path));
    // File times come from the real clock, even if the store was given a different clock.
    const isAbandoned = found !== null && Date.now() - found.mtimeMs > abandonedAfterMs;
    if (isAbandoned) await rm(path, { force: true });
  }
}

// The end of an object's file: metadata, and a checksum that shows whether the file is complete.
// <the object's bytes> <JSON> <magic, 8 bytes> <length of the JSON, u32> <CRC-32 of the JSON, u32>
// Contents and metadata share one file, so that one rename publishes both. Metadata come last, with size and digests.

const storedRecord = Type.Object({
  key: Type.String(),
  contentType: Type.String(),
  sizeBytes: Type.Integer(),
  /** Lower-case hex. */
  md5: Type.String(),
  /** Missing in objects written by the first version. */
  etag: Type.Optional(Type.String()),
  sha256: Type.String(),
  createdAt: Type.String(),
});

export interface ObjectRecord extends Omit<Wire<typeof storedRecord>, 'createdAt'> {
  /** Without quotes: the MD5 or, for a multipart upload to an earlier version, a digest of its parts. */
  readonly etag: string;
  readonly createdAt: Date;
}

const magic = Buffer.from('FXBLOB1\n', 'latin1');
const footerBytes = magic.length + 8;
/** Large enough for nearly every record, so that one read is usually enough. */
const usualTailBytes = 4096;

function encodeTail(record: ObjectRecord): Buffer {
  // Earlier versions expect headers in a record.
  const json = Buffer.from(JSON.stringify({ ...record, headers: {} }));
  const footer = Buffer.alloc(footerBytes);
  magic.copy(footer);
  footer.writeUInt32BE(json.length, magic.length);
  footer.writeUInt32BE(crc32(json), magic.length + 4);
  return Buffer.concat([json, footer]);
}

/** @throws {ForensicsError} `blob_damaged` if the file's length, checksum or format is wrong. */
export async function readRecord(handle: FileHandle): Promise<ObjectRecord> {
  const { size: fileBytes } = await handle.stat();
  if (fileBytes < footerBytes) throw damaged();
  let tail = await readTail(handle, fileBytes, Math.min(fileBytes, usualTailBytes));
  const footer = tail.subarray(-footerBytes);
  if (!footer.subarray(0, magic.length).equals(magic)) throw damaged();
  const tailBytes = footer.readUInt32BE(magic.length) + footerBytes;
  if (tailBytes > fileBytes) throw damaged();
  if (tailBytes > tail.length) tail = await readTail(handle, fileBytes, tailBytes);
  const json = tail.subarray(tail.length - tailBytes, -footerBytes);
  if (crc32(json) !== footer.readUInt32BE(magic.length + 4)) throw damaged();
  // The checksum matched, so this version or a later one wrote it.
  const stored: unknown = JSON.parse(json.toString('utf8'));
  if (!Check(storedRecord, stored)) throw damaged();
  if (stored.sizeBytes + tailBytes !== fileBytes) throw damaged();
  return { ...stored, etag: stored.etag ?? stored.md5, createdAt: new Date(stored.createdAt) };
}

export function damaged(): ForensicsError {
  const message = 'A stored object is damaged. Restore it from a backup.';
  return new ForensicsError('blob_damaged', message);
}

async function readTail(handle: FileHandle, fileBytes: number, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  const { bytesRead } = await handle.read(buffer, 0, count, fileBytes - count);
  if (bytesRead !== count) throw damaged();
  return buffer;
}

export type FileSystem = Pick<typeof promises, 'mkdir' | 'open' | 'rename' | 'unlink'>;

/** Throws for any error of the file system. @throws {ForensicsError} `no_space_left` or `store_unavailable`. */
export async function onDisk<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toStoreError(error);
  }
}

function toStoreError(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null || error instanceof ForensicsError) return error;
  if (isFull(code)) {
    const message = 'The disk that holds the blob store is full. Free some space and try again.';
    return new ForensicsError('no_space_left', message, { cause: error });
  }
  const message = `The folder of the blob store cannot be used (${reasonOf(code)}). Check its disk and its owner.`;
  return storeUnavailable(message, { cause: error });
}
