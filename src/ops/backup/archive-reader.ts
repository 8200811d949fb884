/**
 * Reads the archive of a backup from its first byte to its last. Contents are checked by their hashes, the list of hashes by
 * the manifest, the manifest by its own hash, and what lies between the contents by its form. Files are unpacked
 * while they are read, so callers must not rely on them before the end.
 */

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { extract, type ExtractEvents } from 'tar-stream';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from '../../ports/files/system-errors.ts';
import { type Manifest, names, parseManifest, sumLine } from './contents.ts';

export interface Archive {
  /** Null when it is missing or no manifest. */
  readonly manifest: Manifest | null;
  readonly manifestSha256: string | null;
  /** Bytes by name, of every file but those of the backup itself. */
  readonly files: ReadonlyMap<string, number>;
  /** Sentences; none for an archive that is as it was written. */
  readonly problems: readonly string[];
}

export interface ReadOptions {
  /** The new file to unpack an entry to; null for none. */
  readonly pathFor?: (name: string) => Promise<string | null>;
  /** Hears how many of how many bytes were read, and ends it by throwing. */
  readonly onProgress?: (doneBytes: number, allBytes: number) => void;
}

/** @throws {ForensicsError} `file_not_found`, `file_not_readable`; `backup_unreadable` when it never was a backup. */
export async function readArchive(file: string, options: ReadOptions = {}): Promise<Archive> {
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    const reading = { handle, size, options };
    const found: Found = { files: new Map(), hashes: new Map(), texts: new Map(), mtime: null };
    const fault = await readEntries(reading, found);
    const manifest = parseManifest(found.texts.get(names.manifest) ?? '');
    return {
      manifest,
      manifestSha256: found.hashes.get(names.manifest) ?? null,
      files: found.files,
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
  /** SHA-256 by name, of everything. */
  readonly hashes: Map<string, string>;
  /** Contents of the backup's own entries by name. */
  readonly texts: Map<string, string>;
  /** The time that every entry has, in milliseconds. */
  mtime: number | null;
}

const blockBytes = 512;
const pieceBytes = 1 << 20;
// Held in memory; a list of two million hashes is shorter.
const maxOwnBytes = 400_000_000;

/** @returns what ended it early, or null for an end as it should be. */
async function readEntries(reading: Reading, found: Found): Promise<string | null> {
  const { handle, size } = reading;
  const first = await readAt(handle, 0, blockBytes);
  if (first.length < blockBytes) return endsTooEarly(0, 'the beginning');
  assertBackup(first);
  const source = handle.createReadStream({
    start: 0,
    autoClose: false,
    highWaterMark: pieceBytes,
  });
  const entries = extract();
  let broken: unknown = null;
  entries.on('error', (error: unknown) => void (broken = error));
  const feeding = pipeline(source, entries).catch(() => undefined);
  let end = 0;
  let before = 'the beginning';
  try {
    for await (const entry of entries) {
      const { name, size: sizeBytes } = entry.header;
      const contentAt = entry.offset + blockBytes;
      const gap = await readAt(handle, end, contentAt - end);
      if (!isSoundGap(gap, name)) return `The bytes after ${before} are damaged.`;
      end = contentAt + sizeBytes;
      before = name;
      const fault = end > size ? `It ends in the middle of ${name}.` : judgeHead(entry, found);
      if (fault !== null) return fault;
      await readContent(reading, entry, found);
    }
  } catch (error) {
    // Failures of the disk, of what is unpacked, and a stop by the caller are no damage.
    if (error !== broken || systemCodeOf(error) !== null) throw error;
    const isShort = size < padded(end) + blockBytes;
    return isShort ? endsTooEarly(size, before) : `The bytes after ${before} are damaged.`;
  } finally {
    entries.destroy();
    await feeding;
  }
  const rest = size - padded(end) - 2 * blockBytes;
  if (rest < 0) return endsTooEarly(size, before);
  if (rest > 0) return 'Something was added behind its end.';
  const isEmpty = (await readAt(handle, end, size - end)).every((byte) => byte === 0);
  return isEmpty ? null : `The bytes after ${before} are damaged.`;
}

/** What lies before a content: zeros up to a full block, its name where that is long or not ASCII, its head. */
function isSoundGap(gap: Buffer, name: string): boolean {
  const padding = gap.length % blockBytes;
  const [heads, head] = [gap.subarray(padding), gap.subarray(-blockBytes)];
  if (heads.length < blockBytes || gap.subarray(0, padding).some((byte) => byte !== 0))
    return false;
  // The sum covers the rest of the head, and the package compares it; it passes over how the sum itself is written.
  if (!/^[0-7]{6}(?:\0 | \0)$/.test(head.toString('latin1', 148, 156))) return false;
  if (heads.length === blockBytes) return true;
  const record = heads.subarray(blockBytes, -blockBytes).toString().replace(/\0+$/, '');
  return record === `${Buffer.byteLength(record)} path=${name}\n`;
}

function judgeHead({ header }: Entry, found: Found): string | null {
  const { name, size, type } = header;
  if (type !== 'file') return `${name} is not a regular file.`;
  if (found.hashes.has(name)) return `${name} is in it twice.`;
  const mtime = header.mtime.getTime();
  found.mtime ??= mtime;
  if (mtime !== found.mtime) return `The time of ${name} was changed.`;
  return isOwn(name) && size > maxOwnBytes ? `${name} is too long.` : null;
}

async function readContent({ size, options }: Reading, entry: Entry, found: Found): Promise<void> {
  const { name, size: sizeBytes } = entry.header;
  const parts: Buffer[] | null = isOwn(name) ? [] : null;
  const path = parts === null ? ((await options.pathFor?.(name)) ?? null) : null;
  const output = path === null ? null : await open(path, 'wx', 0o600);
  const sha256 = createHash('sha256');
  let done = entry.offset + blockBytes;
  try {
    for await (const bytes of entry) {
      if (!Buffer.isBuffer(bytes)) throw new TypeError('An entry gives buffers.');
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

// A backup whose disk is dying has thousands of problems; the first ones are enough.
const maxProblems = 20;

function findProblems(found: Found, manifest: Manifest | null): readonly string[] {
  const { files, hashes, texts, mtime } = found;
  const missing = [names.sums, names.manifest, names.manifestSum].find((name) => !texts.has(name));
  if (missing !== undefined) return [`${missing} is missing.`];
  if (texts.get(names.manifestSum) !== sumLine(hashes.get(names.manifest)!, names.manifest)) {
    return [`${names.manifest} does not match ${names.manifestSum}.`];
  }
  if (manifest === null) return [`This version cannot read ${names.manifest}.`];
  if (Math.floor(Date.parse(manifest.createdAt) / 1000) * 1000 !== mtime) {
    return ['The time of its entries was changed.'];
  }
  if (manifest.sums !== hashes.get(names.sums)) {
    return [`${names.sums} does not match ${names.manifest}.`];
  }
  const actual = [...files.keys()].map((name) => sumLine(hashes.get(name)!, name));
  const listed = texts.get(names.sums)!;
  if (actual.join('') === listed) return [];
  const expected = listed.split(/(?<=\n)/);
  const known = new Set(expected);
  const wrong = [...files.keys()].filter((_, index) => !known.has(actual[index]!));
  const lost = expected.map((line) => line.slice(66, -1)).filter((name) => !files.has(name));
  const problems = [
    ...wrong.map((name) => `${name} is not what it was when it was saved.`),
    ...lost.map((name) => `${name} is missing.`),
  ].slice(0, maxProblems);
  return problems.length > 0 ? problems : [`Its files are in another order than ${names.sums}.`];
}

function isOwn(name: string): boolean {
  return name === names.sums || name === names.manifest || name === names.manifestSum;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / blockBytes) * blockBytes;
}

function endsTooEarly(size: number, before: string): string {
  return `It ends too early, at byte ${size}, after ${before}.`;
}

/** Shorter than `length` only where the file ends. */
async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const block = Buffer.alloc(length);
  const { bytesRead } = await handle.read(block, 0, length, offset);
  return block.subarray(0, bytesRead);
}

/** A single changed byte does not make it something else than a backup. */
function assertBackup(block: Buffer): void {
  const expected = Buffer.alloc(100);
  expected.write(names.database);
  if (expected.filter((byte, index) => byte !== block[index]).length <= 1) return;
  throw new ForensicsError(
    'backup_unreadable',
    'This is not a backup of forensics; name a file that "forensics backup create" made, unpacked if it was compressed.',
  );
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
  throw new ForensicsError('backup_unreadable', `${file} is not a file; name the backup itself.`);
}
