/** Writes PNG files of palette colours, which sharp only does after choosing colours of its own. */

import { crc32, deflateSync } from 'node:zlib';
import type { Size } from './colour-map.ts';

interface Indexed extends Size {
  /** Row-major, one byte a pixel. */
  readonly indices: Uint8Array;
}

/**
 * @param palette - RGB bytes, at most 256 colours.
 * @returns a PNG file of 8 bits a pixel, PNG Specification, Third Edition (W3C 2025).
 */
export function encodePalettePng(image: Indexed, palette: Uint8Array): Uint8Array {
  const { width, height } = image;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, palette; compression, filter and interlace have one value each that is of use here: 0.
  header.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(filtered(image), { level: 6 })),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Palette indices say nothing about their neighbours, so no filter but one: a row like the one above it is all zeros. */
function filtered({ width, height, indices }: Indexed): Uint8Array {
  const up = 2;
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y++) {
    const row = indices.subarray(y * width, (y + 1) * width);
    const isRepeated =
      y > 0 && Buffer.compare(row, indices.subarray((y - 1) * width, y * width)) === 0;
    if (isRepeated) rows[y * (width + 1)] = up;
    else rows.set(row, y * (width + 1) + 1);
  }
  return rows;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
