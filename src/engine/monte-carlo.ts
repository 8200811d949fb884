/**
 * Monte Carlo dropout: the head scores the same patches many times, each time without a random subset of the features,
 * and the spread of its outputs measures its uncertainty (Gal and Ghahramani, "Dropout as a Bayesian approximation",
 * ICML 2016). The spread of a single network is only a lower bound on its true uncertainty.
 */

import type { ModelManifest } from '../inference/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';
import { createRandom, toFakeProbability, toPredictions } from './calibration.ts';
import { type Readings, weightedLogits } from './patch-scores.ts';

/**
 * @param seed - any integer; the same seed gives the same masks, and so the same numbers.
 * @returns standard deviations over the passes: `classUncertainties`, of each calibrated prediction, 0..0.5;
 *   `fakeUncertainty`, of the calibrated probability of fake.
 */
export async function measureSpread(readings: Readings, model: TraceModel, seed: number) {
  const { manifest } = model;
  const { features, weights } = readings;
  const { passes } = manifest.dropout;
  const count = weights.length;
  const channels = features.length / count;
  const masks = dropoutMasks(manifest.dropout, channels, seed);
  const { logits } = await model.readHead(features, count, masks, passes);

  const means = Array.from({ length: passes }, (_, pass) =>
    weightedLogits(logits.subarray(3 * pass * count, 3 * (pass + 1) * count), readings),
  );
  const predictions = means.map((mean) => toPredictions(mean, manifest));
  return {
    classUncertainties: {
      real: standardDeviation(predictions.map(({ real }) => real)),
      fake: standardDeviation(predictions.map(({ fake }) => fake)),
      compression: standardDeviation(predictions.map(({ compression }) => compression)),
    },
    fakeUncertainty: standardDeviation(means.map((mean) => toFakeProbability(mean, manifest))),
  };
}

/** `[passes, channels]`: 0 with probability `rate`, otherwise 1 / (1 - rate), which preserves the mean. */
function dropoutMasks(
  { rate, passes }: ModelManifest['dropout'],
  channels: number,
  seed: number,
): Float32Array {
  const random = createRandom(seed);
  const masks = new Float32Array(passes * channels);
  for (let at = 0; at < masks.length; at++) masks[at] = random() < rate ? 0 : 1 / (1 - rate);
  return masks;
}

/** Population standard deviation (divided by n, not n - 1): the passes are the whole population. */
function standardDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / values.length);
}
