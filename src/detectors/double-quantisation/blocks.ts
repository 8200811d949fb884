/** How much more likely each block of a picture is to have been saved once than twice. */

import { blockCoefficients, blockPx, type Grid } from '../dct.ts';
import type { StoredPlane } from '../stored.ts';
import { mostSteps } from './comb.ts';
import { type Comb, fitComb } from './fit.ts';

/** Along the zig-zag; beyond, too few values are not zero. */
const frequencies = 15;
/** In nats; below, one save explains the histogram as well. */
const leastGain = 15;

export interface BlockReading {
  readonly columns: number;
  readonly rows: number;
  /** One log likelihood ratio a block, in nats; 0 where it says nothing. */
  readonly logSingle: Float32Array;
  /** What each frequency shows, null where it shows no earlier save. */
  readonly combs: readonly (Comb | null)[];
  /** Share 0..1 of blocks that reach black or white in a colour. Cutting off moves their coefficients, so they are not read. */
  readonly clippedShare: number;
}

export interface SavedPicture {
  readonly plane: StoredPlane;
  /** The stored pixels that `plane` is the luma of. */
  readonly rgb: Uint8Array;
  readonly grid: Grid;
  /** Of the last save, in zig-zag order; all 1 where the pixels were kept as they are. */
  readonly steps: readonly number[];
}

export function readBlocks({ plane, rgb, grid, steps }: SavedPicture): BlockReading {
  const own = blocksOf({ plane, rgb, grid });
  const beside = blocksOf({ plane, rgb, grid: halfAway(grid) });
  const logSingle = new Float32Array(own.columns * own.rows);
  const combs = own.planes.map((_, k) => {
    const step = steps[k]!;
    const values = quantise(own, k, step);
    const smoothed = quantise(beside, k, step);
    const comb = fitComb({ values, smoothed, step, isConstant: k === 0 }, leastGain);
    if (comb !== null) addReadings(values, comb, k === 0, logSingle);
    return comb;
  });
  const clipped = own.clipped.reduce((sum, one) => sum + one, 0);
  const { columns, rows } = own;
  return { columns, rows, logSingle, combs, clippedShare: clipped / own.clipped.length };
}

function blocksOf({ plane, rgb, grid }: Omit<SavedPicture, 'steps'>) {
  const coefficients = blockCoefficients(plane, grid, frequencies);
  const { columns, rows } = coefficients;
  const clipped = Uint8Array.from({ length: columns * rows }, (_, block) => {
    const left = grid.left + (block % columns) * blockPx;
    const top = grid.top + Math.floor(block / columns) * blockPx;
    return isClipped(rgb, 3 * (top * plane.width + left), 3 * plane.width) ? 1 : 0;
  });
  return { ...coefficients, clipped };
}

function isClipped(rgb: Uint8Array, start: number, line: number): boolean {
  for (let y = 0; y < blockPx; y++) {
    const end = start + y * line + 3 * blockPx;
    for (let at = start + y * line; at < end; at++) {
      if (rgb[at] === 0 || rgb[at] === 255) return true;
    }
  }
  return false;
}

function halfAway({ left, top }: Grid): Grid {
  return { left: (left + blockPx / 2) % blockPx, top: (top + blockPx / 2) % blockPx };
}

function quantise({ planes, clipped }: ReturnType<typeof blocksOf>, k: number, step: number) {
  return Int16Array.from(planes[k]!, (value, block) =>
    clipped[block] === 1 ? mostSteps + 1 : Math.round(value / step),
  );
}

function addReadings(
  values: Int16Array,
  { logSingle }: Comb,
  isConstant: boolean,
  into: Float32Array,
): void {
  for (let block = 0; block < values.length; block++) {
    const value = values[block]!;
    if (Math.abs(value) > mostSteps || (value === 0 && !isConstant)) continue;
    into[block]! += logSingle[value + mostSteps]!;
  }
}
