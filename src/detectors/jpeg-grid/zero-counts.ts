/**
 * How many DCT coefficients are zero in the 8 by 8 block that begins at each pixel. JPEG sets many to zero in its own
 * blocks, so the count is high where a block of the picture's grid begins, and low one pixel beside it.
 */

import type { StoredPlane } from '../stored.ts';
import { kernelFor } from './kernel.ts';

const side = 8;
const overhang = side - 1;

export interface ZeroCounter {
  /**
   * Counts 0..64 of the blocks that begin in the square whose upper left pixel is (left, top), row by row, valid until
   * the next call. A block whose rows or whose columns are all alike counts 0: its zeros come from no compression.
   * Where a block would reach beyond the picture, the count means nothing.
   */
  count(plane: StoredPlane, left: number, top: number): Uint8Array;
}

/** @param reach - side in pixels of the squares; room is made once, and the loops allocate nothing. */
export function createZeroCounter(reach: number): ZeroCounter {
  const wide = reach + overhang;
  const { pixels, counts: wideCounts, run } = kernelFor(wide);
  const counts = new Uint8Array(reach * reach);
  return {
    count: (plane, left, top) => {
      copySquare(plane, { left, top, wide }, pixels);
      run();
      for (let y = 0, at = 0; y < reach; y++) {
        for (let start = y * wide; start < y * wide + reach; start++, at++) {
          const count = wideCounts[start]!;
          counts[at] = isStriped(pixels, start, wide, count) ? 0 : count;
        }
      }
      return counts;
    },
  };
}

interface Square {
  readonly left: number;
  readonly top: number;
  readonly wide: number;
}

/** The last pixels are repeated beyond the picture's edge. */
function copySquare({ luma, width, height }: StoredPlane, square: Square, into: Float32Array) {
  const { left, top, wide } = square;
  for (let y = 0; y < wide; y++) {
    const line = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < wide; x++) into[y * wide + x] = luma[line + Math.min(left + x, width - 1)]!;
  }
}

/**
 * True when all rows or all columns of the block are alike. Its coefficients that change the other way are all zero
 * then, so it is looked at only when there are so many.
 */
function isStriped(pixels: Float32Array, start: number, wide: number, zeros: number): boolean {
  if (zeros < side * overhang) return false;
  return isRepeated(pixels, start, wide, 1) || isRepeated(pixels, start, 1, wide);
}

/** True when the eight numbers `along` apart that begin at `start` come again, seven times, every `apart`. */
function isRepeated(pixels: Float32Array, start: number, apart: number, along: number): boolean {
  for (let i = 0; i < side; i++) {
    const first = start + i * along;
    for (let at = first + apart; at < first + side * apart; at += apart) {
      if (pixels[at] !== pixels[first]) return false;
    }
  }
  return true;
}
