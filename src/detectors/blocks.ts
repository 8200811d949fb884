/** Turns one value per 8 by 8 pixel block into a map over the whole upright picture. */

import type { Picture } from '../image/picture.ts';
import type { LumaPlane, Size } from '../image/pixels.ts';
import type { CellMap } from './regions.ts';
import { toUpright } from './stored-plane.ts';

interface BlockValues {
  /** Number of whole blocks of the stored picture, on the grid that starts at `grid`. */
  readonly columns: number;
  readonly rows: number;
  readonly grid: Grid;
  readonly values: Float32Array;
}

/** Cells without a whole block take the value of the nearest block. */
export function mapOfBlocks(blocks: BlockValues, facts: Picture['facts']): CellMap {
  const { columns, rows, grid } = blocks;
  const across = Math.ceil(facts.storedWidth / blockPx);
  const down = Math.ceil(facts.storedHeight / blockPx);
  const values = new Float32Array(across * down).map((_, at) => {
    const column = nearestBlock(at % across, grid.left, columns);
    const row = nearestBlock(Math.floor(at / across), grid.top, rows);
    return blocks.values[row * columns + column]!;
  });
  return toUpright({ cellPx: blockPx, columns: across, rows: down, values }, facts);
}

function nearestBlock(cell: number, offset: number, blocks: number): number {
  const block = offset > blockPx / 2 ? cell - 1 : cell;
  return Math.min(blocks - 1, Math.max(0, block));
}

/**
 * Mean over a square window around each cell, in row-major order; at an edge, over the part of the
 * window inside the map. Thanks to running sums, the time does not depend on the window size.
 *
 * @param radius - in cells; the window is `2 * radius + 1` wide.
 * @param means - output, an array other than `values`; filled and returned.
 */
export function boxMean(
  values: Float32Array,
  columns: number,
  radius: number,
  means: Float32Array = new Float32Array(values.length),
): Float32Array {
  const rows = values.length / columns;
  // One sum per column, with zeros on both sides as far as a window can extend past the edge.
  const sums = new Float64Array(columns + 2 * radius + 1);
  const inside = sums.subarray(radius + 1, radius + 1 + columns);
  const shares = Float64Array.from({ length: columns }, (_, x) => 1 / spanAt(x, columns, radius));
  for (let y = -radius; y < rows; y++) {
    slide(inside, values, (y + radius) * columns, (y - radius - 1) * columns);
    if (y < 0) continue;
    const row = means.subarray(y * columns, (y + 1) * columns);
    averageRow(sums, shares, 1 / spanAt(y, rows, radius), row);
  }
  return means;
}

function averageRow(sums: Float64Array, shares: Float64Array, share: number, means: Float32Array) {
  const span = sums.length - means.length;
  let sum = 0;
  for (let at = 0; at < span; at++) sum += sums[at]!;
  for (let x = 0; x < means.length; x++) {
    sum += sums[x + span]! - sums[x]!;
    means[x] = sum * shares[x]! * share;
  }
}

/** The number of cells of a line within `radius` of `at`. */
function spanAt(at: number, length: number, radius: number): number {
  return Math.min(length - 1, at + radius) - Math.max(0, at - radius) + 1;
}

/** Moves the window down: adds the row that enters to the sums and subtracts the one that leaves; 0 outside the map. */
function slide(sums: Float64Array, values: Float32Array, enters: number, leaves: number): void {
  const rowAt = (at: number) =>
    at < 0 || at >= values.length ? new Float32Array(sums.length) : values.subarray(at);
  const [entering, leaving] = [rowAt(enters), rowAt(leaves)];
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + entering[x]! - leaving[x]!;
}

// The 8 by 8 DCT of JPEG on a luma plane, for the blocks of one grid.

export const blockPx = 8;
const blockArea = blockPx * blockPx;
/** JPEG's level shift of 128, in units of the DC coefficient. */
const levelShift = 1024;

export interface Grid {
  /** Offset of the first whole block, 0..7, in pixels of the stored plane. */
  readonly left: number;
  readonly top: number;
}

/** Number of whole blocks of a grid that lie inside a plane. */
export function countBlocks({ width, height }: Size, { left, top }: Grid) {
  return {
    columns: Math.floor((width - left) / blockPx),
    rows: Math.floor((height - top) / blockPx),
  };
}

