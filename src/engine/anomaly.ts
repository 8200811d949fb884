/**
 * Measures how far a picture is from the training data: the Mahalanobis distance of its patch embeddings, after Lee et
 * al., "A simple unified framework for detecting out-of-distribution samples and adversarial attacks" (NeurIPS 2018).
 */

import { groupsFrom } from '../detectors/regions.ts';
import type { EmbeddingStatistics } from '../contract/manifest.ts';
import { shareBelow, sigmoid } from './calibration.ts';
import type { PatchScores } from './patch-scores.ts';
import type { ClassSimilarities } from '../detectors/result.ts';

/** Above this percentile of reference patches that were not used in training, a distance counts as an outlier. */
const outlyingPercentile = 99;

/** A cluster smaller than this share of a patch is noise from a single window. */
const minClusterShare = 0.25;

/** This percentile of reference patches is drawn as 0.5, so that the map of an ordinary picture stays dark. */
const drawnHalfPercentile = 97;

/**
 * The contract's `anomaly`.
 *
 * - `score`: share, 0..1, of reference pictures (from sources not used in training) whose mean
 * distance over the patches read is smaller.
 * - `numCluster`: number of 8-connected regions, of at least a quarter of a patch, whose distance
 * is above the 99th percentile of reference patches.
 * - `giniCoeff`: how unevenly the patches differ from the training data, from 0 (all equally) to 1.
 *
 * @param cellDistances - distance of the window around each cell of `patchScores.grid`.
 */
export function measureAnomaly(
  patchScores: PatchScores,
  cellDistances: Float64Array,
  statistics: EmbeddingStatistics,
): { readonly score: number; readonly numCluster: number; readonly giniCoeff: number } {
  const read = patchScores.read.map((index) => patchScores.distances[index]!);
  const mean = read.reduce((sum, distance) => sum + distance, 0) / read.length;
  const limit = statistics.distanceQuantiles[outlyingPercentile]!;
  const isOutlying = Float32Array.from(cellDistances, (distance) => (distance > limit ? 1 : 0));
  const map = { ...patchScores.grid, values: isOutlying };
  const outlying = Array.from(groupsFrom(map, 1, { isDiagonal: true }), ({ length }) => length);
  const minCells = minClusterShare * patchScores.window.columns * patchScores.window.rows;
  return {
    score: shareBelow(statistics.pictureDistanceQuantiles, mean),
    numCluster: outlying.filter((cells) => cells >= minCells).length,
    giniCoeff: gini(patchScores.patches.map((index) => patchScores.distances[index]!)),
  };
}

/** A logistic curve for the heatmap: 0.5 at the 97th percentile of reference patches and 0.1 at their median. */
export function toOutlierScore(
  distance: number,
  { distanceQuantiles }: Pick<EmbeddingStatistics, 'distanceQuantiles'>,
): number {
  const half = distanceQuantiles[drawnHalfPercentile]!;
  const usual = distanceQuantiles[50]!;
  return sigmoid((Math.log(9) * (distance - half)) / Math.max(half - usual, Number.EPSILON));
}

/**
 * Gini coefficient (Gini, "Variabilita e mutabilita", 1912) of non-negative values in ascending order, x_1..x_n: sum((2
 * i - n - 1) x_i) / (n sum(x_i)). 0 if all values are equal or zero; at most 1 - 1/n.
 */
function gini(values: readonly number[]): number {
  const rising = values.toSorted((one, other) => one - other);
  const count = rising.length;
  let [sum, weighted] = [0, 0];
  for (const [index, value] of rising.entries()) {
    sum += value;
    weighted += (2 * (index + 1) - count - 1) * value;
  }
  return sum > 0 ? Math.max(0, weighted / (count * sum)) : 0;
}

/**
 * The contract's `classSimilarities`: cosine similarity between the mean embedding of the patches read and that of
 * real, or of generated, training pictures saved as JPEG. From -1 (opposite) to 1 (same direction); 0 is neutral.
 */
export function measureSimilarities(
  patchScores: Pick<PatchScores, 'embeddings' | 'read'>,
  { embedding, prototypes }: EmbeddingStatistics,
): ClassSimilarities {
  const { dimension } = embedding;
  const pooled = new Float64Array(dimension);
  for (const index of patchScores.read) {
    for (let i = 0; i < dimension; i++)
      pooled[i]! += patchScores.embeddings[index * dimension + i]!;
  }
  return {
    realCompressed: cosine(pooled, prototypes.realCompressed),
    fakeCompressed: cosine(pooled, prototypes.fakeCompressed),
  };
}

/** Cosine similarity, -1..1; 0 if either vector has zero length. */
function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let [product, oneSquares, otherSquares] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    product += one[i]! * other[i]!;
    oneSquares += one[i]! ** 2;
    otherSquares += other[i]! ** 2;
  }
  const length = Math.sqrt(oneSquares * otherSquares);
  // Rounding can push parallel vectors slightly above 1.
  return length > 0 ? Math.min(1, Math.max(-1, product / length)) : 0;
}
