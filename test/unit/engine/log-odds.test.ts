import { expect, test } from 'vitest';
import { boundedLogit, findQuantiles } from '../../../src/engine/calibration.ts';

test('log odds are capped at 4 on either side', () => {
  expect([0, 0.5, 1].map(boundedLogit)).toEqual([-4, 0, 4]);
  expect(boundedLogit(0.9)).toBeCloseTo(Math.log(9), 12);
});

test('a quantile is the smallest value with at least that share at or below it; the input is unchanged', () => {
  const values = Float64Array.of(5, -1, 3, 10);

  expect(findQuantiles(values, [0, 0.25, 0.5, 0.51, 1])).toEqual([-1, -1, 3, 5, 10]);
  expect([...values]).toEqual([5, -1, 3, 10]);
});
