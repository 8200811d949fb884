/**
 * The end of an object's file: facts about the object, and a checksum that shows whether the file is complete.
 *
 *     <the object's bytes> <JSON> <magic, 8 bytes> <length of the JSON, u32> <CRC-32 of the JSON, u32>
 *
 * Bytes and facts share one file, so that one rename publishes both. The facts come last because size and digests are
 * known only then.
 */

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ForensicsError } from '../../../errors.ts';

export interface ObjectRecord {
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly md5: string;
  /** Without quotes: the MD5, or for a multipart upload of an older version a digest of its parts. */
  readonly etag: string;
  readonly sha256: string;
  readonly createdAt: Date;
  /** Headers that older versions stored, returned with the object; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

const magic = Buffer.from('FXBLOB1\n', 'latin1');
const footerBytes = magic.length + 8;
/** Enough for nearly every record, so that one read is usually enough. */
const usualTailBytes = 4096;

export function encodeTail(record: ObjectRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record));
  const footer = Buffer.alloc(footerBytes);
  magic.copy(footer);
  footer.writeUInt32BE(json.length, magic.length);
  footer.writeUInt32BE(crc32(json), magic.length + 4);
  return Buffer.concat([json, footer]);
}

/** @throws {ForensicsError} `blob_damaged` when length, checksum or form of the file is wrong. */
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
  const record = parseRecord(json.toString('utf8'));
  if (record.sizeBytes + tailBytes !== fileBytes) throw damaged();
  return record;
}

export function damaged(): ForensicsError {
  return new ForensicsError(
    'blob_damaged',
    'A stored object is damaged. Restore it from a backup.',
  );
}

async function readTail(handle: FileHandle, fileBytes: number, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  const { bytesRead } = await handle.read(buffer, 0, count, fileBytes - count);
  if (bytesRead !== count) throw damaged();
  return buffer;
}

/** The checksum matched, so this or a later version wrote it. */
function parseRecord(json: string): ObjectRecord {
  const record: unknown = JSON.parse(json);
  if (!isStoredRecord(record)) throw damaged();
  return { ...record, etag: record.etag ?? record.md5, createdAt: new Date(record.createdAt) };
}

type StoredRecord = Omit<ObjectRecord, 'createdAt' | 'etag'> & {
  readonly createdAt: string;
  /** Objects that the first version wrote have none. */
  readonly etag?: string;
};

function isStoredRecord(value: unknown): value is StoredRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record: Partial<Record<keyof StoredRecord, unknown>> = value;
  return (
    typeof record.key === 'string' &&
    typeof record.contentType === 'string' &&
    Number.isSafeInteger(record.sizeBytes) &&
    typeof record.md5 === 'string' &&
    (record.etag === undefined || typeof record.etag === 'string') &&
    typeof record.sha256 === 'string' &&
    typeof record.createdAt === 'string' &&
    typeof record.headers === 'object' &&
    record.headers !== null
  );
}
