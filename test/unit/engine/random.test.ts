import { expect, test } from 'vitest';
import { createRandom } from '../../../src/engine/calibration.ts';

test('the generator reproduces the published numbers of SplitMix64 for the seed 1234567', () => {
  const random = createRandom(1_234_567);

  // Vigna's reference code; the upper 53 bits become the fraction.
  const published = [
    6457827717110365317n,
    3203168211198807973n,
    9817491932198370423n,
    4593380528125082431n,
    16408922859458223821n,
  ];
  expect(published.map(() => random())).toEqual(
    published.map((value) => Number(value >> 11n) / 2 ** 53),
  );
});

test.each([0, -1, Number.MAX_SAFE_INTEGER])('%i is a seed like any other', (seed) => {
  const random = createRandom(seed);
  const drawn = Array.from({ length: 2000 }, () => random());

  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...drawn)).toBeLessThan(1);
  expect(drawn.reduce((sum, value) => sum + value, 0) / drawn.length).toBeCloseTo(0.5, 1);
});
