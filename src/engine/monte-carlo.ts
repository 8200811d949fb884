/**
 * Monte Carlo dropout: the head scores the same patches many times, each time without a random subset of the features,
 * and the spread of its outputs measures its uncertainty (Gal and Ghahramani, "Dropout as a Bayesian approximation",
 * ICML 2016). The spread of a single network is only a lower bound on its true uncertainty.
 */

import type { ModelManifest } from '../inference/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';
import { createRandom, type Logits, toFakeProbability, toPredictions } from './calibration.ts';
import { type Readings, weightedLogits } from './patch-scores.ts';
import type { ClassScores } from './result.ts';

interface Spread {
  /** Standard deviation over the passes of each calibrated prediction, 0..0.5. */
  readonly classUncertainties: ClassScores;
  /** Standard deviation over the passes of the calibrated probability of fake. */
  readonly fakeUncertainty: number;
}

/** @param seed - any integer; the same seed gives the same masks, and so the same numbers. */
export async function measureSpread(
  readings: Readings,
  model: TraceModel,
  seed: number,
): Promise<Spread> {
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
  return toSpread(means, manifest);
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

function toSpread(means: readonly Logits[], manifest: ModelManifest): Spread {
  const predictions = means.map((logits) => toPredictions(logits, manifest));
  return {
    classUncertainties: {
      real: standardDeviation(predictions.map(({ real }) => real)),
      fake: standardDeviation(predictions.map(({ fake }) => fake)),
      compression: standardDeviation(predictions.map(({ compression }) => compression)),
    },
    fakeUncertainty: standardDeviation(means.map((logits) => toFakeProbability(logits, manifest))),
  };
}

/** Population standard deviation (divided by n, not n - 1): the passes are the whole population. */
function standardDeviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / values.length);
}
