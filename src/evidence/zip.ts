/**
 * Zip archives of exactly one form: nothing compressed, no comment, no extra field, one time for all entries. The same
 * files give the same bytes for as long as this file stays as it is, whatever libraries come and go: a reader proves an
 * archive untouched by writing it again.
 *
 * @see PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end record).
 */

import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ForensicsError } from '../errors.ts';

export interface ZipEntry {
  /** ASCII, no folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the headers state instead of the true checksum; for telling two kinds of damage apart. */
  readonly crc32?: number;
}

/** A stretch of the archive with its name: the archive is all of them in a row. */
export interface ZipPart {
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** Above this the format needs fields that we do not write. */
const maxArchiveBytes = 0xffff_ffff;

/** 2.0, and Unix: the permissions below count. */
const madeBy = 0x0314;
const neededToRead = 10;
/** A plain file that everybody may read. */
const permissions = 0o100644;

/** @throws {RangeError} when the archive would pass 4 GiB. */
export function writeZip(entries: readonly ZipEntry[], at: Date): readonly ZipPart[] {
  const parts: ZipPart[] = [];
  const directory: ZipPart[] = [];
  let offset = 0;
  for (const entry of entries) {
    const common = commonFields(entry, at);
    const name = Buffer.from(entry.name, 'latin1');
    const header = Buffer.concat([signature(0x0403_4b50), uint16(neededToRead), common, name]);
    parts.push({ what: `the header of ${entry.name}`, bytes: header });
    parts.push({ what: entry.name, bytes: entry.bytes });
    directory.push({
      what: `the directory entry of ${entry.name}`,
      bytes: directoryEntry(common, name, offset),
    });
    offset += header.length + entry.bytes.length;
  }
  const end = endRecord(entries.length, sizeOf(directory), offset);
  if (offset + sizeOf(directory) > maxArchiveBytes) throw new RangeError('more than 4 GiB');
  return [...parts, ...directory, { what: 'the end record', bytes: end }];
}

/** What local header and directory entry both hold: flags, method, time, checksum, sizes, name's and extra's length. */
function commonFields({ name, bytes, crc32: stated }: ZipEntry, at: Date): Buffer {
  const fields = Buffer.alloc(24);
  fields.writeUInt32LE(dosTime(at), 4);
  fields.writeUInt32LE(stated ?? crc32(bytes), 8);
  fields.writeUInt32LE(bytes.length, 12);
  fields.writeUInt32LE(bytes.length, 16);
  fields.writeUInt16LE(name.length, 20);
  return fields;
}

function directoryEntry(common: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.concat([signature(0x0201_4b50), uint16(madeBy), uint16(neededToRead)]);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(permissions * 0x1_0000, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common, tail, name]);
}

function endRecord(entries: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  signature(0x0605_4b50).copy(record);
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}

/** Date in the upper, time in the lower half, in steps of two seconds; UTC, so that no time zone changes a byte. */
function dosTime(at: Date): number {
  const year = Math.min(2107, Math.max(1980, at.getUTCFullYear()));
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x1_0000 + time;
}

function sizeOf(parts: readonly ZipPart[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

// Reads any zip archive, however it was packed, within bounds: also one that somebody changed or packed anew, so that it
// can be said which file of it is still the same. Nothing is written anywhere, so names of entries can do no harm.

interface ZipBounds {
  readonly maxEntries: number;
  /** Of all entries together, after decompression. */
  readonly maxBytes: number;
}

const stored = 0;

/**
 * The entries in the order of the archive's directory, with the checksums that it states.
 *
 * @throws {ForensicsError} `bundle_unreadable` when it is no zip archive, a damaged one, or beyond `bounds`.
 */
export async function readZip(
  bytes: Uint8Array,
  bounds: ZipBounds,
): Promise<readonly Required<ZipEntry>[]> {
  try {
    const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Names as bytes: the library would refuse the whole archive for one that looks like a path out of a folder.
    const zip = await fromBufferPromise(archive, { decodeStrings: false });
    return await readEntries({ zip, archive }, bounds);
  } catch (error) {
    if (error instanceof ForensicsError) throw error;
    throw unreadable('it is no zip archive, or a damaged one', error);
  }
}

interface Archive {
  readonly zip: ZipFile;
  readonly archive: Buffer;
}

async function readEntries(
  { zip, archive }: Archive,
  bounds: ZipBounds,
): Promise<readonly Required<ZipEntry>[]> {
  if (zip.entryCount > bounds.maxEntries) throw unreadable(`it holds ${zip.entryCount} files`);
  const entries: Required<ZipEntry>[] = [];
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    total += entry.uncompressedSize;
    if (total > bounds.maxBytes) throw unreadable('its content is too large');
    const bytes = await contentOf({ zip, archive }, entry);
    entries.push({ name: entry.fileNameRaw.toString('utf8'), bytes, crc32: entry.crc32 });
  }
  return entries;
}

/** What is stored as it is need not be copied: these files have many megabytes. */
async function contentOf({ zip, archive }: Archive, entry: Entry): Promise<Uint8Array> {
  if (entry.compressionMethod !== stored || entry.isEncrypted()) {
    return unpack(await zip.openReadStreamPromise(entry), entry);
  }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const end = fileDataStart + entry.compressedSize;
  if (end > archive.length) throw unreadable('it is cut off');
  return archive.subarray(fileDataStart, end);
}

/** The library ends the stream with an error when it yields more or less than the entry states. */
async function unpack(stream: Readable, { uncompressedSize }: Entry): Promise<Uint8Array> {
  const bytes = new Uint8Array(uncompressedSize);
  let at = 0;
  for await (const part of stream as AsyncIterable<Uint8Array>) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function unreadable(why: string, cause?: unknown): ForensicsError {
  return new ForensicsError('bundle_unreadable', `This is no evidence bundle: ${why}.`, { cause });
}
