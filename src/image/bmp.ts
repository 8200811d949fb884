/** Reads BMP files. @see Microsoft, Windows GDI: BITMAPFILEHEADER, BITMAPINFOHEADER to BITMAPV5HEADER. */

import { failure } from '../contract/failure-reasons.ts';
import { dataView } from './bytes.ts';
import type { RawPixels } from './pixels.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';

/** @throws {ForensicsError} `image_unreadable`. */
export function readBmp(bytes: Uint8Array): FileFacts {
  const { width, height, bits, hasAlpha } = readHeader(bytes);
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

function readHeader(bytes: Uint8Array) {
  const view = dataView(bytes);
  const headerBytes = bytes.length < 54 ? 0 : view.getUint32(14, true);
  if (headerBytes < 40) throw failure('damaged', { format: 'BMP', what: 'has no header' });
  const height = view.getInt32(22, true);
  const bits = view.getUint16(28, true);
  return {
    width: Math.abs(view.getInt32(18, true)),
    height: Math.abs(height),
    isTopDown: height < 0,
    bits,
    hasAlpha: bits === 32 && headerBytes >= 56,
    colours: Math.min(view.getUint32(46, true) || 2 ** bits, 256),
    paletteAt: 14 + headerBytes,
    rowsAt: view.getUint32(10, true),
  };
}

const bitsOfKinds = [1, 2, 4, 8, 24, 32];
const compressions = { none: 0, masks: 3 } as const;
/** Masks of red, green and blue, when stored in the usual order. */
const usualMasks = [0xff0000, 0xff00, 0xff];

/** @throws {ForensicsError} `image_unreadable`, `image_not_supported`. */
export function decodeBmp(bytes: Uint8Array): RawPixels {
  const header = readHeader(bytes);
  const { width, height, isTopDown, bits, hasAlpha, colours, paletteAt, rowsAt } = header;
  const view = dataView(bytes);
  const compression = view.getUint32(30, true);
  const hasMasks = bits === 32 && compression === compressions.masks;
  const isUsual = hasMasks
    ? usualMasks.every((mask, i) => bytes.length >= 70 && view.getUint32(54 + 4 * i, true) === mask)
    : compression === compressions.none && bitsOfKinds.includes(bits);
  if (!isUsual) throw failure('rare_kind', { format: 'BMP' });
  const isAlphaStored = hasAlpha && hasMasks && view.getUint32(66, true) !== 0;
  const stride = Math.ceil((width * bits) / 32) * 4;
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y++) {
    const row = rowsAt + (isTopDown ? y : height - 1 - y) * stride;
    for (let x = 0; x < width; x++, to += channels) {
      const index = bits <= 8 ? indexAt(bytes, row, x, bits) : 0;
      const from = bits <= 8 ? paletteAt + 4 * index : row + (x * bits) / 8;
      // A colour that the palette lacks is black.
      if (index < colours) for (let k = 0; k < 3; k++) data[to + k] = bytes[from + 2 - k] ?? 0;
      if (hasAlpha) data[to + 3] = isAlphaStored ? (bytes[from + 3] ?? 0) : 255;
    }
  }
  return { width, height, channels, data };
}

function indexAt(bytes: Uint8Array, row: number, x: number, bits: number): number {
  const perByte = 8 / bits;
  const byte = bytes[row + Math.floor(x / perByte)] ?? 0;
  return (byte >> (8 - bits * (1 + (x % perByte)))) & (2 ** bits - 1);
}
