import { expect, test } from 'vitest';
import { boundedLogit, findQuantiles } from '../../../src/engine/calibration.ts';

test('log odds end at 4 to either side', () => {
  expect([0, 0.5, 1].map(boundedLogit)).toEqual([-4, 0, 4]);
  expect(boundedLogit(0.9)).toBeCloseTo(Math.log(9), 12);
});

test('a quantile is the first value with at least that share of all at or below it, and the values stay as they are', () => {
  const values = Float64Array.of(5, -1, 3, 10);

  expect(findQuantiles(values, [0, 0.25, 0.5, 0.51, 1])).toEqual([-1, -1, 3, 5, 10]);
  expect([...values]).toEqual([5, -1, 3, 10]);
});
