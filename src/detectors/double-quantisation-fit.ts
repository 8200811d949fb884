/** How much more likely each block of a picture is to have been saved once than twice. */

import { placesInBlock } from '../image/jpeg-quality.ts';
import { blockPx, countBlocks, forEachBlock, type Grid, nearestWhole } from './blocks.ts';
import type { StoredPlane } from './stored-plane.ts';

/** Along the zig-zag; beyond, too few values are not zero. They lie in the first five columns of the block. */
const frequencies = 15;
const horizontal = 5;
/** In nats; below, one save explains the histogram as well. */
const minGain = 15;

export interface BlockFit {
  readonly columns: number;
  readonly rows: number;
  /** One log likelihood ratio a block, in nats; 0 where it is neutral. */
  readonly logSingle: Float32Array;
  /** What each frequency shows, null where it shows no earlier save. */
  readonly combs: readonly (Comb | null)[];
  /** Share 0..1 of blocks that reach black or white in a colour. Cutting off moves their coefficients, so they are not read. */
  readonly clippedShare: number;
}

interface SavedPicture {
  readonly plane: StoredPlane;
  /** The stored pixels that `plane` is the luma of. */
  readonly rgb: Uint8Array;
  readonly grid: Grid;
  /** Of the last save, in zig-zag order; all 1 where the pixels were stored losslessly. */
  readonly steps: readonly number[];
}

export function readBlocks(saved: SavedPicture): BlockFit {
  const own = quantise(saved);
  const beside = quantise({ ...saved, grid: halfAway(saved.grid) });
  const { columns, rows } = countBlocks(saved.plane, saved.grid);
  const logSingle = new Float32Array(columns * rows);
  const combs = own.values.map((values, k) => {
    const smoothed = beside.values[k]!;
    const step = saved.steps[k]!;
    const comb = fitComb({ values, smoothed, step, isConstant: k === 0 }, minGain);
    if (comb !== null) addFits(values, comb, k === 0, logSingle);
    return comb;
  });
  return { columns, rows, logSingle, combs, clippedShare: own.clipped / (columns * rows) };
}

/** The values of each frequency that is read, block by block; beyond `maxSteps` where a block is clipped. */
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
      // 0 and 255 alone become 1 and 256 here, which have none of these bits.
      if (((rgb[at]! + 1) & 254) === 0) return true;
    }
  }
  return false;
}

function halfAway({ left, top }: Grid): Grid {
  return { left: (left + blockPx / 2) % blockPx, top: (top + blockPx / 2) % blockPx };
}

function addFits(
  values: Int16Array,
  { logSingle }: Comb,
  isConstant: boolean,
  into: Float32Array,
): void {
  for (let block = 0; block < values.length; block++) {
    const value = values[block]!;
    if (Math.abs(value) > maxSteps || (value === 0 && !isConstant)) continue;
    into[block]! += logSingle[value + maxSteps]!;
  }
}

/** Values beyond this many steps are rare and carry little information. */
export const maxSteps = 60;

/**
 * Standard deviation of a coefficient after its picture was rounded to whole 8-bit colours and turned to luma again:
 * 0.29 by luma rounding alone, more by the colours.
 */
const roundingNoise = 0.45;

/**
 * How many times as often each quantised value occurs when the coefficient had been quantised by another step before:
 * the number of multiples of the first step that land on it, blurred by rounding, against what falls there otherwise.
 *
 * @param first - step of the earlier save.
 * @param second - step of the later one.
 * @returns ratios for the values -60..60, in this order; 1 on average over a period.
 * @see Bianchi and Piva, "Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts", IEEE Transactions on
 * Information Forensics and Security 7 (2012), section III.
 */
