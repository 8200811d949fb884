/**
 * What recovery would lose. SQLite reads the write-ahead log up to the first frame whose checksum is wrong and forgets the
 * rest without a word: after a crash that is the transaction under way, after damage it is everything that was committed
 * behind it. Here the rest is read, too: a whole frame of the present generation that ends a transaction is a loss.
 */

import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;

// A page that another process is writing looks damaged for an instant.
const looks = 3;
const pauseMs = 50;

/** @param path - of the database. @returns how many committed transactions recovery will not reach; 0 when all is well. */
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
  const file = openSync(`${path}-wal`, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return 0;
    const log = parseHeader(header, path);
    if (log === null) return 0;
    return countBehindGap(file, log);
  } finally {
    closeSync(file);
  }
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

function countBehindGap(file: number, log: LogHeader): number {
  const frame = Buffer.alloc(frameHeaderBytes + log.pageBytes);
  const frames = Math.floor((fstatSync(file).size - headerBytes) / frame.length);
  let { salts, checksum } = log;
  let isReached = salts !== null;
  let lost = 0;
  for (let i = 0; i < frames; i++) {
    if (readSync(file, frame, 0, frame.length, headerBytes + i * frame.length) < frame.length)
      break;
    const overNumbers = checksumOf(frame.subarray(0, 8), checksum, log.isBigEndian);
    const computed = checksumOf(frame.subarray(frameHeaderBytes), overNumbers, log.isBigEndian);
    // The stored checksum goes on to the next frame, so that frames behind a damaged one can be told again.
    checksum = storedAt(frame, 16);
    const follows = isSame(computed, checksum);
    if (follows) salts ??= frame.toString('hex', 8, 16);
    const isWhole = follows && frame.toString('hex', 8, 16) === salts;
    isReached &&= isWhole;
    const endsTransaction = frame.readUInt32BE(4) !== 0;
    if (isWhole && !isReached && endsTransaction) lost += 1;
  }
  return lost;
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
