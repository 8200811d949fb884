/** Estimates for each block how much more likely it is to have been saved once than twice. */

import { placesInBlock } from '../image/jpeg-structure.ts';
import { blockPx, countBlocks, forEachBlock, type Grid, nearestWhole } from './blocks.ts';
import type { LumaPlane } from '../image/pixels.ts';

/** Number of zig-zag frequencies read; higher ones are mostly 0. They lie in the first five columns of the block. */
const frequencies = 15;
const horizontal = 5;
/** In nats; below this, a single save explains the histogram as well as two do. */
const minGain = 15;

export type BlockFit = ReturnType<typeof readBlocks>;

interface SavedPicture {
  readonly plane: LumaPlane;
  /** The stored pixels from which the luma in `plane` was computed. */
  readonly rgb: Uint8Array;
  readonly grid: Grid;
  /** Quantisation steps of the last save in zig-zag order; all 1 for losslessly stored pixels. */
  readonly steps: readonly number[];
}

/**
 * @returns `logSingle`: one log likelihood ratio per block, in nats, 0 being neutral; `combs`: the result for each frequency,
 *   null if it shows no earlier save; `clippedShare`, 0..1: blocks with black or white pixels, which are skipped because
 *   clipping shifts their coefficients.
 */
export function readBlocks(saved: SavedPicture) {
  const own = quantise(saved);
  const [left, top] = [saved.grid.left, saved.grid.top].map((at) => (at + blockPx / 2) % blockPx);
  const shifted = quantise({ ...saved, grid: { left: left!, top: top! } });
  const { columns, rows } = countBlocks(saved.plane, saved.grid);
  const logSingle = new Float32Array(columns * rows);
  const combs = own.values.map((values, k) => {
    const smoothed = shifted.values[k]!;
    const step = saved.steps[k]!;
    const comb = fitComb({ values, smoothed, step, isConstant: k === 0 });
    if (comb !== null) addFits(values, comb, k === 0, logSingle);
    return comb;
  });
  return { columns, rows, logSingle, combs, clippedShare: own.clipped / (columns * rows) };
}

/** Quantised values of each frequency that is read, block by block; beyond `maxSteps` for every clipped block. */
function quantise({ plane, rgb, grid, steps }: SavedPicture) {
  const { columns, rows } = countBlocks(plane, grid);
  const values = Array.from({ length: frequencies }, () => new Int16Array(columns * rows));
  const places = Int32Array.from(placesInBlock.slice(0, frequencies));
  const own = Float64Array.from(steps);
  let clipped = 0;
  const visit = (coefficients: Float32Array, block: number) => {
    const left = grid.left + (block % columns) * blockPx;
    const top = grid.top + Math.floor(block / columns) * blockPx;
    if (isClipped(rgb, 3 * (top * plane.width + left), 3 * plane.width)) {
      clipped++;
      for (let k = 0; k < frequencies; k++) values[k]![block] = maxSteps + 1;
      return;
    }
    for (let k = 0; k < frequencies; k++) {
      values[k]![block] = nearestWhole(coefficients[places[k]!]! / own[k]!);
    }
  };
  forEachBlock(plane, grid, visit, horizontal);
  return { values, clipped };
}

function isClipped(rgb: Uint8Array, start: number, line: number): boolean {
  for (let y = 0; y < blockPx; y++) {
    const end = start + y * line + 3 * blockPx;
    for (let at = start + y * line; at < end; at++) {
      // Adding 1 clears all these bits for 0 and 255 only.
      if (((rgb[at]! + 1) & 254) === 0) return true;
    }
  }
  return false;
}

function addFits(values: Int16Array, comb: Comb, isConstant: boolean, into: Float32Array): void {
  for (let block = 0; block < values.length; block++) {
    const value = values[block]!;
    if (Math.abs(value) > maxSteps || (value === 0 && !isConstant)) continue;
    into[block]! += comb.logSingle[value + maxSteps]!;
  }
}

/** Values beyond this many steps are rare, and carry little information. */
const maxSteps = 60;

/**
 * Standard deviation of a coefficient after rounding the picture to 8-bit colours and converting
 * these to luma: 0.29 from rounding the luma alone, more from rounding the colours.
 */
const roundingNoise = 0.45;

/**
 * How many times as often each quantised value occurs if the coefficient was previously quantised
 * with another step: the multiples of the first step that become this value, blurred by rounding,
 * relative to what would otherwise become it.
 *
 * @param first - step of the earlier save.
 * @param second - step of the later save.
 * @returns ratios for the values -60..60, in this order, averaging 1 over a period.
 * @see Bianchi and Piva, "Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts",
 *   IEEE Transactions on Information Forensics and Security 7 (2012), section III.
 */
function doubledRatios(first: number, second: number): Float64Array {
  const reach = 4 * roundingNoise;
  return new Float64Array(2 * maxSteps + 1).map((_, at) => {
    const [low, high] = [second * (at - maxSteps - 0.5), second * (at - maxSteps + 0.5)];
    let share = 0;
    for (let k = Math.floor((low - reach) / first); k <= Math.ceil((high + reach) / first); k++) {
      share += belowHalves(2 * (high - k * first)) - belowHalves(2 * (low - k * first));
    }
    return (share * first) / second;
  });
}

