import { expect, test } from 'vitest';
import { measureRatios } from '../../../src/engine/likelihood-ratio.ts';

test('ratios of one cost one bit and support nothing', () => {
  expect(measureRatios([0, 0, 0], [0, 0])).toEqual({ cllr: 1, lower: 1, upper: 1 });
});

const all = (log: number) => Array.from({ length: 99 }, () => log);

test('the upper bound depends on the number of pictures, not on the largest ratio', () => {
  const { cllr, lower, upper } = measureRatios(all(20), all(-20));

  // 99 of 100 right and 1 of 100 wrong: one is added on each side.
  expect(cllr).toBeLessThan(1e-6);
  expect(upper).toBeCloseTo(99, -1);
  expect(lower).toBeCloseTo(1 / 99, 3);
});

test('misleading ratios cost more than none', () => {
  expect(measureRatios([-2, -1], [1, 2]).cllr).toBeGreaterThan(1);
});
