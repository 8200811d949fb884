/**
 * What recovery would lose. SQLite reads the write-ahead log up to the first frame whose checksum is wrong and forgets the
 * rest without a word: after a crash that is the transaction under way, after damage it is everything that was committed
 * behind it. Here the rest is read, too: a whole frame of the present generation that ends a transaction is a loss. Of the
 * last transaction the index beside the log tells: SQLite counts a transaction there once it is flushed into the log.
 */

import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const headerBytes = 32;
const frameHeaderBytes = 24;
const indexBytes = 48;
const magic = 0x377f0682;

// A page that another process is writing looks damaged for an instant.
const looks = 3;
const pauseMs = 50;

/**
 * @param path - of a database that this process has not opened: closing a file drops all locks of the process on it.
 * @returns how many committed transactions recovery will not reach; 0 when all is well.
 */
export function countLostCommits(path: string): number {
  let lost = 0;
  for (let look = 0; look < looks; look++) {
    if (look > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    lost = existsSync(`${path}-wal`) ? readLog(path) : 0;
    if (lost === 0) return 0;
  }
  return lost;
}

function readLog(path: string): number {
  // Before the log: what another process commits in between is in the log and not yet in this index.
  const index = readIndex(path);
  const file = openSync(`${path}-wal`, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return 0;
    const log = parseHeader(header, path);
    if (log === null) return 0;
    const lost = countLost(file, log, index);
    // Whoever writes meanwhile has looked at the log already.
    return readIndex(path)?.change === index?.change ? lost : 0;
  } finally {
    closeSync(file);
  }
}

/** What the processes that used the database had committed. A kill leaves it; after a power failure it is missing or older. */
interface Index {
  readonly salts: string;
  readonly frames: number;
  /** Counts the transactions. */
  readonly change: number;
}

/** @see https://www.sqlite.org/walformat.html#the_wal_index_header: two copies, of which one is always whole. */
function readIndex(path: string): Index | null {
  if (!existsSync(`${path}-shm`)) return null;
  const bytes = Buffer.alloc(2 * indexBytes);
  const file = openSync(`${path}-shm`, 'r');
  try {
    if (readSync(file, bytes, 0, bytes.length, 0) < bytes.length) return null;
  } finally {
    closeSync(file);
  }
  const isBigEndian = endianness() === 'BE';
  const read = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  for (const at of [0, indexBytes]) {
    const computed = checksumOf(bytes.subarray(at, at + 40), [0, 0], isBigEndian);
    if (!isSame(computed, [read(at + 40), read(at + 44)])) continue;
    const salts = bytes.toString('hex', at + 32, at + 40);
    return { salts, frames: read(at + 16), change: read(at + 8) };
  }
  return null;
}

interface LogHeader {
  readonly pageBytes: number;
  readonly isBigEndian: boolean;
  /** Marks the frames of this generation; null when the header is damaged: then those of the first whole frame count. */
  readonly salts: string | null;
  readonly checksum: Checksum;
}

type Checksum = readonly [number, number];

function parseHeader(header: Buffer, path: string): LogHeader | null {
  const isBigEndian =
    header.readUInt32BE(0) >>> 1 === magic >>> 1
      ? (header.readUInt32BE(0) & 1) === 1
      : endianness() === 'BE';
  const checksum = checksumOf(header.subarray(0, 24), [0, 0], isBigEndian);
  const isWhole = isSame(checksum, storedAt(header, 24));
  const pageBytes = isWhole ? header.readUInt32BE(8) : pageBytesOf(path);
  if (pageBytes < 512) return null;
  const salts = isWhole ? header.toString('hex', 16, 24) : null;
  return { pageBytes, isBigEndian, salts, checksum };
}

/** Of the database file; 0 for an empty one. */
function pageBytesOf(path: string): number {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(18);
    if (readSync(file, header, 0, 18, 0) < 18) return 0;
    const stored = header.readUInt16BE(16);
    return stored === 1 ? 65_536 : stored;
  } finally {
    closeSync(file);
  }
}

function countLost(file: number, log: LogHeader, index: Index | null): number {
  const frame = Buffer.alloc(frameHeaderBytes + log.pageBytes);
  const frames = Math.floor((fstatSync(file).size - headerBytes) / frame.length);
  let { salts, checksum } = log;
  let isReached = salts !== null;
  let isOfIndex = salts !== null && salts === index?.salts;
  let [lost, reached] = [0, 0];
  for (let i = 0; i < frames; i++) {
    if (readSync(file, frame, 0, frame.length, headerBytes + i * frame.length) < frame.length)
      break;
    const overNumbers = checksumOf(frame.subarray(0, 8), checksum, log.isBigEndian);
    const computed = checksumOf(frame.subarray(frameHeaderBytes), overNumbers, log.isBigEndian);
    // The stored checksum goes on to the next frame, so that frames behind a damaged one can be told again.
    checksum = storedAt(frame, 16);
    const follows = isSame(computed, checksum);
    const ownSalts = frame.toString('hex', 8, 16);
    if (follows) salts ??= ownSalts;
    isOfIndex ||= log.salts === null && ownSalts === index?.salts;
    const isWhole = follows && ownSalts === salts;
    isReached &&= isWhole;
    const endsTransaction = frame.readUInt32BE(4) !== 0;
    if (isReached && endsTransaction) reached = i + 1;
    if (isWhole && !isReached && endsTransaction) lost += 1;
  }
  // Which of the frames behind those that were reached ended a transaction is not known: one did.
  return isOfIndex && index !== null && reached < index.frames ? Math.max(1, lost) : lost;
}

/** Two running sums over pairs of 32-bit words. @param bytes - a multiple of 8. */
function checksumOf(bytes: Buffer, [first, second]: Checksum, isBigEndian: boolean): Checksum {
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    const a = isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const b = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
    one = (one + a + two) >>> 0;
    two = (two + b + one) >>> 0;
  }
  return [one, two];
}

function storedAt(bytes: Buffer, at: number): Checksum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function isSame([a, b]: Checksum, [c, d]: Checksum): boolean {
  return a === c && b === d;
}