/**
 * Calls back with the 64 unquantised coefficients of each whole block, one row of blocks after another. They are laid
 * out as in the block, one row per vertical frequency, and are valid only until the next block.
 *
 * @param horizontal - how many of the lowest horizontal frequencies to compute; the others are 0.
 */
export function forEachBlock(
  { luma, width, height }: LumaPlane,
  grid: Grid,
  visit: (coefficients: Float32Array, block: number) => void,
  horizontal = blockPx,
): void {
  const { columns, rows } = countBlocks({ width, height }, grid);
  const halves = new Float64Array(blockArea);
  const coefficients = new Float32Array(blockArea);
  for (let block = 0; block < columns * rows; block++) {
    const column = block % columns;
    const row = (block - column) / columns;
    const start = (grid.top + row * blockPx) * width + grid.left + column * blockPx;
    transformRows(luma, start, width, halves);
    transformColumns(halves, coefficients, horizontal);
    coefficients[0]! -= levelShift;
    visit(coefficients, block);
  }
}

/** A faster `Math.round`: a coefficient of 24 bits divided by a step is never so near a half that they differ. */
export function nearestWhole(value: number): number {
  return Math.floor(value + 0.5);
}

const eight = new Float64Array(blockPx);
const outputs = new Float64Array(blockPx);

function transformRows(luma: Uint8Array, start: number, width: number, halves: Float64Array): void {
  for (let y = 0; y < blockPx; y++) {
    for (let x = 0; x < blockPx; x++) eight[x] = luma[start + y * width + x]!;
    transformEight(eight, 0, 1, halves, y * blockPx);
  }
}

function transformColumns(halves: Float64Array, coefficients: Float32Array, horizontal: number) {
  for (let u = 0; u < horizontal; u++) {
    transformEight(halves, u, blockPx, outputs);
    for (let at = u, v = 0; v < blockPx; at += blockPx, v++) {
      coefficients[at] = outputs[v]! * toOrthonormal[at]!;
    }
  }
}

const c4 = Math.SQRT1_2;
const c6 = Math.cos((6 * Math.PI) / 16);
const c2MinusC6 = Math.cos((2 * Math.PI) / 16) - c6;
const c2PlusC6 = Math.cos((2 * Math.PI) / 16) + c6;

/** The factor by which the result of `transformEight` exceeds the orthonormal transform, for each frequency. */
export const excess = Float64Array.from({ length: blockPx }, (_, u) =>
  u === 0 ? Math.sqrt(8) : 4 * Math.cos((u * Math.PI) / 16),
);
const toOrthonormal = Float64Array.from(
  { length: blockArea },
  (_, at) => 1 / (excess[at % blockPx]! * excess[Math.floor(at / blockPx)]!),
);

/**
 * DCT of the eight numbers from `start`, `step` apart; writes frequencies 0..7 from `to` on, scaled by `excess`.
 * By Arai, Agui and Nakajima (1988). Always pass the same type of array, so that V8 inlines this function.
 */
export function transformEight(
  from: Float64Array,
  start: number,
  step: number,
  into: Float64Array,
  to = 0,
): void {
  const v0 = from[start]!;
  const v1 = from[start + step]!;
  const v2 = from[start + 2 * step]!;
  const v3 = from[start + 3 * step]!;
  const v4 = from[start + 4 * step]!;
  const v5 = from[start + 5 * step]!;
  const v6 = from[start + 6 * step]!;
  const v7 = from[start + 7 * step]!;
  const d0 = v0 - v7;
  const d1 = v1 - v6;
  const d2 = v2 - v5;
  const s0 = v0 + v7;
  const s1 = v1 + v6;
  const s2 = v2 + v5;
  const s3 = v3 + v4;
  const low = s0 + s3;
  const high = s1 + s2;
  const edge = s0 - s3;
  const turned = (s1 - s2 + edge) * c4;
  const inner = v3 - v4 + d2;
  const outer = d1 + d0;
  const shared = (inner - outer) * c6;
  const near = c2MinusC6 * inner + shared;
  const far = c2PlusC6 * outer + shared;
  const middle = (d2 + d1) * c4;
  into[to] = low + high;
  into[to + 1] = d0 + middle + far;
  into[to + 2] = edge + turned;
  into[to + 3] = d0 - middle - near;
  into[to + 4] = low - high;
  into[to + 5] = d0 - middle + near;
  into[to + 6] = edge - turned;
  into[to + 7] = d0 + middle - far;
}
