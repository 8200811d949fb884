import { describe, expect, test } from 'vitest';
import {
  cosine,
  countClusters,
  toOutlierScore,
  gini,
  measureSimilarities,
} from '../../../src/engine/anomaly.ts';
import { shareBelow } from '../../../src/engine/calibration.ts';
import { distancesFromTraining } from '../../../src/engine/patch-scores.ts';

const statistics = {
  embedding: { dimension: 2, mean: [1, 1], whitening: [2, 0, 1, 1] },
  distanceQuantiles: [],
  pictureDistanceQuantiles: [],
  prototypes: { realCompressed: [1, 0], fakeCompressed: [-1, 0] },
};

test('the distance of an embedding is the length of the whitened difference from the mean', () => {
  const distances = distancesFromTraining(Float32Array.of(1, 1, 2, 3), statistics);

  // W (1, 2) = (2, 3)
  expect([...distances]).toEqual([0, Math.sqrt(2 ** 2 + 3 ** 2)]);
});

describe('the Gini coefficient', () => {
  test.each([
    [[5, 5, 5], 0],
    [[0, 0, 0, 1], 0.75],
    [[0, 0, 0], 0],
    [[1, 3], 0.25],
    [[4], 0],
  ])('of %j is %d', (values, expected) => {
    expect(gini(values)).toBeCloseTo(expected, 12);
  });

  test('is half the mean difference of all pairs over the mean', () => {
    const values = [0.3, 1.7, 2.2, 9, 0.01];
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const pairs = values.flatMap((one) => values.map((other) => Math.abs(one - other)));
    const meanDifference = pairs.reduce((sum, value) => sum + value, 0) / pairs.length;

    expect(gini(values)).toBeCloseTo(meanDifference / (2 * mean), 12);
  });
});

describe('clusters', () => {
  const grid = { columns: 12, rows: 10 };

  test('are counted when they have 16 cells, not when they have 15', () => {
    expect(
      countClusters(
        drawn((x, y) => x < 4 && y < 4),
        grid,
        16,
      ),
    ).toBe(1);
    expect(
      countClusters(
        drawn((x, y) => x < 4 && y < 4 && x + y > 0),
        grid,
        16,
      ),
    ).toBe(0);
  });

  test('that touch at a corner are one, those a row apart are two', () => {
    const touching = drawn((x, y) => (x < 4 && y < 4) || (x >= 4 && x < 8 && y >= 4 && y < 8));
    const apart = drawn((x, y) => (x < 4 && y < 4) || (x >= 4 && x < 8 && y >= 5 && y < 9));

    expect(countClusters(touching, grid, 16)).toBe(1);
    expect(countClusters(apart, grid, 16)).toBe(2);
  });

  test('do not reach around the edge of the grid', () => {
    const sides = drawn((x) => x === 0 || x === 11);

    expect(countClusters(sides, grid, 16)).toBe(0);
  });
});

test('a distance is drawn as one half where 97 of 100 reference patches are nearer, and as a tenth at their median', () => {
  const quantiles = { distanceQuantiles: Array.from({ length: 101 }, (_, at) => at) };
  const shares = [0, 50, 97, 120].map((distance) => toOutlierScore(distance, quantiles));

  expect(shares[1]).toBeCloseTo(0.1, 12);
  expect(shares[2]).toBeCloseTo(0.5, 12);
  expect(shares[0]).toBeLessThan(0.05);
  expect(shares[3]).toBeGreaterThan(0.7);
});

test('the share below a value runs in straight lines between quantiles, from 0 to 1', () => {
  const quantiles = [1, 2, 4, 4, 8];

  expect([0, 1, 1.5, 2, 3, 4, 6, 8, 99].map((value) => shareBelow(quantiles, value))).toEqual([
    0, 0, 0.125, 0.25, 0.375, 0.75, 0.875, 1, 1,
  ]);
});

describe('similarity', () => {
  test('is the cosine of the angle, from -1 to 1, and 0 for a vector without length', () => {
    expect(cosine([3, 4], [6, 8])).toBe(1);
    expect(cosine([1, 0], [-2, 0])).toBe(-1);
    expect(cosine([1, 0], [0, 5])).toBe(0);
    expect(cosine([0, 0], [1, 1])).toBe(0);
  });

  test('compares the mean of the patches read, not of all', () => {
    const patchScores = { embeddings: Float32Array.of(0, 1, 1, 0, 1, 0), read: [1, 2] };

    expect(measureSimilarities(patchScores, statistics)).toEqual({
      realCompressed: 1,
      fakeCompressed: -1,
    });
  });
});

/** A grid of 12 by 10 cells. */
function drawn(isSet: (x: number, y: number) => boolean): Float64Array {
  return Float64Array.from({ length: 120 }, (_, at) =>
    isSet(at % 12, Math.floor(at / 12)) ? 1 : 0,
  );
}
