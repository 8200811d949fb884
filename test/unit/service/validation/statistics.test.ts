import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/engine/calibration.ts';
import {
  auc,
  aucInterval,
  calibrationError,
  quantile,
  type Scored,
} from '../../../../src/service/validation/figures.ts';

function sample(count: number, { sources = count, lift = 0.3, seed = 1 } = {}): Scored[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, at) => ({
    isFake: at % 3 === 0,
    source: `source ${at % sources}`,
    // Rounded, so that there are ties within and between the classes.
    score: Math.round(20 * (random() + (at % 3 === 0 ? lift : 0))) / 20,
  }));
}

describe('the AUC', () => {
  test('is the share of pairs in the right order, with ties counted as half', () => {
    const scored = sample(200);
    const reals = scored.filter(({ isFake }) => !isFake);
    const pairs = scored
      .filter(({ isFake }) => isFake)
      .flatMap((fake) => reals.map((real) => 0.5 * (1 + Math.sign(fake.score - real.score))));

    expect(auc(scored)).toBeCloseTo(pairs.reduce((sum, each) => sum + each, 0) / pairs.length, 12);
  });

  test('has an interval as wide as Hanley and McNeil (1982) predict for independent pictures', () => {
    const scored = sample(600);
    const [low, high] = aucInterval(scored, { draws: 600 });

    const area = auc(scored);
    const [fakes, reals] = [200, 400];
    const q1 = area / (2 - area);
    const q2 = (2 * area ** 2) / (1 + area);
    const variance =
      (area * (1 - area) + (fakes - 1) * (q1 - area ** 2) + (reals - 1) * (q2 - area ** 2)) /
      (fakes * reals);
    const expected = 2 * 1.96 * Math.sqrt(variance);
    expect(high - low).toBeGreaterThan(0.8 * expected);
    expect(high - low).toBeLessThan(1.2 * expected);
  });

  test('has the same interval each time, and another with another seed', () => {
    const scored = sample(90);

    expect(aucInterval(scored, { draws: 50 })).toEqual(aucInterval(scored, { draws: 50 }));
    expect(aucInterval(scored, { draws: 50, seed: 2 })).not.toEqual(
      aucInterval(scored, { draws: 50 }),
    );
  });

  test('keeps sources of the two classes apart even if they share a name', () => {
    const scored = [true, false].map((isFake) => ({ isFake, source: 'one', score: 0.5 }));

    expect(aucInterval(scored, { draws: 20 })).toEqual([0.5, 0.5]);
  });

  test('does not exist without both classes', () => {
    expect(auc(sample(30).filter(({ isFake }) => isFake))).toBeNaN();
  });
});

describe('the calibration error', () => {
  test('is the gap between the stated and the actual rate, whatever the class sizes', () => {
    // Stated 0.7; with both classes weighted equally, half are fake.
    const scored = [
      { isFake: true, score: 0.7, source: '' },
      ...Array.from({ length: 9 }, () => ({ isFake: false, score: 0.7, source: '' })),
    ];

    expect(calibrationError(scored)).toBeCloseTo(0.2, 12);
  });

  test('is the weighted mean of the gaps of the bins', () => {
    const scored = [
      { isFake: false, score: 0.05, source: '' },
      { isFake: false, score: 0.62, source: '' },
      { isFake: true, score: 0.68, source: '' },
      { isFake: true, score: 1, source: '' },
    ];

    // Bins: 0.05 against 0; 0.65 against 0.5; 1 against 1.
    expect(calibrationError(scored)).toBeCloseTo(0.25 * 0.05 + 0.5 * 0.15, 12);
  });

  test('of some pictures weights them by the class sizes of all', () => {
    const some = [
      { isFake: false, score: 0.25, source: '' },
      { isFake: true, score: 0.25, source: '' },
    ];
    const all = [...some, ...some.slice(0, 1), ...some.slice(0, 1)];

    // One real picture of three and the only fake: weights 1/6 and 1/2, so 0.75 are fake where 0.25 was stated.
    expect(calibrationError(some, all)).toBeCloseTo(0.5, 12);
  });

  test('does not exist without both classes', () => {
    expect(calibrationError([{ isFake: true, score: 0.5, source: '' }])).toBeNaN();
  });
});

test('a quantile is interpolated linearly between its neighbours', () => {
  expect(quantile([0, 10, 20], 0.25)).toBe(5);
});
