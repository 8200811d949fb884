/**
 * Finds the 8 by 8 block grid of an earlier JPEG save in pixels that were then stored losslessly. Each pixel votes for
 * one of the 64 possible grids: that in which the block around the pixel has the most zero coefficients.
 *
 * @see Nikoukhah, Anger, Colom, Morel and Grompone von Gioi, "ZERO: a Local JPEG Grid Origin Detector Based on the
 *   Number of DCT Zeros and its Applications in Image Forensics", Image Processing On Line 11 (2021), 396-433.
 */

import { blockPx, excess, transformEight } from './blocks.ts';
import { logBinomial } from './likelihood-ratio.ts';
import type { LumaPlane, PixelBox } from '../image/pixels.ts';

/** There are as many grids as pixels in a block. */
const grids = blockPx * blockPx;
const overhang = blockPx - 1;
/** Side in pixels of the squares in which every pixel votes. */
const squarePx = 64;
/** About half the votes of a one-megapixel picture; one core casts about four million votes a second. */
const maxVotes = 300_000;

/** Whether, for almost every pixel, some of the 64 blocks around it extend beyond the picture. */
export function isTooSmallToVote({ width, height }: LumaPlane): boolean {
  return Math.min(width, height) < squarePx;
}

/**
 * The grid with the most votes: the origin of its first whole block, each coordinate 0..7, and `logFalseAlarms`, the
 * log10 of the number of grids with as many votes that pure noise is expected to give.
 */
export function findMainGrid(plane: LumaPlane) {
  const votes = countVotes(plane);
  const grid = votes.indexOf(Math.max(...votes));
  const cast = votes.reduce((sum, count) => sum + count, 0);
  // The votes of neighbouring pixels are not independent, so those within one block count as a single trial.
  const trials = Math.max(1, Math.ceil(cast / grids));
  const hits = Math.floor(votes[grid]! / grids);
  const logFalseAlarms = logTail(hits, trials, 1 / grids) + Math.log10(grids);
  return { left: grid % blockPx, top: Math.floor(grid / blockPx), logFalseAlarms };
}

