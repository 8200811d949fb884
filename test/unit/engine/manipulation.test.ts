import { describe, expect, test } from 'vitest';
import type { Finding, LocalisedFinding } from '../../../src/detectors/detector.ts';
import type { CellGrid } from '../../../src/detectors/regions.ts';
import { localise } from '../../../src/engine/localisation.ts';

const fusion = {
  places: {
    offset: -1,
    level: { middle: 0, strongest: 0, perDoubling: 0 },
    weights: { first: { weight: 1, rest: 0.5 }, second: { weight: 2, rest: 0.2 } },
  },
  picture: {
    offset: -2,
    perDoubling: 0,
    compression: 0,
    weights: { first: 1, second: 0.5 },
    suspectAlone: ['copy-move'],
  },
};
const thresholds = {
  manipulatedMin: { pedantic: 0.9, default: 0.8, relaxed: 0.7 },
  suspectedMin: { pedantic: 0.3, default: 0.5, relaxed: 0.6 },
};
const manifest = { fusion, thresholds };
/** One megapixel without compression. */
const megapixel = { width: 1000, height: 1000, jpeg: null };
const odds = (probability: number) => Math.log(probability / (1 - probability));
const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));

describe('cells', () => {
  test('add up the log odds of every method relative to its neutral value', () => {
    const [silent, marked] = fuse({ first: [0.5, 0.9], second: [0.2, 0.6] });

    expect(silent).toBeCloseTo(sigmoid(-1), 6);
    expect(marked).toBeCloseTo(sigmoid(-1 + odds(0.9) + 2 * (odds(0.6) - odds(0.2))), 6);
  });

  test('ignore skipped methods and methods without a weight', () => {
    const [cell] = fuse({ first: [0.9], unknown: [1] });

    expect(cell).toBeCloseTo(sigmoid(-1 + odds(0.9)), 6);
  });

  test('are compared with the median and the strongest cells of their picture', () => {
    const values = Array.from({ length: 200 }, (_, cell) => (cell < 4 ? 0.9 : 0.6));

    const fused = fuse({ first: values }, { middle: 0.2, strongest: 0.4, perDoubling: 0 });

    const level = 0.2 * odds(0.6) + 0.4 * odds(0.9);
    expect(fused[0]).toBeCloseTo(sigmoid(-1 + odds(0.9) - level), 6);
    expect(fused[4]).toBeCloseTo(sigmoid(-1 + odds(0.6) - level), 6);
  });

  test('that stand out on less than 1% of the picture do not raise the bar', () => {
    const values = Array.from({ length: 200 }, (_, cell) => (cell < 2 ? 0.9 : 0.5));

    const fused = fuse({ first: values }, { middle: 0, strongest: 0.4, perDoubling: 0 });

    expect(fused[0]).toBeCloseTo(sigmoid(-1 + odds(0.9)), 6);
  });

  test('cap the influence of one method at odds of e^4', () => {
    expect(fuse({ first: [1] })[0]).toBeCloseTo(sigmoid(3), 6);
  });
});

test('size and compression affect the bar for cells and the odds of the picture', () => {
  const places = { ...fusion.places, level: { middle: 0, strongest: 0, perDoubling: 0.5 } };
  const picture = { ...fusion.picture, perDoubling: -0.25, compression: 2 };
  // Three doublings of a megapixel, and a quarter of the way from quality 100 to 0.
  const facts = { width: 4000, height: 2000, jpeg: { quality: { value: 75, distance: 0 } } };

  const { changed, manipulation } = localise({
    facts,
    answers: [],
    grid: { cellPx: 8, columns: 1, rows: 1 },
    manifest: { thresholds, fusion: { places, picture } },
  });

  expect(changed[0]).toBeCloseTo(sigmoid(-1 - 3 * 0.5), 6);
  expect(manipulation.probability).toBeCloseTo(sigmoid(-2 - 3 * 0.25 + 0.25 * 2), 12);
});

test('the picture adds up the log odds of the scores', () => {
  const scores = { first: 0.9, second: 0.1, unknown: 1 };
  const answers = Object.entries(scores).map(([method, score]) => findingOf(method, { score }));
  const grid = { cellPx: 8, columns: 1, rows: 1 };

  const { manipulation } = localise({ facts: megapixel, answers, grid, manifest });

  expect(manipulation.probability).toBeCloseTo(sigmoid(-2 + odds(0.9) + 0.5 * odds(0.1)), 12);
});