export function doubledRatios(first: number, second: number): Float64Array {
  const reach = 4 * roundingNoise;
  return Float64Array.from({ length: 2 * maxSteps + 1 }, (_, at) => {
    const [low, high] = [second * (at - maxSteps - 0.5), second * (at - maxSteps + 0.5)];
    let share = 0;
    for (let k = Math.floor((low - reach) / first); k <= Math.ceil((high + reach) / first); k++) {
      share += belowHalves(2 * (high - k * first)) - belowHalves(2 * (low - k * first));
    }
    return (share * first) / second;
  });
}

/** Half grey levels beyond which rounding reaches no more: there the function below is 0 or 1. */
const mostHalves = 64;
const tableOfHalves = Float64Array.from({ length: 2 * mostHalves + 1 }, (_, at) =>
  below((at - mostHalves) / 2 / roundingNoise),
);

/** Share of rounding noise below so many halves of a grey level: steps are whole numbers, so nothing lies between. */
function belowHalves(halves: number): number {
  return tableOfHalves[Math.min(mostHalves, Math.max(-mostHalves, halves)) + mostHalves]!;
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

// Which step an earlier save used at one frequency, from the combs that two quantisations leave in its histogram.

const bins = 2 * maxSteps + 1;
/** First steps that are tried: above, hardly any value survives at the frequencies that are read. */
const maxFirst = 40;
/** Of values that fit neither save (clipped, treated): keeps one of them from deciding a block. */
const strayShare = 0.1;
/** Below, a histogram shows nothing. */
const minValues = 50;
const rounds = 8;

interface Frequency {
  /** Quantised values of the blocks; those beyond 60 steps are left out. */
  readonly values: Int16Array;
  /** Quantised values of blocks half a block off the grid, where no earlier save left a comb. */
  readonly smoothed: Int16Array;
  readonly step: number;
  /** The constant coefficient, whose value 0 is one like any other. Elsewhere 0 only shows how smooth a block is. */
  readonly isConstant: boolean;
}

interface Comb {
  readonly first: number;
  /** Share 0..1 of the values that were quantised twice. */
  readonly doubled: number;
  /** By how much this explains the histogram better than one save, in nats. */
  readonly gain: number;
  /** For the values -60..60: log of how many times as likely each is in a block that was saved once. */
  readonly logSingle: Float64Array;
}

/** The first step that explains the values best, or null where one save explains them as well. */
function fitComb(frequency: Frequency, minCombGain: number): Comb | null {
  const seen = countValues(frequency.values, frequency.isConstant);
  const total = seen.reduce((sum, count) => sum + count, 0);
  if (total < minValues) return null;
  const single = singleDistribution(frequency);
  let best: Comb | null = null;
  for (let first = 2; first <= maxFirst; first++) {
    if (first === frequency.step) continue;
    const ratios = mixedRatios(doubledRatios(first, frequency.step), single);
    const { doubled, gain } = fitShare(seen, total, ratios);
    if (gain < (best?.gain ?? minCombGain)) continue;
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

/** Distribution after one save: alternating coefficients are as often negative, the constant one varies slowly. */
function singleDistribution({ smoothed, isConstant }: Frequency): Float64Array {
  const counts = countValues(smoothed, isConstant);
  const even = isConstant
    ? counts.map((_, at) => mean(counts.subarray(Math.max(0, at - 3), at + 4)))
    : counts.map((count, at) => count + counts[bins - 1 - at]!);
  // A third of a value everywhere: what was not seen is not impossible.
  const filled = even.map((count, at) => (!isConstant && at === maxSteps ? 0 : count + 0.3));
  const total = filled.reduce((sum, count) => sum + count, 0);
  return filled.map((count) => count / total);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Ratios that keep the sum of `single` at 1, with a share of strays. */
function mixedRatios(ratios: Float64Array, single: Float64Array): Float64Array {
  const sum = ratios.reduce((total, ratio, at) => total + ratio * single[at]!, 0);
  return ratios.map((ratio) => ((1 - strayShare) * ratio) / sum + strayShare);
}

/** Maximum likelihood by expectation and maximisation. */
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
