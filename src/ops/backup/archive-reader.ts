/**
 * Reads a backup archive from the first byte to the last. The hash list verifies the entries, the
 * manifest verifies the hash list, and the last entry verifies the manifest. Files are unpacked
 * while the archive is being read, so do not rely on them until it has been read to the end.
 */

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { extract, type ExtractEvents } from 'tar-stream';
import { ForensicsError } from '../../contract/errors.ts';
import { systemCodeOf, toReadFailure } from '../../ports/files/files.ts';
import { type Manifest, names, parseManifest, sumLine } from './contents.ts';

export type Archive = Awaited<ReturnType<typeof readArchive>>;

export interface ReadOptions {
  /** Where to unpack an entry: a new file, or null to skip it. */
  readonly pathFor?: (name: string) => Promise<string | null>;
  /** Called while the archive is being read; to abort, it throws. */
  readonly onProgress?: (doneBytes: number, allBytes: number) => void;
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`; `backup_unreadable` if it was never a backup. */
export async function readArchive(file: string, options: ReadOptions = {}) {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw toReadFailure(error);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) {
      const message = `${file} is not a file; specify the backup file itself.`;
      throw new ForensicsError('backup_unreadable', message);
    }
    const reading = { handle, size: stats.size, options };
    const found: Found = { files: new Map(), hashes: new Map(), texts: new Map() };
    const fault = await readEntries(reading, found);
    const manifest = parseManifest(found.texts.get(names.manifest) ?? '');
    return {
      /** Null if it is missing or unreadable. */
      manifest,
      manifestSha256: found.hashes.get(names.manifest) ?? null,
      /** Size in bytes of each file, by name, without the backup's own entries. */
      files: found.files,
      /** One sentence per problem; empty if the archive is intact. */
      problems: fault === null ? findProblems(found, manifest) : [fault],
    };
  } finally {
    await handle.close();
  }
}

interface Reading {
  readonly handle: FileHandle;
  readonly size: number;
  readonly options: ReadOptions;
}

type Entry = ExtractEvents['entry'][1];

interface Found {
  readonly files: Map<string, number>;
  readonly hashes: Map<string, string>;
  readonly texts: Map<string, string>;
}

const blockBytes = 512;
const pieceBytes = 1 << 20;
// The backup's own entries are held in memory. Even a list of two million hashes is smaller than this.
const maxOwnBytes = 400_000_000;

/** @returns why reading stopped early, or null if the archive ended as it should. */
async function readEntries(reading: Reading, found: Found): Promise<string | null> {
  const { handle, size } = reading;
  const first = Buffer.alloc(blockBytes);
  const { bytesRead } = await handle.read(first, 0, blockBytes, 0);
  if (bytesRead < blockBytes) return endsTooEarly(0, 'the beginning');
  if (!first.toString('latin1').startsWith(`${names.database}\0`)) {
    const message =
      'This is not a forensics backup; specify a file made by "forensics backup create", and decompress it first if necessary.';
    throw new ForensicsError('backup_unreadable', message);
  }
  const source = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: pieceBytes });
  const entries = extract();
  let broken: unknown = null;
  entries.on('error', (error: unknown) => void (broken = error));
  const feeding = pipeline(source, entries).catch(() => undefined);
  let end = 0;
  let before = 'the beginning';
  try {
    for await (const entry of entries) {
      const { name, size: sizeBytes } = entry.header;
      end = entry.offset + blockBytes + sizeBytes;
      before = name;
      const fault = end > size ? `It ends partway through ${name}.` : judgeHead(entry, found);
      if (fault !== null) return fault;
      await readContent(reading, entry, found);
    }
  } catch (error) {
    // A failure of the disk or of the unpacking target, or an abort by the caller, is not damage to the archive.
    if (error !== broken || systemCodeOf(error) !== null) throw error;
    const isShort = size < padded(end) + blockBytes;
    return isShort ? endsTooEarly(size, before) : `The bytes after ${before} are corrupted.`;
  } finally {
    entries.destroy();
    await feeding;
  }
  const rest = size - padded(end) - 2 * blockBytes;
  if (rest < 0) return endsTooEarly(size, before);
  return rest > 0 ? 'Data was appended after its end.' : null;
}

function judgeHead({ header }: Entry, found: Found): string | null {
  const { name, size, type } = header;
  if (type !== 'file') return `${name} is not a regular file.`;
  if (found.hashes.has(name)) return `${name} appears twice.`;
  return isOwn(name) && size > maxOwnBytes ? `${name} is too long.` : null;
}

async function readContent({ size, options }: Reading, entry: Entry, found: Found): Promise<void> {
  const { name, size: sizeBytes } = entry.header;
  const parts: Buffer[] | null = isOwn(name) ? [] : null;
  const path = parts === null ? await options.pathFor?.(name) : null;
  const output = path ? await open(path, 'wx', 0o600) : null;
  const sha256 = createHash('sha256');
  let done = entry.offset + blockBytes;
  try {
    for await (const bytes of entry) {
      if (!Buffer.isBuffer(bytes)) throw new TypeError('Expected a buffer from the tar entry.');
      sha256.update(bytes);
      parts?.push(bytes);
      await output?.appendFile(bytes);
      options.onProgress?.((done += bytes.length), size);
    }
    await output?.sync();
  } finally {
    await output?.close();
  }
  found.hashes.set(name, sha256.digest('hex'));
  if (parts === null) found.files.set(name, sizeBytes);
  else found.texts.set(name, Buffer.concat(parts).toString('utf8'));
}

// A backup on a failing disk has thousands of problems; the first few are enough.
const maxProblems = 20;

function findProblems(found: Found, manifest: Manifest | null): readonly string[] {
  const { files, hashes, texts } = found;
  const missing = [names.sums, names.manifest, names.manifestSum].find((name) => !texts.has(name));
  if (missing !== undefined) return [`${missing} is missing.`];
  if (texts.get(names.manifestSum) !== sumLine(hashes.get(names.manifest)!, names.manifest)) {
    return [`${names.manifest} does not match ${names.manifestSum}.`];
  }
  if (manifest === null) return [`This version cannot read ${names.manifest}.`];
  if (manifest.sums !== hashes.get(names.sums)) {
    return [`${names.sums} does not match ${names.manifest}.`];
  }
  const expected = texts.get(names.sums)!.split(/(?<=\n)/);
  const known = new Set(expected);
  const wrong = [...files.keys()].filter((name) => !known.has(sumLine(hashes.get(name)!, name)));
  const lost = expected.map((line) => line.slice(66, -1)).filter((name) => !files.has(name));
  return [
    ...wrong.map((name) => `${name} has changed since it was saved.`),
    ...lost.map((name) => `${name} is missing.`),
  ].slice(0, maxProblems);
}

function isOwn(name: string): boolean {
  return name === names.sums || name === names.manifest || name === names.manifestSum;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

function endsTooEarly(size: number, before: string): string {
  return `It is cut off at byte ${size}, after ${before}.`;
}
