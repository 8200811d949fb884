/** Changes a picture in its structure: segments, chunks, lengths, offsets and counts, and bytes inside them. */

import { pngChunk, pngSignature, splitPng } from '../../test/fixtures/png-chunks.ts';
import { pick } from './proof.ts';

type Random = () => number;

/** Makes one to four changes, the same for the same random numbers. */
export function mutated(random: Random, base: Buffer): Buffer {
  let parts = split(base);
  const isPng = base[0] === 0x89;
  const isJpeg = base[0] === 0xff && base[1] === 0xd8;
  const changes = 1 + below(random, 4);
  // Mostly in metadata: a change of the pixels usually makes the picture invalid, and nothing else
  // is read then.
  const isOfMetadata = random() < 0.7;
  for (let n = 0; n < changes; n++) {
    // In other formats the structure is mostly at the front.
    const isAbout = (part: Buffer, place: number) =>
      isPng || isJpeg ? isMetadata(part) : place < headPieces;
    const places = isOfMetadata
      ? parts.flatMap((part, place) => (isAbout(part, place) ? place : []))
      : [];
    const at = places.length > 0 ? pick(random, places) : below(random, parts.length);
    parts = pick(random, ways)(random, parts, at);
    if (parts.length === 0) parts = [Buffer.alloc(0)];
  }
  // Mostly with correct checksums and lengths: otherwise reading stops at the first wrong one.
  const isMended = (isPng || isJpeg) && random() < 0.8;
  const whole = isMended ? parts.map(isPng ? withChecksum : withLength) : parts;
  return Buffer.concat(isPng && random() < 0.99 ? [pngSignature, ...whole] : whole);
}

type Way = (random: Random, parts: readonly Buffer[], at: number) => readonly Buffer[];

const drop: Way = (_random, parts, at) => parts.toSpliced(at, 1);
const repeat: Way = (random, parts, at) =>
  parts.toSpliced(at, 0, ...Array<Buffer>(1 + below(random, 3)).fill(parts[at]!));
const swap: Way = (random, parts, at) => {
  const other = below(random, parts.length);
  return parts.with(at, parts[other]!).with(other, parts[at]!);
};
const cut: Way = (random, parts, at) =>
  parts.with(at, parts[at]!.subarray(0, below(random, parts[at]!.length + 1)));
const stretch: Way = (random, parts, at) => {
  const filler = Buffer.alloc(below(random, 70_000), below(random, 256));
  return parts.with(at, Buffer.concat([parts[at]!, filler]));
};
/** An extreme value in two or four bytes, in either byte order: lengths, offsets, counts, dimensions. */
const extreme: Way = (random, parts, at) => {
  const bytes = Buffer.from(parts[at]!);
  if (bytes.length < 8) return parts;
  const place = below(random, Math.min(bytes.length - 4, random() < 0.5 ? 64 : bytes.length));
  const value = pick(
    random,
    [0, 1, 2, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0x80000000],
  );
  const form = below(random, 3);
  if (form === 0) bytes.writeUInt32LE(value, place);
  else if (form === 1) bytes.writeUInt32BE(value, place);
  else bytes.writeUInt16BE(value & 0xffff, place);
  return parts.with(at, bytes);
};
const flip: Way = (random, parts, at) => {
  const bytes = Buffer.from(parts[at]!);
  const flips = bytes.length === 0 ? 0 : 1 + below(random, 8);
  for (let n = 0; n < flips; n++) bytes[below(random, bytes.length)]! ^= 1 << below(random, 8);
  return parts.with(at, bytes);
};
/** Texts that could break XML, EXIF texts and paths in JUMBF. */
const words = [
  '<!DOCTYPE a [<!ENTITY b "&c;&c;"><!ENTITY c "dddd">]>&b;',
  '<a>'.repeat(2000),
  '\0\0\0\0',
  '%s%n%x',
  '../../../../etc/passwd',
  '\u202e\ud800\uffff',
  'A'.repeat(60_000),
  '-1e999',
];
const insert: Way = (random, parts, at) => {
  const bytes = parts[at]!;
  const place = below(random, bytes.length + 1);
  const word = Buffer.from(pick(random, words));
  const behind = bytes.subarray(
    random() < 0.5 ? Math.min(bytes.length, place + word.length) : place,
  );
  return parts.with(at, Buffer.concat([bytes.subarray(0, place), word, behind]));
};

const ways = [drop, repeat, swap, cut, stretch, extreme, extreme, flip, flip, insert];

function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

const headPieces = 8;

/**
 * A JPEG's segments up to its first scan and the rest in four pieces; chunks of a PNG; others in
 * pieces, small ones first.
 */
function split(base: Buffer): readonly Buffer[] {
  if (base[0] === 0x89) return splitPng(base).map(({ bytes }) => bytes);
  if (base[0] !== 0xff || base[1] !== 0xd8) {
    const head = Array.from({ length: headPieces }, (_, i) => base.subarray(96 * i, 96 * (i + 1)));
    const [rest, piece] = [base.subarray(96 * headPieces), Math.ceil(base.length / 4)];
    const tail = [0, 1, 2, 3].map((i) => rest.subarray(i * piece, (i + 1) * piece));
    return [...head, ...tail].filter(({ length }) => length > 0);
  }
  const parts = [base.subarray(0, 2)];
  let at = 2;
  while (base[at] === 0xff && base[at + 1] !== 0xda) {
    const end = at + 2 + base.readUInt16BE(at + 2);
    parts.push(base.subarray(at, end));
    at = end;
  }
  const step = Math.ceil((base.length - at) / 4);
  for (; at < base.length; at += step) parts.push(base.subarray(at, at + step));
  return parts;
}

function isMetadata(part: Buffer): boolean {
  return isApplication(part) || /^[a-z][A-Za-z]{3}$/.test(part.toString('latin1', 4, 8));
}

function isApplication(part: Buffer): boolean {
  return part[0] === 0xff && part[1]! >= 0xe0 && part[1]! <= 0xef;
}

/** An application segment with its length corrected. */
function withLength(segment: Buffer): Buffer {
  const isLong = segment.length > 0xffff + 2;
  if (!isApplication(segment) || segment.length < 4 || isLong) return segment;
  const whole = Buffer.from(segment);
  whole.writeUInt16BE(segment.length - 2, 2);
  return whole;
}

/** The chunk with its length and checksum corrected. */
function withChecksum(chunk: Buffer): Buffer {
  if (chunk.length < 12) return chunk;
  return pngChunk(chunk.toString('latin1', 4, 8), chunk.subarray(8, -4));
}
