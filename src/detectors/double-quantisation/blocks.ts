/** How much more likely each block of a picture is to have been saved once than twice. */

import { placesInBlock } from '../../image/zig-zag.ts';
import { blockPx, countBlocks, forEachBlock, type Grid } from '../dct.ts';
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

export function readBlocks(saved: SavedPicture): BlockReading {
  const own = quantise(saved);
  const beside = quantise({ ...saved, grid: halfAway(saved.grid) });
  const { columns, rows } = countBlocks(saved.plane, saved.grid);
  const logSingle = new Float32Array(columns * rows);
  const combs = own.values.map((values, k) => {
    const smoothed = beside.values[k]!;
    const step = saved.steps[k]!;
    const comb = fitComb({ values, smoothed, step, isConstant: k === 0 }, leastGain);
    if (comb !== null) addReadings(values, comb, k === 0, logSingle);
    return comb;
  });
  return { columns, rows, logSingle, combs, clippedShare: own.clipped / (columns * rows) };
}

/** The values of each frequency that is read, block by block; beyond `mostSteps` where a block is clipped. */
function quantise({ plane, rgb, grid, steps }: SavedPicture) {
  const { columns, rows } = countBlocks(plane, grid);
  const values = Array.from({ length: frequencies }, () => new Int16Array(columns * rows));
  let clipped = 0;
  forEachBlock(plane, grid, (coefficients, block) => {
    const left = grid.left + (block % columns) * blockPx;
    const top = grid.top + Math.floor(block / columns) * blockPx;
    if (isClipped(rgb, 3 * (top * plane.width + left), 3 * plane.width)) {
      clipped++;
      for (let k = 0; k < frequencies; k++) values[k]![block] = mostSteps + 1;
      return;
    }
    for (let k = 0; k < frequencies; k++) {
      values[k]![block] = Math.round(coefficients[placesInBlock[k]!]! / steps[k]!);
    }
  });
  return { values, clipped };
}

function isClipped(rgb: Uint8Array, start: number, line: number): boolean {
  for (let y = 0; y < blockPx; y++) {
    const end = start + y * line + 3 * blockPx;
    for (let at = start + y * line; at < end; at++) {
      // 0 and 255 alone become 1 and 256 here, which have none of these bits.
      if (((rgb[at]! + 1) & 254) === 0) return true;
    }
  }
  return false;
}

function halfAway({ left, top }: Grid): Grid {
  return { left: (left + blockPx / 2) % blockPx, top: (top + blockPx / 2) % blockPx };
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