describe('a picture with a marked part', () => {
  const facts = { width: 16, height: 8, jpeg: null };
  const grid = { cellPx: 4, columns: 4, rows: 2 };
  const localised = (method: string, values: readonly number[], own: Partial<Finding> = {}) =>
    withMap(method, values, {
      grid,
      own: { score: 0.8, speaksFor: 'fake', strength: 'weak', ...own },
    });
  const right = [0.5, 0.5, 0.5, 0.95, 0.5, 0.5, 0.5, 0.95];
  const weights = { ...fusion.picture.weights, 'copy-move': 1 };
  const withCopies = {
    ...manifest,
    fusion: { ...fusion, picture: { ...fusion.picture, weights } },
  };
  const copies = [0, 4].map((left) => ({ left, top: 0, width: 4, height: 4, share: 0.125 }));

  test('is reported with its region and the methods that indicate a change', () => {
    const answers = [
      localised('first', right),
      localised('silent', right, { speaksFor: 'neither', strength: 'none' }),
      { method: 'second', reason: 'too_small_for_copies' as const },
    ];

    const { manipulation, methods } = localise({ facts, grid, manifest, answers });

    expect(manipulation).toMatchObject({
      region: { left: 12, top: 0, width: 4, height: 8, share: 0.25 },
      methods: ['first'],
    });
    expect(manipulation.probability).toBeCloseTo(sigmoid(-2 + odds(0.8)), 6);
    expect(Object.keys(methods)).toEqual(['first', 'silent']);
  });

  test('ignores a method without weight, however strong its finding', () => {
    const answers = [localised('first', right), localised('loud', right, { strength: 'strong' })];

    const { manipulation, methods } = localise({ facts, grid, manifest, answers });

    expect(manipulation.methods).toEqual(['first']);
    expect(Object.keys(methods)).toContain('loud');
  });

  test('is reported with every place, numbered in order, and the methods that mark each', () => {
    const left = [0.95, 0.5, 0.5, 0.5, 0.95, 0.5, 0.5, 0.5];
    const answers = [
      localised('first', right),
      localised('second', left, { score: 0.9, strength: 'moderate' }),
    ];
    const even = { ...manifest, fusion: { ...fusion, places: { ...fusion.places, offset: -2.9 } } };

    const { manipulation } = localise({ facts, grid, manifest: even, answers });

    expect(manipulation.places?.map(({ region, methods }) => [region.left, methods])).toEqual([
      [0, ['second']],
      [12, ['first']],
    ]);
    expect(manipulation.region).toEqual(manipulation.places?.[0]?.region);
  });

  test('marks the likeliest pair of copies, as described by the finding, not the largest', () => {
    const pairs = [0.9, 0.5, 0.9, 0.5, 0.5, 0.5, 0.5, 0.8];
    const answers = [{ ...localised('copy-move', pairs, { strength: 'moderate' }), copies }];

    const { manipulation } = localise({ facts, grid, manifest: withCopies, answers });

    expect(manipulation.places?.map(({ region }) => region.left)).toEqual([0, 8]);
  });

  test.each([
    ['apart', [0.9, 0.5, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5], 8],
    ['touching', [0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], 4],
  ])('marks both copies, %s, even in a place that another method marks', (_, values, second) => {
    const left = [0.95, 0.95, 0.95, 0.5, 0.5, 0.5, 0.5, 0.5];
    const answers = [
      { ...localised('copy-move', values, { strength: 'moderate' }), copies },
      localised('second', left, { score: 0.9 }),
    ];

    const { manipulation } = localise({ facts, grid, manifest: withCopies, answers });

    expect(
      manipulation.places?.map(({ region, methods }) => [region.left, region.width, methods]),
    ).toEqual([
      [0, 4, ['second', 'copy-move']],
      [second, 4, ['copy-move']],
    ]);
  });

  test('is reported if copies are clear, even if the fusion suspects nothing', () => {
    const answers = [localised('copy-move', right, { score: 0.6, strength: 'moderate' })];

    const { manipulation, suspicion } = localise({ facts, grid, manifest: withCopies, answers });

    expect(manipulation.probability).toBeLessThan(0.3);
    expect(manipulation.region).toMatchObject({ left: 12, width: 4 });
    expect(suspicion).toBe(1);
  });

  test('has no region while no strategy suspects a change', () => {
    const answers = [localised('first', right, { score: 0.5 })];

    const { manipulation } = localise({ facts, grid, manifest, answers });

    expect(manipulation.probability).toBeLessThan(0.3);
    expect(manipulation.region).toBeNull();
  });

  test.each([
    [0.5, sigmoid(-2) / 0.5],
    [0.8, sigmoid(-2 + odds(0.8)) / 0.5],
    [0.95, 1],
  ])(
    'with a score of %d has the suspicion %d relative to the threshold of `default`',
    (score, expected) => {
      const answers = [localised('first', right, { score })];

      const { suspicion } = localise({ facts, grid, manifest, answers });

      expect(suspicion).toBeCloseTo(expected, 6);
    },
  );

  test('has no region where nothing is marked', () => {
    const { manipulation } = localise({ facts, grid, manifest, answers: [] });

    expect(manipulation).toMatchObject({ region: null, methods: [] });
  });
});

/** The fused cells of an uncompressed megapixel picture, given one row of cells per method. */
function fuse(maps: Readonly<Record<string, readonly number[]>>, level = fusion.places.level) {
  const columns = Math.max(...Object.values(maps).map((values) => values.length));
  const grid = { cellPx: 4, columns, rows: 1 };
  const answers = Object.entries(maps).map(([method, values]) => withMap(method, values, { grid }));
  const places = { ...fusion.places, level };
  const fused = { thresholds, fusion: { ...fusion, places } };
  return localise({ facts: megapixel, answers, grid, manifest: fused }).changed;
}

function withMap(
  method: string,
  values: readonly number[],
  { grid, own = {} }: { readonly grid: CellGrid; readonly own?: Partial<Finding> },
): LocalisedFinding {
  return { finding: findingOf(method, own), map: { ...grid, values: Float32Array.from(values) } };
}

function findingOf(method: string, own: Partial<Finding>): Finding {
  return {
    method,
    score: 0.5,
    speaksFor: 'neither',
    strength: 'none',
    statement: { code: 'no_copies', values: {} },
    measures: {},
    source: '',
    ...own,
  };
}
