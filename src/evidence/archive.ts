/**
 * Opens the archive of a bundle or of a case within limits, even if it was modified or repacked, so that its unchanged
 * files can still be reported. Nothing is written to disk, so entry names can do no harm. Files are read one at a time,
 * because a case does not fit into memory.
 */

import { close, fstatSync, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type Entry, fromBufferPromise, fromFdPromise } from 'yauzl';
import { ForensicsError } from '../contract/errors.ts';
import { requireFileUpTo, toReadFailure } from '../ports/files/files.ts';
import {
  fileNames,
  maxArchiveBytes,
  maxJsonBytes,
  maxManifestBytes,
  type ZipEntry,
} from './bundle-format.ts';
import { maxBundleBytes, maxBundleFiles, maxCasePictures } from '../contract/verification.ts';

export type Archive = Awaited<ReturnType<typeof readArchive>> & { close(): Promise<void> };

const maxEntries = 2 * (maxCasePictures + maxBundleFiles);

/**
 * @param bundle - path of the archive, its bytes, or the descriptor of a file, which is not closed.
 * @returns null for an unreadable archive that calls itself a bundle.
 * @throws {ForensicsError} `bundle_unreadable` for any other unreadable file, `file_*`.
 */
export async function openArchive(bundle: string | number | Uint8Array): Promise<Archive | null> {
  const source = typeof bundle === 'object' ? toBuffer(bundle) : await openFile(bundle);
  const closeOwn = async () => {
    if (typeof bundle === 'string') await promisify(close)(Number(source));
  };
  try {
    return { ...(await readArchive(source)), close: closeOwn };
  } catch (cause) {
    const start = typeof source === 'number' ? await readPart(source, 0, maxBundleBytes) : source;
    const bytes = toBuffer(start);
    await closeOwn();
    if (bytes.includes(fileNames.signature) || bytes.includes(fileNames.manifest)) return null;
    const message =
      'This is not an evidence bundle: it is not a zip archive, or a damaged or too large one.';
    throw new ForensicsError('bundle_unreadable', message, { cause });
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function openFile(file: string | number): Promise<number> {
  if (typeof file === 'number') return file;
  await requireFileUpTo(file, maxArchiveBytes);
  return promisify(open)(file, 'r').catch((error: unknown) => {
    throw toReadFailure(error);
  });
}

async function readPart(file: number, position: number, length: number): Promise<Uint8Array> {
  const part = Buffer.allocUnsafeSlow(Math.min(length, fstatSync(file).size));
  const { bytesRead } = await promisify(read)(file, part, 0, part.length, position);
  return part.subarray(0, bytesRead);
}

async function readArchive(source: number | Buffer) {
  // As bytes: otherwise, one name that looked like a path out of its folder would fail the whole archive.
  const options = { decodeStrings: false, autoClose: false };
  const zip = Buffer.isBuffer(source)
    ? await fromBufferPromise(source, options)
    : await fromFdPromise(source, options);
  const { fileSize: sizeBytes } = zip;
  const isInBounds = zip.entryCount <= maxEntries && sizeBytes <= maxArchiveBytes;
  const entries: Entry[] = [];
  if (isInBounds) for await (const entry of zip.eachEntry()) entries.push(entry);
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  const names = entries.map(({ fileNameRaw }) => fileNameRaw.toString('utf8'));
  const isTooLarge = entries.some(
    (one, at) =>
      Math.max(one.uncompressedSize, one.compressedSize) >
      (names[at] === fileNames.manifest ? maxManifestBytes : maxBundleBytes),
  );
  // Entries that share bytes would take far more time than the size of the archive suggests.
  const packedBytes = entries.reduce((sum, entry) => sum + entry.compressedSize, 0);
  // Pictures and reports hardly shrink, and JSON shrinks most; anything that grows more is malicious.
  const maxUnpackedBytes = Math.min(20 * sizeBytes, 2 * sizeBytes + maxJsonBytes);
  if (!isInBounds || isTooLarge || packedBytes > sizeBytes || unpackedBytes > maxUnpackedBytes)
    throw new RangeError('more than a bundle can contain');

  const readHere = async (position: number, length: number): Promise<Uint8Array> =>
    typeof source === 'number'
      ? readPart(source, position, length)
      : source.subarray(position, position + length);

  return {
    /** In directory order; a name may occur twice. */
    names,
    sizeBytes,
    /** Size of all files together. */
    unpackedBytes,
    /** Reads a part of the archive itself; fewer bytes at its end. */
    read: readHere,
    /** The first file with this name. A file that cannot be read is zeros, which match no list. */
    async content(name: string): Promise<ZipEntry | null> {
      const entry = entries[names.indexOf(name)];
      if (entry === undefined) return null;
      const { crc32 } = entry;
      let held: Uint8Array = new Uint8Array();
      try {
        const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
        held = await readHere(fileDataStart, entry.compressedSize);
        if (entry.compressionMethod === 0) return { name, crc32, bytes: held };
        const maxOutputLength = Math.max(1, entry.uncompressedSize);
        // In one chunk, because joining many would copy them.
        const how = { maxOutputLength, chunkSize: Math.max(64, entry.uncompressedSize + 1) };
        return { name, crc32, bytes: await unpack(held, how), packed: held };
      } catch (error) {
        // The disk failed, rather than the file.
        if (error instanceof Error && 'syscall' in error) throw toReadFailure(error);
        return { name, crc32, bytes: new Uint8Array(entry.uncompressedSize), packed: held };
      }
    },
  };
}

const unpack = promisify(inflateRaw);
