/** From raw logits to numbers that mean something, with the figures that the model's manifest carries. */

import type { Calibration, ModelManifest } from '../inference/model.ts';
import type { ClassScores } from './result.ts';

/** Raw means of the head's three outputs. */
export interface Logits {
  readonly real: number;
  readonly fake: number;
  readonly compression: number;
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Platt's scaling with a fixed form: sigmoid(scale * logit + offset), 0..1 (Platt 1999). */
export function calibrated(logit: number, { scale, offset }: Calibration): number {
  return sigmoid(scale * logit + offset);
}

/** The contract's `predictions`: three scores 0..1 of their own; real and fake need not add up to 1. */
export function toPredictions(logits: Logits, { calibration }: ModelManifest): ClassScores {
  return {
    real: calibrated(logits.real, calibration.real),
    fake: calibrated(logits.fake, calibration.fake),
    compression: calibrated(logits.compression, calibration.compression),
  };
}

/**
 * How much trace there is, 0..2, whichever side it speaks for: both scores with the two logits levelled. Without that
 * the second arm, which moves them apart by as much as it is sure, would make traces out of a drawing.
 */
export function toTrace({ real, fake }: Logits, { calibration }: ModelManifest): number {
  const level = (real + fake) / 2;
  return calibrated(level, calibration.real) + calibrated(level, calibration.fake);
}

/** Probability 0..1 that the picture is fake rather than real, given that it is inside the validated domain. */
export function toFakeProbability(logits: Logits, { calibration }: ModelManifest): number {
  return calibrated(logits.fake - logits.real, calibration.decision);
}

/**
 * Share of the reference at or below `value`, 0..1, from its quantiles at equal steps, straight lines between them.
 * Below the smallest reference value 0, above the largest 1.
 */
export function shareBelow(quantiles: readonly number[], value: number): number {
  const steps = quantiles.length - 1;
  if (value >= quantiles[steps]!) return 1;
  if (!(value > quantiles[0]!)) return 0;
  const above = quantiles.findIndex((quantile) => quantile > value);
  const lower = quantiles[above - 1]!;
  return (above - 1 + (value - lower) / (quantiles[above]! - lower)) / steps;
}
