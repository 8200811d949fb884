/**
 * Reads BMP files. @see Microsoft, Windows GDI: BITMAPFILEHEADER, BITMAPINFOHEADER to BITMAPV5HEADER, Bitmap Compression.
 */

import { failure } from '../contract/failure-reasons.ts';
import { dataView } from './bytes.ts';
import type { RawPixels } from './pixels.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';

interface BmpHeader {
  readonly width: number;
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly compression: number;
  /** Offset of the first row in the file. */
  readonly rows: number;
  readonly headerBytes: number;
  readonly colours: number;
}

const compressions = { none: 0, rle8: 1, rle4: 2, masks: 3, alphaMasks: 6 } as const;

/** @throws {ForensicsError} `image_unreadable`. */
export function readBmp(bytes: Uint8Array): FileFacts {
  const { width, height, bits, headerBytes } = readHeader(bytes);
  const hasAlpha = bits === 32 && headerBytes >= 56;
  return {
    ...ordinaryFile,
    width,
    height,
    bitsPerSample: Math.min(bits, 8),
    channels: hasAlpha ? 4 : 3,
    colourSpace: bits <= 8 ? 'palette' : 'RGB',
    hasAlpha,
    endOffset: Math.min(dataView(bytes).getUint32(2, true) || bytes.length, bytes.length),
  };
}

function readHeader(bytes: Uint8Array): BmpHeader {
  const view = dataView(bytes);
  const headerBytes = bytes.length < 54 ? 0 : view.getUint32(14, true);
  // The OS/2 header has 16-bit sides.
  const isOld = headerBytes === 12;
  if (!isOld && headerBytes < 40) throw damaged('has no header');
  const height = isOld ? view.getUint16(20, true) : view.getInt32(22, true);
  return {
    width: isOld ? view.getUint16(18, true) : Math.abs(view.getInt32(18, true)),
    height: Math.abs(height),
    isTopDown: height < 0,
    bits: view.getUint16(isOld ? 24 : 28, true),
    compression: isOld ? 0 : view.getUint32(30, true),
    rows: view.getUint32(10, true),
    headerBytes,
    colours: isOld ? 0 : view.getUint32(46, true),
  };
}

/** @throws {ForensicsError} `image_unreadable`, `image_not_supported`. */
export function decodeBmp(bytes: Uint8Array): RawPixels {
  const header = readHeader(bytes);
  const { width, height, isTopDown, bits, compression } = header;
  const isRunLength = compression === compressions.rle8 || compression === compressions.rle4;
  const known: readonly number[] = Object.values(compressions);
  if (!known.includes(compression) || ![1, 2, 4, 8, 16, 24, 32].includes(bits))
    throw damaged('is of a rare kind');
  const read = bits <= 8 ? paletteReader(bytes, header) : colourReader(bytes, header);
  const indices = isRunLength ? unpackRuns(bytes, header) : null;
  const stride = Math.ceil((width * bits) / 32) * 4;
  const channels = bits === 32 && header.headerBytes >= 56 ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y++) {
    const row = isTopDown ? y : height - 1 - y;
    for (let x = 0; x < width; x++, to += channels) {
      const colour = indices
        ? read.colour(indices[row * width + x]!)
        : read.at(header.rows + row * stride, x);
      data[to] = colour & 255;
      data[to + 1] = (colour >> 8) & 255;
      data[to + 2] = (colour >> 16) & 255;
      if (channels === 4) data[to + 3] = colour >>> 24;
    }
  }
  return { width, height, channels, data };
}

/** Colours are packed into numbers, from the lowest byte upwards: red, green, blue and alpha. */
interface Reader {
  colour(index: number): number;
  at(row: number, x: number): number;
}

function paletteReader(bytes: Uint8Array, { headerBytes, bits, colours }: BmpHeader): Reader {
  const size = headerBytes === 12 ? 3 : 4;
  const start = 14 + headerBytes;
  const count = Math.min(colours || 2 ** bits, 256);
  const table = Array.from({ length: count }, (_, i) => {
    const [blue = 0, green = 0, red = 0] = bytes.subarray(start + i * size);
    return red | (green << 8) | (blue << 16);
  });
  const colour = (index: number) => table[index] ?? 0;
  const perByte = 8 / bits;
  return {
    colour,
    at: (row, x) => {
      const byte = bytes[row + Math.floor(x / perByte)] ?? 0;
      return colour((byte >> (8 - bits * (1 + (x % perByte)))) & (2 ** bits - 1));
    },
  };
}

function colourReader(bytes: Uint8Array, { bits, compression, headerBytes }: BmpHeader): Reader {
  const size = bits / 8;
  const stated = compression === compressions.masks || compression === compressions.alphaMasks;
  const usual = bits === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0xff00, 0xff, 0];
  const view = dataView(bytes);
  // With the oldest header, the masks follow it; in later headers, they are fields at the same offset.
  const masks = stated
    ? [0, 1, 2, 3].map((i) => (i < 3 || headerBytes >= 56 ? view.getUint32(54 + 4 * i, true) : 0))
    : usual;
  const parts = masks.map((mask, i) => {
    const trailingZeros = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
    return { mask: mask >>> 0, shift: trailingZeros, to: 8 * i };
  });
  return {
    colour: () => 0,
    at: (row, x) => {
      let value = 0;
      for (let i = 0, at = row + x * size; i < size; i++)
        value += (bytes[at + i] ?? 0) * 2 ** (8 * i);
      let colour = 0;
      for (const { mask, shift, to } of parts) {
        const most = mask >>> shift;
        const share = most === 0 ? 255 : Math.round((((value & mask) >>> shift) * 255) / most);
        colour |= share << to;
      }
      return colour;
    },
  };
}

/**
 * Decompresses run-length encoding into one index per pixel, with the rows in stored order. Escapes: 0 ends a row, 1
 * ends the picture, 2 moves the position, and a larger value is the number of literal indices that follow.
 */
function unpackRuns(
  bytes: Uint8Array,
  { width, height, rows, compression }: BmpHeader,
): Uint8Array {
  const indices = new Uint8Array(width * height);
  const isNibbles = compression === compressions.rle4;
  let [x, y, at] = [0, 0, rows];
  const put = (index: number) => {
    if (x < width && y < height) indices[y * width + x] = index;
    x++;
  };
  const nibble = (from: number, i: number) => {
    const byte = bytes[from + (isNibbles ? i >> 1 : i)] ?? 0;
    if (!isNibbles) return byte;
    return i % 2 === 0 ? byte >> 4 : byte & 15;
  };
  while (at + 1 < bytes.length && y < height) {
    const [count, value] = [bytes[at]!, bytes[at + 1]!];
    at += 2;
    if (count > 0) for (let i = 0; i < count; i++) put(nibble(at - 1, isNibbles ? i % 2 : 0));
    else if (value === 0) [x, y] = [0, y + 1];
    else if (value === 1) break;
    else if (value === 2) {
      [x, y] = [x + (bytes[at] ?? 0), y + (bytes[at + 1] ?? 0)];
      at += 2;
    } else {
      for (let i = 0; i < value; i++) put(nibble(at, i));
      at += 2 * Math.ceil((isNibbles ? Math.ceil(value / 2) : value) / 2);
    }
  }
  return indices;
}

/** `what` completes "The BMP file ...". */
function damaged(what: string) {
  return failure('damaged', { format: 'BMP', what });
}
