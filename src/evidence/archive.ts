/**
 * Opens the archive of a bundle or of a case within limits, even if it was modified or repacked, so that its unchanged
 * files can still be reported. Nothing is written to disk, so entry names can do no harm. Files are read one at a time,
 * because a case does not fit into memory.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type Entry, fromBufferPromise, fromFdPromise } from 'yauzl';
import { ForensicsError } from '../errors.ts';
import { readFileUpTo, toReadFailure } from '../ports/files/system-errors.ts';
import {
  manifestFile,
  maxBundleBytes,
  maxBundleFiles,
  maxCasePictures,
  maxJsonBytes,
  maxManifestBytes,
  signatureFile,
  type ZipEntry,
} from './bundle-format.ts';

export type Archive = Awaited<ReturnType<typeof readArchive>>;

const maxEntries = 2 * (maxCasePictures + maxBundleFiles);
/** Pictures and reports hardly shrink, and JSON shrinks most; anything that grows more is malicious. */
const maxGrowth = (bytes: number) => Math.min(20 * bytes, 2 * bytes + maxJsonBytes);

/**
 * @param bundle - path of the archive, or its bytes.
 * @returns null for an unreadable archive that calls itself a bundle.
 * @throws {ForensicsError} `bundle_unreadable` for any other unreadable file, `file_*`.
 */
export async function openArchive(bundle: string | Uint8Array): Promise<Archive | null> {
  const readAll = async () =>
    toBuffer(typeof bundle === 'string' ? await readFileUpTo(bundle, maxBundleBytes) : bundle);
  // If the file cannot be opened, reading it says why.
  const source = typeof bundle === 'string' ? await open(bundle).catch(readAll) : toBuffer(bundle);
  try {
    return await readArchive(source);
  } catch (cause) {
    await close(source);
    const bytes = await readAll();
    if (bytes.includes(signatureFile) || bytes.includes(manifestFile)) return null;
    const message =
      'This is not an evidence bundle: it is not a zip archive, or a damaged or too large one.';
    throw new ForensicsError('bundle_unreadable', message, { cause });
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function close(source: FileHandle | Buffer): Promise<void> {
  if (!Buffer.isBuffer(source)) await source.close();
}

async function readArchive(source: FileHandle | Buffer) {
  // Names as bytes: otherwise the library would reject the whole archive if one name looked like
  // a path that leads outside its folder.
  const options = { decodeStrings: false, autoClose: false };
  const zip = Buffer.isBuffer(source)
    ? await fromBufferPromise(source, options)
    : await fromFdPromise(source.fd, options);
  const { fileSize: sizeBytes } = zip;
  const isInBounds = zip.entryCount <= maxEntries && sizeBytes < 2 ** 32;
  const entries: Entry[] = [];
  if (isInBounds) for await (const entry of zip.eachEntry()) entries.push(entry);
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  const names = entries.map(({ fileNameRaw }) => fileNameRaw.toString('utf8'));
  const isTooLarge = entries.some(
    (one, at) =>
      Math.max(one.uncompressedSize, one.compressedSize) >
      (names[at] === manifestFile ? maxManifestBytes : maxBundleBytes),
  );
  const packedBytes = entries.reduce((sum, entry) => sum + entry.compressedSize, 0);
  // Entries that share bytes would take far more time than the size of the archive suggests.
  const isOverlapping = packedBytes > sizeBytes;
  if (!isInBounds || isTooLarge || isOverlapping || unpackedBytes > maxGrowth(sizeBytes))
    throw new RangeError('more than a bundle can contain');

  async function read(position: number, length: number): Promise<Uint8Array> {
    if (Buffer.isBuffer(source)) return source.subarray(position, position + length);
    const { buffer, bytesRead } = await source.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }

  return {
    /** In directory order; a name may occur twice. */
    names,
    sizeBytes,
    /** Size of all files together. */
    unpackedBytes,
    /** A part of the archive itself, shorter at its end. */
    read,
    /** The first file with this name. A file that cannot be read is zeros, which match no list. */
    async content(name: string): Promise<ZipEntry | null> {
      const entry = entries[names.indexOf(name)];
      if (entry === undefined) return null;
      const { crc32 } = entry;
      let held: Uint8Array = new Uint8Array();
      try {
        const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
        held = await read(fileDataStart, entry.compressedSize);
        if (entry.compressionMethod === 0) return { name, crc32, bytes: held };
        const maxOutputLength = Math.max(1, entry.uncompressedSize);
        return { name, crc32, bytes: await unpack(held, { maxOutputLength }), packed: held };
      } catch (error) {
        // The disk failed, rather than the file.
        if (error instanceof Error && 'syscall' in error) throw toReadFailure(error);
        return { name, crc32, bytes: new Uint8Array(entry.uncompressedSize), packed: held };
      }
    },
    close: () => close(source),
  };
}

const unpack = promisify(inflateRaw);
