/** Determines from the compressed data how many rows of a damaged PNG are intact. */

import { createInflate } from 'node:zlib';
import { colourTypes, type PngFile } from './png.ts';

/**
 * Number of intact rows from the top: those before the first chunk with a wrong checksum and before the first invalid code.
 */
export async function soundRowsOfPng(file: PngFile): Promise<number> {
  const { width, height, bitDepth, colourType, isInterlaced, pixelChunks } = file;
  const data = pixelChunks.filter(({ type }) => type === 'IDAT');
  const damaged = data.findIndex(({ isSound }) => !isSound);
  const sound = damaged < 0 ? data : data.slice(0, damaged);
  // A palette pixel is a single index.
  const samples = colourType === 3 ? 1 : colourTypes[colourType].channels;
  const rowBytes = (pixels: number) =>
    pixels === 0 ? 0 : 1 + Math.ceil((pixels * samples * bitDepth) / 8);
  // A decompression bomb cannot claim more than all rows.
  const maxBytes = 2 * height * rowBytes(width);
  const bytes = await inflatedBytes(
    sound.map((chunk) => chunk.data),
    maxBytes,
  );
  if (!isInterlaced) return Math.min(height, Math.floor(bytes / rowBytes(width)));
  const before = passes.reduce(
    (sum, { left, top, right, below }) =>
      sum +
      Math.max(0, Math.ceil((height - top) / below)) *
        rowBytes(Math.max(0, Math.ceil((width - left) / right))),
    0,
  );
  // The last pass contains every other row.
  const rows = Math.floor(Math.max(0, bytes - before) / rowBytes(width));
  return rows >= height >> 1 ? height : 2 * rows;
}

/** All but the last pass of Adam7 (PNG specification, 8.2): its first pixel and its steps. */
const passes = [
  { left: 0, top: 0, right: 8, below: 8 },
  { left: 4, top: 0, right: 8, below: 8 },
  { left: 0, top: 4, right: 4, below: 8 },
  { left: 2, top: 0, right: 4, below: 4 },
  { left: 0, top: 2, right: 2, below: 4 },
  { left: 1, top: 0, right: 2, below: 2 },
];

/** Inflates in pieces, because the output of a broken piece is lost. */
const pieceBytes = 1024;

async function inflatedBytes(parts: readonly Uint8Array[], maxBytes: number): Promise<number> {
  const inflate = createInflate();
  let count = 0;
  inflate.on('data', (data: Uint8Array) => (count += data.length));
  const isOver = new Promise<void>((resolve) => {
    inflate.once('error', () => resolve());
    inflate.once('end', () => resolve());
  });
  for (const part of parts) {
    for (let at = 0; at < part.length; at += pieceBytes) {
      const piece = part.subarray(at, at + pieceBytes);
      const written = new Promise<void>((resolve) => inflate.write(piece, () => resolve()));
      // oxlint-disable-next-line no-await-in-loop -- a stream
      await Promise.race([written, isOver]);
      if (inflate.destroyed || count > maxBytes) return count;
    }
  }
  inflate.end();
  await isOver;
  return count;
}
