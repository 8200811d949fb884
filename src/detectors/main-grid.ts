/**
 * Where the 8 by 8 blocks of an earlier JPEG save begin, read from pixels that were stored without loss since. Each pixel
 * votes for the one of 64 possible grids whose block around it has the most zero coefficients.
 *
 * @see Nikoukhah, Anger, Colom, Morel and Grompone von Gioi, "ZERO: a Local JPEG Grid Origin Detector Based on the Number
 * of DCT Zeros and its Applications in Image Forensics", Image Processing On Line 11 (2021), 396-433.
 */

import { blockPx, excess, transformEight } from './blocks.ts';
import type { StoredPlane } from './stored-plane.ts';

const grids = blockPx * blockPx;
const blockArea = blockPx * blockPx;
const overhang = blockPx - 1;
/** Side of the squares of pixels that vote. */
const squarePx = 64;
/** About half a picture of one megapixel; one core casts some four million votes a second. */
const maxVotes = 300_000;

/** Whether no pixel, or hardly one, has all 64 blocks around it inside the picture. */
export function isTooSmallToVote({ width, height }: StoredPlane): boolean {
  return Math.min(width, height) < squarePx;
}

export interface MainGrid {
  /** Origin of the first whole block of the grid, 0..7 each, in pixels of the plane. */
  readonly left: number;
  readonly top: number;
  /** log10 of how many grids with so many votes are expected in pure noise. */
  readonly logFalseAlarms: number;
}

/** The grid with the most votes. */
export function findMainGrid(plane: StoredPlane): MainGrid {
  const votes = countVotes(plane);
  const grid = votes.indexOf(Math.max(...votes));
  const cast = Math.max(
    1,
    votes.reduce((sum, count) => sum + count, 0),
  );
  // As many neighbouring votes as one block decides count as one trial.
  const trials = Math.ceil(cast / blockArea);
  const hits = Math.floor(votes[grid]! / blockArea);
  const logFalseAlarms = logTail(hits, trials, 1 / grids) + Math.log10(grids);
  return { left: grid % blockPx, top: Math.floor(grid / blockPx), logFalseAlarms };
}

/** Votes for each grid, at index `left + 8 * top` of its origin; of a large plane evenly spread squares vote. */
function countVotes(plane: StoredPlane): readonly number[] {
  const { width, height } = plane;
  const shrink = Math.max(1, Math.sqrt((width * height) / maxVotes));
  const squareStep = Math.ceil(squarePx * shrink);
  const [across, down] = [squaresAlong(width, squareStep), squaresAlong(height, squareStep)];
  const counter = createZeroCounter(squarePx + overhang);
  const votes = new Int32Array(grids);
  const vote = createVoter(votes);
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const [left, top] = [column * squareStep, row * squareStep];
      vote(counter.count(plane, left, top), {
        left,
        top,
        width: Math.min(squarePx, width - 2 * overhang - left),
        height: Math.min(squarePx, height - 2 * overhang - top),
      });
    }
  }
  return [...votes];
}

function squaresAlong(length: number, squareStep: number): number {
  return Math.ceil((length - 2 * overhang) / squareStep);
}

interface Square {
  /** Of the first block, in pixels of the plane. */
  readonly left: number;
  readonly top: number;
  /** Pixels that vote. */
  readonly width: number;
  readonly height: number;
}

/** A pixel votes for the origin of the greatest of the 8 by 8 counts that begin at it or before it; ties do not count. */
function createVoter(votes: Int32Array) {
  const reach = squarePx + overhang;
  const keys = new Int32Array(reach * reach);
  return (counts: Uint8Array, square: Square): void => {
    for (let y = 0, at = 0; y < reach; y++) {
      const row = ((square.top + y) % blockPx) << 3;
      for (let x = 0; x < reach; x++, at++) {
        keys[at] = (counts[at]! << 8) | row | ((square.left + x) % blockPx);
      }
    }
    takeGreatestOfEight(keys, 1);
    takeGreatestOfEight(keys, reach);
    for (let y = 0; y < square.height; y++) {
      for (let x = 0; x < square.width; x++) {
        const key = keys[y * reach + x]!;
        const isCast = key >> 8 > 0 && (key & 128) === 0;
        if (isCast) votes[key & 63]!++;
      }
    }
  };
}

/**
 * Replaces each key by the greatest of the eight keys `gap` apart that start with it: first of pairs, then of pairs of
 * pairs, then of those. A key with fewer than eight after it becomes meaningless.
 */
function takeGreatestOfEight(keys: Int32Array, gap: number): void {
  for (let step = gap; step < blockPx * gap; step *= 2) {
    for (let at = 0; at + step < keys.length; at++) keys[at] = greater(keys[at]!, keys[at + step]!);
  }
}

/** Of two keys `count * 256 + (tied ? 128 : 0) + origin`. Without branches, because they would be unpredictable. */
function greater(a: number, b: number): number {
  const isTied = (((a ^ b) >> 8) - 1) >>> 31;
  return Math.max(a, b) | (isTied << 7);
}

// Counts the zero DCT coefficients of the 8 by 8 block that begins at each pixel. JPEG sets many to zero in its own
// blocks, so the count is high where a block of the picture's grid begins, and low one pixel away.

/** A coefficient of the orthonormal transform counts as zero below this. @see ZERO (IPOL 2021), section 2. */
const zeroBelow = 0.5;

