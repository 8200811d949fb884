/**
 * Reads any zip archive within limits, even one that was modified or repacked, so that its
 * unchanged files can still be reported. Nothing is written to disk, so entry names can do no harm.
 */

import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ForensicsError } from '../errors.ts';
import type { UnpackedEntry } from './bundle-format.ts';

const stored = 0;

/**
 * Returns the entries in the order of the directory.
 *
 * @param bounds - `maxBytes`: of all entries together, after decompression.
 * @throws {ForensicsError} `bundle_unreadable` if the bytes are not a zip archive, are damaged, or exceed `bounds`.
 */
export async function readZip(
  bytes: Uint8Array,
  bounds: Readonly<Record<'maxEntries' | 'maxBytes', number>>,
): Promise<readonly UnpackedEntry[]> {
  try {
    const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Names as bytes: otherwise the library would reject the whole archive if one name looked like
    // a path that leads outside its folder.
    const zip = await fromBufferPromise(archive, { decodeStrings: false });
    if (zip.entryCount > bounds.maxEntries) throw unreadable(`it contains ${zip.entryCount} files`);
    const entries: UnpackedEntry[] = [];
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      total += entry.uncompressedSize;
      if (total > bounds.maxBytes) throw unreadable('its contents are too large');
      const content = await readEntry(zip, archive, entry);
      entries.push({ name: entry.fileNameRaw.toString('utf8'), ...content, crc32: entry.crc32 });
    }
    return entries;
  } catch (error) {
    if (error instanceof ForensicsError) throw error;
    throw unreadable('it is not a zip archive, or a damaged one', error);
  }
}

/** Does not copy entries that are stored uncompressed, because they take many megabytes. */
async function readEntry(zip: ZipFile, archive: Buffer, entry: Entry) {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const end = fileDataStart + entry.compressedSize;
  if (end > archive.length) throw unreadable('it is cut off');
  const held = archive.subarray(fileDataStart, end);
  if (entry.compressionMethod === stored && !entry.isEncrypted()) return { bytes: held };
  const stream = await zip.openReadStreamPromise(entry);
  // Bytes that cannot be decompressed become zeros, which match no list, so the file is reported by name.
  const bytes = await unpack(stream, entry).catch(() => new Uint8Array(entry.uncompressedSize));
  return { bytes, packed: held };
}

/** If the stream is longer or shorter than the entry states, the library ends it with an error. */
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
