/** Turns raw logits into calibrated scores, with the parameters in the model's manifest. */

import type { Calibration, ModelManifest } from '../contract/manifest.ts';
import type { ClassScores } from '../detectors/result.ts';

/** Raw outputs of the head, averaged over the whole picture. */
export interface Logits {
  readonly real: number;
  readonly fake: number;
  readonly compression: number;
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Platt scaling (Platt 1999) with parameters from the manifest: sigmoid(scale * logit + offset), 0..1. */
export function calibrated(logit: number, { scale, offset }: Calibration): number {
  return sigmoid(scale * logit + offset);
}

/** The contract's `predictions`: three independent scores, each 0..1; real and fake need not add up to 1. */
export function toPredictions(logits: Logits, { calibration }: ModelManifest): ClassScores {
  return {
    real: calibrated(logits.real, calibration.real),
    fake: calibrated(logits.fake, calibration.fake),
    compression: calibrated(logits.compression, calibration.compression),
  };
}

/**
 * How much trace evidence there is for both sides together, 0..2: the sum of the two scores after
 * the logits have been centred. The transformer moves the logits apart in proportion to its
 * confidence; without centring, that alone would make a drawing seem to contain traces.
 */
export function toTrace({ real, fake }: Logits, { calibration }: ModelManifest): number {
  const level = (real + fake) / 2;
  return calibrated(level, calibration.real) + calibrated(level, calibration.fake);
}

/** Probability, 0..1, that the picture is fake rather than real, provided that it is inside the validated domain. */
export function toFakeProbability(logits: Logits, { calibration }: ModelManifest): number {
  return calibrated(logits.fake - logits.real, calibration.decision);
}

/** A probability, 0..1, after independent evidence with this likelihood ratio (Bayes' theorem, with odds). */
export function updated(probability: number, ratio: number): number {
  // Without further evidence, the number stays exactly the same.
  if (ratio === 1) return probability;
  return (probability * ratio) / (probability * ratio + 1 - probability);
}

/** Share, 0..1, of the reference distribution that is at most `value`, interpolated between evenly spaced quantiles. */
export function shareBelow(quantiles: readonly number[], value: number): number {
  const steps = quantiles.length - 1;
  if (value >= quantiles[steps]!) return 1;
  if (!(value > quantiles[0]!)) return 0;
  const above = quantiles.findIndex((quantile) => quantile > value);
  const lower = quantiles[above - 1]!;
  return (above - 1 + (value - lower) / (quantiles[above]! - lower)) / steps;
}

/** Limits how far a single method can move the odds (about 50 to 1). */
const maxLogit = 4;

/** The log odds of a probability, limited to +-`maxLogit`. */
export function boundedLogit(probability: number): number {
  const logit = Math.log(probability / (1 - probability));
  return Math.min(maxLogit, Math.max(-maxLogit, logit));
}

/** For each share 0..1, the smallest value that at least this share of all values does not exceed. */
export function findQuantiles(values: Float64Array, shares: readonly number[]): readonly number[] {
  const rising = values.toSorted();
  return shares.map((share) => rising[Math.max(0, Math.ceil(share * rising.length) - 1)]!);
}

/**
 * Uniform random numbers in [0, 1), with 53 random bits. The same seed gives the same sequence on every machine.
 *
 * SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the constants
 * of Vigna's reference code. Any integer is a good seed, even a small one.
 */
export function createRandom(seed: number): () => number {
  let state = BigInt.asUintN(64, BigInt(seed));
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return Number((mixed ^ (mixed >> 31n)) >> 11n) / 2 ** 53;
  };
}
