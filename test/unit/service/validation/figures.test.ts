import { expect, test } from 'vitest';
import { computeFigures } from '../../../../src/service/validation/figures.ts';
import { outcome, outcomes } from './outcomes.ts';

const options = 1;

test('errors, verdicts and reasons are counted separately for each class', () => {
  const measured = [
    ...outcomes(40, { isFake: false, wrong: 1 }),
    ...outcomes(10, { isFake: true, wrong: 3 }),
    outcome({ isFake: true, name: 'a', resultClass: 'abstain', reasons: ['too_small'] }),
    outcome({
      isFake: true,
      name: 'b',
      resultClass: 'abstain',
      reasons: ['too_compressed', 'too_small'],
    }),
    outcome({ isFake: true, name: 'c', resultClass: 'uncertain' }),
  ];

  const [clean] = computeFigures(measured, options);
  const { real, fake } = clean!.strategies.default;

  expect(real.verdicts).toEqual({ real: 39, fake: 1, abstain: 0, uncertain: 0 });
  expect(fake.verdicts).toEqual({ real: 3, fake: 7, abstain: 2, uncertain: 1 });
  expect(fake.reasons).toEqual({ too_small: 2, too_compressed: 1 });
  expect(fake.decided).toMatchObject({ count: 10, of: 13 });
  expect(real.wrong).toMatchObject({ count: 1, of: 40, share: 0.025 });
  // Clopper and Pearson's interval for 1 of 40 (beta quantiles).
  expect(real.wrong.low).toBeCloseTo(0.000633, 6);
  expect(real.wrong.high).toBeCloseTo(0.131586, 6);
});

test('a condition counts the pictures that have it, and is left out if a class has none', () => {
  const measured = [
    ...outcomes(4, { isFake: false }),
    ...outcomes(3, { isFake: true, conditions: ['clean', 'web'] }),
  ];

  const figures = computeFigures(measured, options);

  expect(figures.map(({ condition }) => condition)).toEqual(['clean', 'web']);
});

/** All pictures in a subfolder have similar scores, and half of the subfolders are misjudged. */
function inFolders(isFake: boolean) {
  return Array.from({ length: 6 * 20 }, (_, at) => {
    const n = at % 6;
    const fakeProbability = n < 3 === isFake ? 0.9 - n / 100 : 0.5 + n / 100;
    return outcome({ isFake, name: `${isFake} ${at}`, folder: `f${n}`, fakeProbability });
  });
}

test('with five or more subfolders, whole subfolders are drawn, so the interval is wider', () => {
  const sorted = [...inFolders(false), ...inFolders(true)];
  const unsorted = sorted.map((one) => ({ ...one, folder: '' }));

  const width = (measured: typeof sorted) => {
    const { low, high } = computeFigures(measured, options)[0]!.auc;
    return high - low;
  };

  expect(width(sorted)).toBeGreaterThan(3 * width(unsorted));
});

test('the worst subfolder has the highest error rate among those with at least five pictures', () => {
  const measured = [
    ...outcomes(20, { isFake: false, folder: 'large', wrong: 3 }),
    ...outcomes(5, { isFake: false, folder: 'small', wrong: 2 }),
    ...outcomes(4, { isFake: false, folder: 'tiny', wrong: 4 }),
    ...outcomes(5, { isFake: true, folder: 'alone' }),
  ];

  const { real, fake } = computeFigures(measured, options)[0]!.strategies.default;

  expect(real.worstFolder).toEqual({ folder: 'small', pictures: 5, wrong: 2 });
  expect(fake.worstFolder).toBeNull();
});

test('calibration is judged with at least a hundred pictures of each class, without abstentions', () => {
  const enough = [
    ...outcomes(100, { isFake: false, fakeProbability: 0.25 }),
    ...outcomes(100, { isFake: true, fakeProbability: 0.95 }),
    outcome({ isFake: false, name: 'odd', resultClass: 'abstain', fakeProbability: 1 }),
  ];

  const [clean] = computeFigures(enough, options);
  const [fewer] = computeFigures(enough.slice(1), options);

  expect(clean!.calibration).toEqual({ error: expect.closeTo(0.15, 12), pictures: 200 });
  expect(fewer!.calibration).toBeNull();
});