/** Range of the table, in half grey levels; beyond it, the distribution function is 0 or 1. */
const maxHalves = 64;
const tableOfHalves = Float64Array.from({ length: 2 * maxHalves + 1 }, (_, at) =>
  below((at - maxHalves) / 2 / roundingNoise),
);

/** Share of rounding noise below this many half grey levels; as steps are integers, finer values do not occur. */
function belowHalves(halves: number): number {
  return tableOfHalves[Math.min(maxHalves, Math.max(-maxHalves, halves)) + maxHalves]!;
}

/** Standard normal distribution function. @see Abramowitz and Stegun (1964), 7.1.26; errors below 1e-7. */
function below(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = (series * Math.exp(-x * x)) / 2;
  return z < 0 ? tail : 1 - tail;
}

// Estimates an earlier save's step at one frequency from the comb that double quantisation leaves in the histogram.

const bins = 2 * maxSteps + 1;
/** Largest first step that is tried: with larger ones, hardly any values remain at the frequencies read. */
const maxFirst = 40;
/** Assumed share of values that fit neither save (clipped or processed), so that no single value decides a block. */
const strayShare = 0.1;
/** Minimum number of values, because smaller histograms show nothing. */
const minValues = 50;
const rounds = 8;

interface Frequency {
  /** Quantised values of the blocks; values beyond 60 steps are ignored. */
  readonly values: Int16Array;
  /** Quantised values of blocks half a block off the grid, where an earlier save leaves no comb in the histogram. */
  readonly smoothed: Int16Array;
  readonly step: number;
  /** The DC coefficient, whose value 0 is like any other; for others, 0 only shows how smooth a block is. */
  readonly isConstant: boolean;
}

interface Comb {
  readonly first: number;
  /** Share 0..1 of values that were quantised twice. */
  readonly doubled: number;
  /** Gain in log likelihood over a single save, in nats. */
  readonly gain: number;
  /** For the values -60..60: log of how many times as likely the value is in a block that was saved only once. */
  readonly logSingle: Float64Array;
}

/** The first step that explains the values best; null if a single save explains them equally well. */
function fitComb(frequency: Frequency): Comb | null {
  const seen = countValues(frequency.values, frequency.isConstant);
  const total = seen.reduce((sum, count) => sum + count, 0);
  if (total < minValues) return null;
  const single = singleDistribution(frequency);
  let best: Comb | null = null;
  for (let first = 2; first <= maxFirst; first++) {
    if (first === frequency.step) continue;
    const pure = doubledRatios(first, frequency.step);
    const sum = pure.reduce((all, ratio, at) => all + ratio * single[at]!, 0);
    // Mixes in a share of stray values, and keeps the sum weighted by `single` at 1.
    const ratios = pure.map((ratio) => ((1 - strayShare) * ratio) / sum + strayShare);
    const { doubled, gain } = fitShare(seen, total, ratios);
    if (gain < (best?.gain ?? minGain)) continue;
    best = { first, doubled, gain, logSingle: ratios.map((ratio) => -Math.log(ratio)) };
  }
  return best;
}

function countValues(values: Int16Array, isConstant: boolean): Float64Array {
  const counted = new Int32Array(bins);
  for (let block = 0; block < values.length; block++) {
    const bin = values[block]! + maxSteps;
    if (bin >= 0 && bin < bins) counted[bin]!++;
  }
  if (!isConstant) counted[maxSteps] = 0;
  return Float64Array.from(counted);
}

/** Distribution after a single save: symmetric for AC coefficients, varying slowly for the DC coefficient. */
function singleDistribution({ smoothed, isConstant }: Frequency): Float64Array {
  const counts = countValues(smoothed, isConstant);
  const even = isConstant
    ? counts.map((_, at) => {
        const near = counts.subarray(Math.max(0, at - 3), at + 4);
        return near.reduce((sum, count) => sum + count, 0) / near.length;
      })
    : counts.map((count, at) => count + counts[bins - 1 - at]!);
  // Adds a pseudocount, so that values that do not occur are not considered impossible.
  const filled = even.map((count, at) => (!isConstant && at === maxSteps ? 0 : count + 0.3));
  const total = filled.reduce((sum, count) => sum + count, 0);
  return filled.map((count) => count / total);
}

/** Maximum likelihood estimate by expectation-maximisation. */
function fitShare(seen: Float64Array, total: number, ratios: Float64Array) {
  let doubled = 0.7;
  for (let round = 0; round < rounds; round++) {
    let expected = 0;
    for (let at = 0; at < bins; at++) {
      const part = doubled * ratios[at]!;
      if (seen[at]! > 0) expected += (seen[at]! * part) / (part + 1 - doubled);
    }
    doubled = Math.min(0.999, expected / total);
  }
  let gain = 0;
  for (let at = 0; at < bins; at++) {
    if (seen[at]! > 0) gain += seen[at]! * Math.log(doubled * ratios[at]! + 1 - doubled);
  }
  return { doubled, gain };
}
