import { expect, test } from 'vitest';
import { shareInterval } from '../../../src/engine/likelihood-ratio.ts';

/** Beta quantiles of scipy 1.x, B(0.025; k, n - k + 1) and B(0.975; k + 1, n - k). */
test.each([
  [0, 10, 0, 0.3084971078],
  [1, 10, 0.0025285785, 0.445016117],
  [5, 10, 0.1870860284, 0.8129139716],
  [10, 10, 0.6915028922, 1],
  [3, 221, 0.0028082179, 0.0391562221],
  [38, 277, 0.0989422342, 0.1834013228],
  [120_000, 1_000_000, 0.1193636883, 0.1206385137],
])('the interval of %i of %i is that of the beta distribution', (count, trials, low, high) => {
  const interval = shareInterval(count, trials);

  expect(interval.low).toBeCloseTo(low, 9);
  expect(interval.high).toBeCloseTo(high, 9);
});

test('without trials there is no bound', () => {
  expect(shareInterval(0, 0).high).toBeNaN();
});
