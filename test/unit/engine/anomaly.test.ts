import { describe, expect, test } from 'vitest';
import {
  measureAnomaly,
  measureSimilarities,
  toOutlierScore,
} from '../../../src/engine/anomaly.ts';
import { shareBelow } from '../../../src/engine/calibration.ts';

const statistics = {
  embedding: { dimension: 2, mean: [1, 1], whitening: [2, 0, 1, 1] },
  distanceQuantiles: [],
  pictureDistanceQuantiles: [],
  prototypes: { realCompressed: [1, 0], fakeCompressed: [-1, 0] },
};

describe('the Gini coefficient', () => {
  test.each([
    [[5, 5, 5], 0],
    [[0, 0, 0, 1], 0.75],
    [[0, 0, 0], 0],
    [[1, 3], 0.25],
    [[4], 0],
  ])('of %j is %d', (values, expected) => {
    expect(measure({ distances: values }).giniCoeff).toBeCloseTo(expected, 12);
  });

  test('is half the mean difference of all pairs over the mean', () => {
    const values = [0.3, 1.7, 2.2, 9, 0.01];
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const pairs = values.flatMap((one) => values.map((other) => Math.abs(one - other)));
    const meanDifference = pairs.reduce((sum, value) => sum + value, 0) / pairs.length;

    const { giniCoeff } = measure({ distances: values });

    expect(giniCoeff).toBeCloseTo(meanDifference / (2 * mean), 12);
  });
});

describe('clusters of outliers', () => {
  test('are counted only if they cover at least a quarter of a patch', () => {
    expect(clusters((x, y) => isIn(0, 0, x, y))).toBe(1);
    expect(clusters((x, y) => isIn(0, 0, x, y) && x + y > 0)).toBe(0);
  });

  test('that touch at a corner count as one, those a row apart as two', () => {
    expect(clusters((x, y) => isIn(0, 0, x, y) || isIn(4, 4, x, y))).toBe(1);
    expect(clusters((x, y) => isIn(0, 0, x, y) || isIn(4, 5, x, y))).toBe(2);
  });

  test('do not reach around the edge of the grid', () => {
    expect(clusters((x) => x === 0 || x === 11)).toBe(0);
  });
});

test('a distance is drawn as one half at the 97th percentile, and as a tenth at the median', () => {
  const quantiles = { distanceQuantiles: Array.from({ length: 101 }, (_, at) => at) };
  const shares = [0, 50, 97, 120].map((distance) => toOutlierScore(distance, quantiles));

  expect(shares[1]).toBeCloseTo(0.1, 12);
  expect(shares[2]).toBeCloseTo(0.5, 12);
  expect(shares[0]).toBeLessThan(0.05);
  expect(shares[3]).toBeGreaterThan(0.7);
});

test('the share below a value is interpolated linearly between quantiles, from 0 to 1', () => {
  const quantiles = [1, 2, 4, 4, 8];

  expect([0, 1, 1.5, 2, 3, 4, 6, 8, 99].map((value) => shareBelow(quantiles, value))).toEqual([
    0, 0, 0.125, 0.25, 0.375, 0.75, 0.875, 1, 1,
  ]);
});

describe('similarity', () => {
  test('is the cosine of the angle, from -1 to 1, and 0 for a vector without length', () => {
    expect(similarity([3, 4], [6, 8])).toBe(1);
    expect(similarity([1, 0], [-2, 0])).toBe(-1);
    expect(similarity([1, 0], [0, 5])).toBe(0);
    expect(similarity([0, 0], [1, 1])).toBe(0);
  });

  test('compares the mean of the patches read, not of all', () => {
    const patchScores = { embeddings: Float32Array.of(0, 1, 1, 0, 1, 0), read: [1, 2] };

    const similarities = { realCompressed: 1, fakeCompressed: -1 };
    expect(measureSimilarities(patchScores, statistics)).toEqual(similarities);
  });
});

interface Drawn {
  readonly distances?: readonly number[];
  readonly cellDistances?: Float64Array;
}

/** A picture of 12 by 10 cells with patches of 8 by 8, where distances above 0.5 are outliers. */
function measure({ distances = [0], cellDistances = new Float64Array(120) }: Drawn) {
  const all = distances.map((_, index) => index);
  const patchScores = {
    grid: { columns: 12, rows: 10 },
    window: { columns: 8, rows: 8 },
    positions: { columns: distances.length, rows: 1 },
    cellPx: 8,
    distances: Float64Array.from(distances),
    patches: all,
    read: all,
    logits: new Float32Array(),
    embeddings: new Float32Array(),
    meanLogits: { real: 0, fake: 0, compression: 0 },
    transformer: null,
    readings: { features: new Float32Array(), weights: [], shift: 0 },
  };
  const quantiles = Array.from({ length: 101 }, () => 0.5);
  const ofAll = { distanceQuantiles: quantiles, pictureDistanceQuantiles: quantiles };
  return measureAnomaly(patchScores, cellDistances, { ...statistics, ...ofAll });
}

function clusters(isOutlier: (x: number, y: number) => boolean): number {
  const cellDistances = Float64Array.from({ length: 120 }, (_, at) =>
    isOutlier(at % 12, Math.floor(at / 12)) ? 1 : 0,
  );
  return measure({ cellDistances }).numCluster;
}

/** Whether a cell is in the square of 4 by 4 cells whose corner is (left, top). */
function isIn(left: number, top: number, x: number, y: number): boolean {
  return x >= left && x < left + 4 && y >= top && y < top + 4;
}

function similarity(one: readonly number[], other: readonly number[]): number {
  const patchScores = { embeddings: Float32Array.from(one), read: [0] };
  const prototypes = { realCompressed: [...other], fakeCompressed: [...other] };
  return measureSimilarities(patchScores, { ...statistics, prototypes }).realCompressed;
}
