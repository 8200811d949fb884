/** The 8 by 8 transform of JPEG on a luma plane: coefficients of the blocks of one grid, and what a save does to them. */

import { placesInBlock } from '../image/zig-zag.ts';
import type { StoredPlane } from './stored.ts';

export const blockPx = 8;
const blockArea = blockPx * blockPx;
/** What JPEG subtracts before the transform: half the range, here of the constant coefficient. */
const levelShift = 1024;

/** Horizontal (`u`) and vertical (`v`) frequency of each coefficient in zig-zag order. */
const zigZag = placesInBlock.map((place) => ({
  u: place % blockPx,
  v: Math.floor(place / blockPx),
}));

/** `basis[8 * u + x]`: the orthonormal transform of eight samples. @see ITU-T T.81, A.3.3 */
const basis = Float64Array.from({ length: blockArea }, (_, at) => {
  const [u, x] = [Math.floor(at / blockPx), at % blockPx];
  const scale = u === 0 ? Math.sqrt(1 / 8) : Math.sqrt(2 / 8);
  return scale * Math.cos(((2 * x + 1) * u * Math.PI) / 16);
});

export interface Grid {
  /** Of its first whole block, 0..7, in pixels of the stored plane. */
  readonly left: number;
  readonly top: number;
}

export interface Coefficients {
  /** Whole blocks. */
  readonly columns: number;
  readonly rows: number;
  /** One plane of blocks for each frequency asked for, in zig-zag order, before any quantisation. */
  readonly planes: readonly Float32Array[];
}

/** @param frequencies - how many, from the constant one on along the zig-zag, 1..64. */
export function blockCoefficients(
  { luma, width, height }: StoredPlane,
  { left, top }: Grid,
  frequencies: number,
): Coefficients {
  const columns = Math.floor((width - left) / blockPx);
  const rows = Math.floor((height - top) / blockPx);
  const planes = Array.from({ length: frequencies }, () => new Float32Array(columns * rows));
  const asked = zigZag.slice(0, frequencies);
  const across = Math.max(...asked.map(({ u }) => u)) + 1;
  const halves = new Float64Array(blockArea);
  for (let block = 0; block < columns * rows; block++) {
    const column = block % columns;
    const start = (top + ((block - column) / columns) * blockPx) * width + left + column * blockPx;
    transformRows(luma, start, width, halves.subarray(0, across * blockPx));
    for (let k = 0; k < frequencies; k++) {
      const { u, v } = asked[k]!;
      const value = dot(basis, v * blockPx, halves, u * blockPx);
      planes[k]![block] = k === 0 ? value - levelShift : value;
    }
  }
  return { columns, rows, planes };
}

/** `halves[8 * u + y]`: frequency u of row y of the block at `start`. */
function transformRows(luma: Uint8Array, start: number, width: number, halves: Float64Array): void {
  for (let at = 0; at < halves.length; at++) {
    const u = at >> 3;
    const line = start + (at & 7) * width;
    let sum = 0;
    for (let x = 0; x < blockPx; x++) sum += basis[u * blockPx + x]! * luma[line + x]!;
    halves[at] = sum;
  }
}

function dot(a: Float64Array, atA: number, b: Float64Array, atB: number): number {
  let sum = 0;
  for (let i = 0; i < blockPx; i++) sum += a[atA + i]! * b[atB + i]!;
  return sum;
}
