import { expect, test } from 'vitest';
import type { DecisionStrategy } from '../../../src/contract/vocabulary.ts';
import {
  supportedRatio,
  measureRatios,
  shareInterval,
} from '../../../src/detectors/likelihood-ratio.ts';
import type { MeasuredCondition, MeasuredRates } from '../../../src/contract/manifest.ts';

const wrong = { realCalledFake: 0, fakeCalledReal: 0.1 };
const rates: MeasuredRates = { decided: 0.5, ...wrong, realCalledReal: 0.6, fakeCalledFake: 0.4 };

function measured(condition: string, some: MeasuredRates = rates): MeasuredCondition {
  const strategies = { pedantic: some, default: some, relaxed: some };
  return { condition, real: 200, fake: 100, auc: 0.9, aucLow: 0.8, aucHigh: 0.95, strategies };
}

test("a side's ratio is the share rightly called, over the upper bound of the share wrongly called", () => {
  const fake = supportedRatio([measured('as is')], 'default', 'fake')!;
  const real = supportedRatio([measured('as is')], 'default', 'real')!;

  const noneOf200 = 1 - 0.05 ** (1 / 200);
  expect(fake.ratio).toBeCloseTo(0.4 / noneOf200, 9);
  expect(fake).toMatchObject({ right: 40, rightOf: 100, wrong: 0, wrongOf: 200 });
  // Second source: the 0.95 quantile of Beta(11, 90) is 0.163717623.
  expect(real.ratio).toBeCloseTo(0.6 / 0.163717623, 6);
  expect(real).toMatchObject({ right: 120, rightOf: 200, wrong: 10, wrongOf: 100 });
});

test('the least favourable condition counts, which may differ between the sides', () => {
  const conditions = [
    measured('misses much', { ...rates, fakeCalledFake: 0.05 }),
    measured('lets much through', { ...rates, fakeCalledReal: 0.3 }),
  ];

  expect(supportedRatio(conditions, 'default', 'fake')!.condition).toBe('misses much');
  expect(supportedRatio(conditions, 'default', 'real')!.condition).toBe('lets much through');
});

test('the rates are those of the strategy or of a looser one that supports more, never of a stricter one', () => {
  const one = measured('as is');
  const few = { ...rates, fakeCalledFake: 0.1 };
  const many = { ...rates, fakeCalledFake: 0.8, realCalledFake: 0.1 };
  const strategies = { pedantic: few, default: rates, relaxed: many };
  const conditions = [{ ...one, strategies }];
  const under = (strategy: DecisionStrategy) => supportedRatio(conditions, strategy, 'fake')!;

  expect(under('pedantic')).toEqual(under('default'));
  expect(under('default')).toMatchObject({ strategy: 'default', right: 40, wrong: 0 });
  expect(under('relaxed')).toMatchObject({ strategy: 'relaxed', right: 80, wrong: 20 });
  expect(under('relaxed').ratio).toBeLessThan(under('default').ratio);
});

test('a model that is wrong as often as right supports a ratio of 1, not less', () => {
  const hopeless = measured('as is', { ...rates, realCalledFake: 0.5 });

  expect(supportedRatio([hopeless], 'default', 'fake')!.ratio).toBe(1);
});

test('without figures, or correct calls of a condition, there is no ratio', () => {
  const { realCalledReal: _real, fakeCalledFake: _fake, ...older } = rates;
  const conditions = [measured('as is'), measured('jpeg 75', older)];

  expect(supportedRatio([], 'default', 'fake')).toBeNull();
  expect(supportedRatio(conditions, 'default', 'fake')).toBeNull();
  expect(supportedRatio([{ ...measured('as is'), real: 0 }], 'default', 'fake')).toBeNull();
});

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
