import { describe, expect, test } from 'vitest';
import { blindnessOf, followingOf } from './compression.ts';
import { resultsOf } from './goals.ts';
import { outcome, times } from './outcomes.ts';
import { calledFakeRate, calledRealRate, flipRate, worstSourceOf } from './rates.ts';
import type { Outcome } from './read-samples.ts';

describe('errors', () => {
  const rows = [
    ...times(3, 'phone', false, 'fake'),
    ...times(7, 'phone', false, 'real'),
    ...times(10, 'scan', false, 'uncertain'),
    ...times(2, 'tool', true, 'real'),
    ...times(4, 'tool', true, 'abstain'),
  ];

  test('are shares of the decided pictures of a class', () => {
    expect(calledFakeRate(rows, 'default')).toMatchObject({ count: 3, of: 10 });
    expect(calledRealRate(rows, 'default')).toMatchObject({ count: 2, of: 2 });
    expect(calledFakeRate(rows, 'pedantic')).toMatchObject({ count: 0, of: 0 });
  });

  test('of the worst source ignore sources with fewer than ten decided photographs', () => {
    const few = [...times(9, 'web', false, 'fake'), ...times(5, 'web', false, 'uncertain')];

    expect(worstSourceOf([...few, ...rows], 'default')).toMatchObject({ source: 'phone' });
    expect(worstSourceOf(few, 'default')).toBeNull();
  });

  test('of re-saves are shares of the pictures that are decided without a re-save', () => {
    const turned: Outcome = { ...rows[0]!, flips: { default: 'jpeg-70' } };

    expect(flipRate([turned, ...rows.slice(1)], 'default')).toMatchObject({ count: 1, of: 12 });
    expect(flipRate(rows, 'default')).toMatchObject({ count: 0, of: 12 });
  });
});

const qualities = [20, 50, 80];

/** @param seen - what the score responds to besides the quality. */
function resaved(at: number, { seen = 0, ownQuality = 100 } = {}): Outcome {
  return {
    ...outcome(`source ${at}`, at % 2 === 0, 'uncertain'),
    compression: {
      scores: new Map(qualities.map((quality) => [quality, (100 - quality + seen) / 200])),
      ownQuality,
      texture: at,
    },
  };
}

describe('the compression score', () => {
  const twelve = Array.from({ length: 12 }, (_, at) => at);

  test('that depends on quality alone is blind at every quality', () => {
    const figures = blindnessOf(twelve.map((at) => resaved(at)));

    expect(figures.map(({ quality }) => quality)).toEqual(qualities);
    expect(figures.every(({ spread }) => spread.value < 1e-12)).toBe(true);
    expect(figures.map(({ auc }) => auc.value)).toEqual([0.5, 0.5, 0.5]);
  });

  test('that depends on texture or class is not blind', () => {
    const byTexture = blindnessOf(twelve.map((at) => resaved(at, { seen: at })));
    const byClass = blindnessOf(twelve.map((at) => resaved(at, { seen: at % 2 === 0 ? 9 : 0 })));

    expect(byTexture.map(({ texture }) => texture.value)).toEqual([1, 1, 1]);
    expect(byClass.map(({ auc }) => auc.value)).toEqual([1, 1, 1]);
  });

  test('is measured only on pictures that were not saved at a lower quality before', () => {
    const rows = twelve.map((at) => resaved(at, { ownQuality: at < 2 ? 40 : 100 }));

    expect(blindnessOf(rows).map(({ real, fake }) => real + fake)).toEqual([12, 10, 10]);
  });

  test('is counted as following the quality or not for each picture', () => {
    const against = resaved(12);
    const scores = new Map(qualities.map((quality) => [quality, quality / 200]));
    const rows = [
      ...twelve.map((at) => resaved(at)),
      { ...against, compression: { ...against.compression!, scores } },
    ];

    const { mean, least, reached } = followingOf(rows, 0.9);
    expect(mean.value).toBeCloseTo(11 / 13, 12);
    expect(least).toBeCloseTo(-1, 12);
    expect(reached).toMatchObject({ count: 12, of: 13 });
  });
});

/** Both classes decided, correctly except for the `wrong` ones. */
const judged = ({ wrong = 0 } = {}) => [
  ...times(100 - wrong, 'phone', false, 'real'),
  ...times(wrong, 'phone', false, 'fake'),
  ...times(100, 'tool', true, 'fake'),
];
const metUnder = (condition: string, rows: readonly Outcome[]) =>
  new Map(resultsOf([[condition, rows]]).map(({ of, isMet }) => [of, isMet]));

describe('the goals', () => {
  test('are met by a model without errors, and are null if nothing was measured', () => {
    const met = metUnder('jpeg 75', judged());

    expect(met.get('AUC')).toBe(true);
    expect(met.get('default: photographs called fake')).toBe(true);
    expect(met.get('default: photographs called real')).toBe(true);
    expect(met.get('default: generated pictures called real')).toBe(true);
    expect(met.get('pedantic: photographs called fake')).toBe(true);
    // It states 0.9 and 0.1 and is always right, so its error is a tenth.
    expect(met.get('default: calibration error of decided pictures')).toBe(false);
    const photographs = metUnder('jpeg 75', times(10, 'phone', false, 'real'));
    expect(photographs.get('default: generated pictures called real')).toBeNull();
  });

  test('for all photographs can be missed while the one for the worst source is met', () => {
    const met = metUnder('half, jpeg 80', judged({ wrong: 3 }));

    expect(met.get('default: photographs called fake')).toBe(false);
    expect(met.get('default: decided photographs of the worst source called fake')).toBe(true);
  });

  test('count undecided pictures in the denominator', () => {
    const open = times(200, 'web', true, 'uncertain');

    expect(metUnder('as is', judged()).get('default: generated pictures called fake')).toBe(true);
    const diluted = metUnder('as is', [...judged(), ...open]);
    expect(diluted.get('default: generated pictures called fake')).toBe(false);
  });

  test('are set for three conditions, and for re-saves only of pictures as they are', () => {
    const ofResaves = 'default: decided pictures reversed by a re-save';

    expect(metUnder('as is', judged()).get(ofResaves)).toBe(true);
    expect(metUnder('jpeg 75', judged()).has(ofResaves)).toBe(false);
    expect(resultsOf([['half', judged()]])).toEqual([]);
  });
});
