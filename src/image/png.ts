/** The chunks of a PNG file, read without decoding a pixel (W3C PNG specification, third edition). */

import { crc32 } from 'node:zlib';
import { failure } from '../contract/failure-reasons.ts';
import type { ForensicsError } from '../errors.ts';

export interface PngChunk {
  /** Four letters: `tEXt`. */
  readonly type: string;
  readonly data: Uint8Array;
}

export interface PngFile {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colourType: keyof typeof colourTypes;
  /** A colour or an alpha channel makes pixels transparent, or may. */
  readonly hasAlpha: boolean;
  readonly isAnimated: boolean;
  /** Text, EXIF and colour profile, in the order of the file. */
  readonly metadataChunks: readonly PngChunk[];
  /** True when there were more metadata chunks than are stored. */
  readonly isMetadataCut: boolean;
  /** A chunk of C2PA content credentials is there. */
  readonly hasCredentials: boolean;
  /** Position behind IEND: what follows is not part of the picture. */
  readonly endOffset: number;
  /** Ranges of the bytes that the pixels need: signature, IHDR, PLTE, tRNS, IDAT, IEND. */
  readonly pixelRanges: readonly (readonly [start: number, end: number])[];
}

/** Channels and allowed bit depths of each colour type (Table 11.1 of the specification). */
export const colourTypes = {
  0: { name: 'grey', channels: 1, bitDepths: [1, 2, 4, 8, 16] },
  2: { name: 'RGB', channels: 3, bitDepths: [8, 16] },
  3: { name: 'palette', channels: 3, bitDepths: [1, 2, 4, 8] },
  4: { name: 'grey', channels: 2, bitDepths: [8, 16] },
  6: { name: 'RGB', channels: 4, bitDepths: [8, 16] },
} as const;

const signatureBytes = 8;
const pixelTypes: readonly string[] = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
const metadataTypes: readonly string[] = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'iCCP'];

/** Bounds for hostile files: 8 KB a chunk, as common encoders write them, makes 6,400 chunks of 50 MB. */
const maxChunks = 100_000;
const maxMetadataChunks = 10_000;

/** Size in pixels, read from the first chunk alone. @throws {ForensicsError} `image_unreadable`. */
export function readPngSize(bytes: Uint8Array): { width: number; height: number } {
  const header = readChunk(bytes, signatureBytes);
  if (header.type !== 'IHDR' || header.data.length !== 13) throw damaged('has no header');
  checkSum(bytes, header);
  const view = dataView(header.data);
  return { width: view.getUint32(0), height: view.getUint32(4) };
}

/**
 * All that is known of the file without its pixels. The checksums of the chunks that hold them are verified.
 *
 * @throws {ForensicsError} `image_unreadable` when truncated or damaged.
 */
export function readPng(bytes: Uint8Array): PngFile {
  const { width, height } = readPngSize(bytes);
  const walk = walkChunks(bytes);
  const [bitDepth, type] = bytes.subarray(signatureBytes + 16);
  const colourType = ([0, 2, 3, 4, 6] as const).find((known) => known === type);
  const bitDepths: readonly number[] =
    colourType === undefined ? [] : colourTypes[colourType].bitDepths;
  if (colourType === undefined || bitDepth === undefined || !bitDepths.includes(bitDepth)) {
    throw damaged('has an impossible colour type');
  }
  if (!walk.types.has('IDAT')) throw damaged('holds no picture data');
  return {
    width,
    height,
    bitDepth,
    colourType,
    hasAlpha: colourType === 4 || colourType === 6 || walk.types.has('tRNS'),
    isAnimated: walk.types.has('acTL'),
    metadataChunks: walk.metadata.slice(0, maxMetadataChunks),
    isMetadataCut: walk.metadata.length > maxMetadataChunks,
    hasCredentials: walk.types.has('caBX'),
    endOffset: walk.endOffset,
    pixelRanges: walk.pixelRanges,
  };
}

/** Goes from chunk to chunk up to IEND. */
function walkChunks(bytes: Uint8Array) {
  const types = new Set<string>();
  const metadata: PngChunk[] = [];
  const pixelRanges: [number, number][] = [[0, signatureBytes]];
  let offset = signatureBytes;
  for (let count = 0; count < maxChunks; count++) {
    const chunk = readChunk(bytes, offset);
    types.add(chunk.type);
    if (metadataTypes.includes(chunk.type) && metadata.length <= maxMetadataChunks)
      metadata.push(chunk);
    if (pixelTypes.includes(chunk.type)) {
      checkSum(bytes, chunk);
      extend(pixelRanges, offset, chunk.end);
    }
    if (chunk.type === 'IEND') {
      return { types, metadata, pixelRanges, endOffset: chunk.end };
    }
    offset = chunk.end;
  }
  throw damaged(`has more than ${maxChunks} chunks`);
}

/** A chunk: length of its data, type, data, CRC-32 of type and data. */
function readChunk(bytes: Uint8Array, offset: number) {
  const dataStart = offset + 8;
  if (dataStart > bytes.length) throw truncated();
  const length = dataView(bytes).getUint32(offset);
  const end = dataStart + length + 4;
  if (end > bytes.length) throw truncated();
  const type = String.fromCharCode(...bytes.subarray(offset + 4, dataStart));
  if (!/^[A-Za-z]{4}$/.test(type)) throw damaged('has a chunk without a name');
  return { type, data: bytes.subarray(dataStart, dataStart + length), offset, end };
}

function checkSum(bytes: Uint8Array, chunk: ReturnType<typeof readChunk>): void {
  const stored = dataView(bytes).getUint32(chunk.end - 4);
  const computed = crc32(bytes.subarray(chunk.offset + 4, chunk.end - 4));
  if (stored !== computed) throw damaged(`fails its checksum in a ${chunk.type} chunk`);
}

/** Adds a range, or lengthens the last one when the two touch. */
function extend(ranges: [number, number][], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === start) last[1] = end;
  else ranges.push([start, end]);
}

function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** `what` completes "The PNG file ...". */
function damaged(what: string): ForensicsError {
  return failure('damaged', { format: 'PNG', what });
}

function truncated(): ForensicsError {
  return failure('cut_off', { format: 'PNG' });
}
