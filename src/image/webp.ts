/** Reads the chunks of a WebP file. @see RFC 9649, WebP Image Format. */

import { failure } from '../contract/failure-reasons.ts';
import { ascii, dataView } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';

const maxChunks = 10_000;

/** @throws {ForensicsError} `image_unreadable`. */
export function readWebp(bytes: Uint8Array): FileFacts {
  const chunks = readChunks(bytes);
  const find = (type: string) => chunks.find((chunk) => chunk.type === type)?.data;
  const [extended, lossless] = [find('VP8X'), find('VP8L')];
  const picture = find('VP8 ') ?? lossless ?? find('ANMF');
  if (picture === undefined) throw damaged('contains no picture data');
  const flags = extended?.[0] ?? 0;
  const hasAlpha = extended === undefined ? isAlphaUsed(lossless) : (flags & 0x10) !== 0;
  const all = (type: string) =>
    chunks.filter((chunk) => chunk.type === type).map(({ data }) => data);
  return {
    ...ordinaryFile,
    ...(extended ? canvasSize(extended) : lossless ? losslessSize(lossless) : lossySize(picture)),
    channels: hasAlpha ? 4 : 3,
    colourSpace: lossless === undefined ? 'YCbCr' : 'RGB',
    hasAlpha,
    icc: find('ICCP') ?? null,
    notes: (flags & 0x02) === 0 ? [] : ['first_frame_of_animation'],
    // libvips writes the same prefix as it does in a JPEG.
    exif: all('EXIF').map((data) => (ascii(data, 0, 6) === 'Exif\0\0' ? data.subarray(6) : data)),
    xmp: all('XMP '),
    hasCredentials: chunks.some(({ type }) => type === 'C2PA'),
    endOffset: Math.min(8 + dataView(bytes).getUint32(4, true), bytes.length),
  };
}

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Reads the chunks. One that extends past the end is truncated, because decoders show what there is. */
function readChunks(bytes: Uint8Array): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const view = dataView(bytes);
  for (let at = 12; at + 8 <= bytes.length && chunks.length < maxChunks; ) {
    const size = view.getUint32(at + 4, true);
    chunks.push({ type: ascii(bytes, at, 4), data: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size + (size % 2);
  }
  return chunks;
}

function canvasSize(data: Uint8Array) {
  if (data.length < 10) throw damaged('has no header');
  const at = (i: number) => 1 + (data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16));
  return { width: at(4), height: at(7) };
}

function losslessSize(data: Uint8Array) {
  if (data.length < 5) throw damaged('has no header');
  const bits = dataView(data).getUint32(1, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
}

function isAlphaUsed(lossless: Uint8Array | undefined): boolean {
  return (
    lossless !== undefined &&
    lossless.length >= 5 &&
    (dataView(lossless).getUint32(1, true) & 0x1000_0000) !== 0
  );
}

/** A key frame: a three-byte tag, a three-byte start code, then 14 bits for each side. */
function lossySize(data: Uint8Array) {
  if (data.length < 10 || ascii(data, 3, 3) !== '\x9d\x01*') throw damaged('has no header');
  const view = dataView(data);
  return { width: view.getUint16(6, true) & 0x3fff, height: view.getUint16(8, true) & 0x3fff };
}

/** `what` completes "The WebP file ...". */
function damaged(what: string) {
  return failure('damaged', { format: 'WebP', what });
}