interface ZeroCounter {
  /**
   * Counts 0..64 of the blocks that begin in the square whose upper left pixel is (left, top), row by row, valid until
   * the next call. A block whose rows or whose columns are all alike counts 0: its zeros come from no compression.
   * Where a block would reach beyond the picture, the count means nothing.
   */
  count(plane: StoredPlane, left: number, top: number): Uint8Array;
}

/** @param reach - side in pixels of the squares; room is made once, and the loops allocate nothing. */
function createZeroCounter(reach: number): ZeroCounter {
  const wide = reach + overhang;
  const pixels = new Float64Array(wide * wide);
  const across = new Float64Array(blockPx * wide * reach);
  const counts = new Uint8Array(reach * reach);
  return {
    count: (plane, left, top) => {
      copySquare(plane, { left, top, wide }, pixels);
      transformRows(pixels, reach, across);
      counts.fill(0);
      for (let u = 0; u < blockPx; u++) {
        const columns = across.subarray(u * wide * reach, (u + 1) * wide * reach);
        addZeros(columns, reach, zeroLimits[u]!, counts);
      }
      dropStriped(pixels, reach, counts);
      return counts;
    },
  };
}

/** The last pixels are repeated beyond the picture's edge. */
function copySquare(
  { luma, width, height }: StoredPlane,
  { left, top, wide }: { readonly left: number; readonly top: number; readonly wide: number },
  into: Float64Array,
) {
  for (let y = 0; y < wide; y++) {
    const line = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < wide; x++) into[y * wide + x] = luma[line + Math.min(left + x, width - 1)]!;
  }
}

const outputs = new Float64Array(blockPx);

/** Of the eight pixels from each pixel to the right; one plane of `reach` columns for each frequency. */
function transformRows(pixels: Float64Array, reach: number, across: Float64Array): void {
  const wide = reach + overhang;
  for (let y = 0; y < wide; y++) {
    for (let x = 0; x < reach; x++) {
      transformEight(pixels, y * wide + x, 1, outputs);
      for (let u = 0, to = y * reach + x; u < blockPx; u++, to += wide * reach)
        across[to] = outputs[u]!;
    }
  }
}

/** The outputs of `transformEight` are too large; instead of dividing each, the limit for zero is multiplied. */
const zeroLimits = Array.from({ length: blockPx }, (_, u) => limitsAt(u));

function limitsAt(u: number) {
  const at = (v: number) => zeroBelow * excess[u]! * excess[v]!;
  return [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)] as const;
}

/** @param columns - a plane of `reach` columns: what the rows hold of one horizontal frequency. */
function addZeros(
  columns: Float64Array,
  reach: number,
  limits: ReturnType<typeof limitsAt>,
  counts: Uint8Array,
): void {
  const [l0, l1, l2, l3, l4, l5, l6, l7] = limits;
  for (let at = 0; at < counts.length; at++) {
    transformEight(columns, at, reach, outputs);
    // Unrolled, and added as numbers: unpredictable branches would take most of the time.
    counts[at]! +=
      isBelow(outputs[0]!, l0) +
      isBelow(outputs[1]!, l1) +
      isBelow(outputs[2]!, l2) +
      isBelow(outputs[3]!, l3) +
      isBelow(outputs[4]!, l4) +
      isBelow(outputs[5]!, l5) +
      isBelow(outputs[6]!, l6) +
      isBelow(outputs[7]!, l7);
  }
}

function isBelow(value: number, limit: number): number {
  return Number(Math.abs(value) < limit);
}

/**
 * Sets the count to 0 where all rows or all columns of a block are alike. Its coefficients that change the other way
 * are all zero then, so only blocks of so many are looked at.
 */
function dropStriped(pixels: Float64Array, reach: number, counts: Uint8Array): void {
  const wide = reach + overhang;
  for (let at = 0; at < counts.length; at++) {
    if (counts[at]! < blockPx * overhang) continue;
    const start = Math.floor(at / reach) * wide + (at % reach);
    if (isRepeated(pixels, start, wide, 1) || isRepeated(pixels, start, 1, wide)) counts[at] = 0;
  }
}

/** Whether the eight numbers `along` apart from `start` on are repeated seven times, each `apart` from the last. */
function isRepeated(pixels: Float64Array, start: number, apart: number, along: number): boolean {
  for (let i = 0; i < blockPx; i++) {
    const first = start + i * along;
    for (let at = first + apart; at < first + blockPx * apart; at += apart) {
      if (pixels[at] !== pixels[first]) return false;
    }
  }
  return true;
}

/** log10 of the probability of `hits` or more in `trials`; 0 where there are no more hits than expected. */
function logTail(hits: number, trials: number, chance: number): number {
  if (hits <= trials * chance) return 0;
  const logs = logFactorials(trials);
  const first =
    logs[trials]! -
    logs[hits]! -
    logs[trials - hits]! +
    hits * Math.log10(chance) +
    (trials - hits) * Math.log10(1 - chance);
  // Above the mean each term is smaller than the one before by a falling factor.
  const odds = chance / (1 - chance);
  let [term, sum] = [1, 1];
  for (let i = hits; i < trials && term > 1e-12 * sum; i++) {
    term *= ((trials - i) / (i + 1)) * odds;
    sum += term;
  }
  return first + Math.log10(sum);
}

/** log10 of n!, for n from 0 to `most`. */
function logFactorials(most: number): Float64Array {
  const logs = new Float64Array(most + 1);
  for (let n = 1; n <= most; n++) logs[n] = logs[n - 1]! + Math.log10(n);
  return logs;
}
