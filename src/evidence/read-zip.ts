/**
 * Reads any zip archive within limits, however it was packed, including a modified or repacked one, so that its unchanged
 * files can still be reported. Nothing is written to disk, so entry names can do no harm.
 */

import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ForensicsError } from '../errors.ts';
import type { ZipEntry } from './bundle-format.ts';

interface ZipBounds {
  readonly maxEntries: number;
  /** Limit for all entries together, after decompression. */
  readonly maxBytes: number;
}

const stored = 0;

/**
 * Returns the entries in directory order, with their stated checksums.
 *
 * @throws {ForensicsError} `bundle_unreadable` when it is not a zip archive, damaged, or exceeds `bounds`.
 */
export async function readZip(
  bytes: Uint8Array,
  bounds: ZipBounds,
): Promise<readonly Required<ZipEntry>[]> {
  try {
    const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Names as bytes: otherwise the library would reject the whole archive for a name that looks like a path out of its
    // folder.
    const zip = await fromBufferPromise(archive, { decodeStrings: false });
    return await readEntries({ zip, archive }, bounds);
  } catch (error) {
    if (error instanceof ForensicsError) throw error;
    throw unreadable('it is not a zip archive, or a damaged one', error);
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
    const bytes = await readEntry({ zip, archive }, entry);
    entries.push({ name: entry.fileNameRaw.toString('utf8'), bytes, crc32: entry.crc32 });
  }
  return entries;
}

/** Avoids copying uncompressed entries, which take many megabytes. */
async function readEntry({ zip, archive }: Archive, entry: Entry): Promise<Uint8Array> {
  if (entry.compressionMethod !== stored || entry.isEncrypted()) {
    return unpack(await zip.openReadStreamPromise(entry), entry);
  }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const end = fileDataStart + entry.compressedSize;
  if (end > archive.length) throw unreadable('it is cut off');
  return archive.subarray(fileDataStart, end);
}

/** The library ends the stream with an error if its length differs from the one stated in the entry. */
export async function unpack(stream: Readable, { uncompressedSize }: Entry): Promise<Uint8Array> {
  const bytes = new Uint8Array(uncompressedSize);
  let at = 0;
  for await (const part of stream as AsyncIterable<Uint8Array>) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function unreadable(why: string, cause?: unknown): ForensicsError {
  return new ForensicsError('bundle_unreadable', `This is not an evidence bundle: ${why}.`, {
    cause,
  });
}
