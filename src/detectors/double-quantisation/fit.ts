/** Which step an earlier save used at one frequency, from the combs that two quantisations leave in its histogram. */

import { doubledRatios, mostSteps } from './comb.ts';

const bins = 2 * mostSteps + 1;
/** First steps that are tried: above, hardly any value survives at the frequencies that are read. */
const mostFirst = 40;
/** Of values that fit neither save (clipped, treated): keeps one of them from deciding a block. */
const strayShare = 0.1;
/** Below, a histogram shows nothing. */
const leastValues = 50;
const rounds = 8;

export interface Frequency {
  /** Quantised values of the blocks; those beyond 60 steps are left out. */
  readonly values: Int16Array;
  /** Quantised values of blocks beside the grid, on which no earlier save left a comb. */
  readonly smoothed: Int16Array;
  readonly step: number;
  /** The constant coefficient, whose value 0 is one like any other. Elsewhere 0 says how smooth a block is, no more. */
  readonly isConstant: boolean;
}

export interface Comb {
  readonly first: number;
  /** Share 0..1 of the values that were quantised twice. */
  readonly doubled: number;
  /** By how much this explains the histogram better than one save, in nats. */
  readonly gain: number;
  /** For the values -60..60: log of how many times as likely each is in a block that was saved once. */
  readonly logSingle: Float64Array;
}

/** The first step that explains the values best, or null where one save explains them as well. */
export function fitComb(frequency: Frequency, leastGain: number): Comb | null {
  const seen = countValues(frequency.values, frequency.isConstant);
  const total = seen.reduce((sum, count) => sum + count, 0);
  if (total < leastValues) return null;
  const single = singleDistribution(frequency);
  let best: Comb | null = null;
  for (let first = 2; first <= mostFirst; first++) {
    if (first === frequency.step) continue;
    const ratios = mixedRatios(doubledRatios(first, frequency.step), single);
    const { doubled, gain } = fitShare(seen, total, ratios);
    if (gain < (best?.gain ?? leastGain)) continue;
    best = { first, doubled, gain, logSingle: ratios.map((ratio) => -Math.log(ratio)) };
  }
  return best;
}

function countValues(values: Int16Array, isConstant: boolean): Float64Array {
  const counts = new Float64Array(bins);
  for (const value of values) {
    if (Math.abs(value) <= mostSteps) counts[value + mostSteps]!++;
  }
  if (!isConstant) counts[mostSteps] = 0;
  return counts;
}

/** Distribution after one save: alternating coefficients are as often negative, the constant one varies slowly. */
function singleDistribution({ smoothed, isConstant }: Frequency): Float64Array {
  const counts = countValues(smoothed, isConstant);
  const even = isConstant
    ? counts.map((_, at) => mean(counts.subarray(Math.max(0, at - 3), at + 4)))
    : counts.map((count, at) => count + counts[bins - 1 - at]!);
  // A third of a value everywhere: what was not seen is not impossible.
  const filled = even.map((count, at) => (!isConstant && at === mostSteps ? 0 : count + 0.3));
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