/** Votes by grid, at index `left + 8 * top` of its origin; in a large plane, only evenly spaced squares vote. */
function countVotes(plane: LumaPlane): readonly number[] {
  const { width, height } = plane;
  const shrink = Math.max(1, Math.sqrt((width * height) / maxVotes));
  const squareStep = Math.ceil(squarePx * shrink);
  const [across, down] = [width, height].map((it) => Math.ceil((it - 2 * overhang) / squareStep));
  const counter = createZeroCounter(squarePx + overhang);
  const votes = new Int32Array(grids);
  const vote = createVoter(votes);
  for (let row = 0; row < down!; row++) {
    for (let column = 0; column < across!; column++) {
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

/**
 * Among the 64 blocks that contain a pixel, the one with the highest count gets its vote; a tie gives no vote.
 *
 * The pixels of `square` vote; the first block starts at its upper left.
 */
function createVoter(votes: Int32Array) {
  const reach = squarePx + overhang;
  const keys = new Int32Array(reach * reach);
  return (counts: Uint8Array, square: PixelBox): void => {
    for (let y = 0, at = 0; y < reach; y++) {
      const row = ((square.top + y) % blockPx) << 3;
      for (let x = 0; x < reach; x++, at++) {
        keys[at] = (counts[at]! << 8) | row | ((square.left + x) % blockPx);
      }
    }
    maxOfEight(keys, 1);
    maxOfEight(keys, reach);
    for (let y = 0; y < square.height; y++) {
      for (let x = 0; x < square.width; x++) {
        const key = keys[y * reach + x]!;
        const isCast = key >> 8 > 0 && (key & 128) === 0;
        if (isCast) votes[key & 63]!++;
      }
    }
  };
}

/** Each key becomes the maximum of the eight that start with it, `gap` apart; at the end they become meaningless. */
function maxOfEight(keys: Int32Array, gap: number): void {
  for (let step = gap; step < blockPx * gap; step *= 2) {
    for (let at = 0; at + step < keys.length; at++) keys[at] = maxKey(keys[at]!, keys[at + step]!);
  }
}

/** The larger of two keys `count * 256 + (tied ? 128 : 0) + origin`, without branches, which are unpredictable here. */
function maxKey(a: number, b: number): number {
  const isTied = (((a ^ b) >> 8) - 1) >>> 31;
  return Math.max(a, b) | (isTied << 7);
}

// Counts the zero DCT coefficients of the 8 by 8 block that starts at each pixel. JPEG sets many coefficients to zero
// in its own blocks, so the count is high where such a block starts, and low one pixel away.

/** A coefficient of the orthonormal DCT counts as zero below this. @see ZERO (IPOL 2021), section 2. */
const zeroBelow = 0.5;

/**
 * `count` gives the counts, 0..64, for all blocks that start in the square with its upper left pixel at (left, top), in
 * row-major order; valid until the next call. A block with identical rows or identical columns counts 0, because its
 * zeros are not due to compression. The count of a block that extends past the edge of the picture is meaningless.
 *
 * @param reach - side of the squares in pixels; the buffers are allocated here once, not in the loops.
 */
function createZeroCounter(reach: number) {
  const wide = reach + overhang;
  const pixels = new Float64Array(wide * wide);
  const across = new Float64Array(blockPx * wide * reach);
  const counts = new Uint8Array(reach * reach);
  return {
    count: (plane: LumaPlane, left: number, top: number): Uint8Array => {
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

/** Beyond the edge of the picture, the last pixels are repeated. */
function copySquare(
  { luma, width, height }: LumaPlane,
  { left, top, wide }: { readonly left: number; readonly top: number; readonly wide: number },
  into: Float64Array,
) {
  for (let y = 0; y < wide; y++) {
    const line = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < wide; x++) into[y * wide + x] = luma[line + Math.min(left + x, width - 1)]!;
  }
}

const outputs = new Float64Array(blockPx);

/** Transforms the eight pixels that start at each pixel; the result has one plane of `reach` columns per frequency. */
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

/** The outputs of `transformEight` are scaled; scaling the limits as well avoids dividing every output. */
const zeroLimits = Array.from({ length: blockPx }, (_, u) => {
  const at = (v: number) => zeroBelow * excess[u]! * excess[v]!;
  return [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)] as const;
});

/** @param columns - a plane of `reach` columns: the transformed rows at one horizontal frequency. */
function addZeros(
  columns: Float64Array,
  reach: number,
  limits: (typeof zeroLimits)[number],
  counts: Uint8Array,
): void {
  const [l0, l1, l2, l3, l4, l5, l6, l7] = limits;
  for (let at = 0; at < counts.length; at++) {
    transformEight(columns, at, reach, outputs);
    // Unrolled, and summed as numbers, because unpredictable branches would take most of the time.
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

/** A block with identical rows or columns has at least 56 zeros, so blocks with fewer are not checked. */
function dropStriped(pixels: Float64Array, reach: number, counts: Uint8Array): void {
  const wide = reach + overhang;
  for (let at = 0; at < counts.length; at++) {
    if (counts[at]! < blockPx * overhang) continue;
    const start = Math.floor(at / reach) * wide + (at % reach);
    if (isRepeated(pixels, start, wide, 1) || isRepeated(pixels, start, 1, wide)) counts[at] = 0;
  }
}

/** Whether the eight numbers from `start`, `along` apart, occur again seven times at intervals of `apart`. */
function isRepeated(pixels: Float64Array, start: number, apart: number, along: number): boolean {
  for (let i = 0; i < blockPx; i++) {
    const first = start + i * along;
    for (let at = first + apart; at < first + blockPx * apart; at += apart) {
      if (pixels[at] !== pixels[first]) return false;
    }
  }
  return true;
}

/** log10 of the binomial probability of at least `hits` in `trials`; 0 if there are no more hits than expected. */
function logTail(hits: number, trials: number, chance: number): number {
  if (hits <= trials * chance) return 0;
  const first = logBinomial(hits, trials, chance) / Math.LN10;
  // Above the mean, each term is smaller than the one before it, by a decreasing factor.
  const odds = chance / (1 - chance);
  let [term, sum] = [1, 1];
  for (let i = hits; i < trials && term > 1e-12 * sum; i++) {
    term *= ((trials - i) / (i + 1)) * odds;
    sum += term;
  }
  return first + Math.log10(sum);
}
