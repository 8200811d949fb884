/** Localisation figures: means over changed pictures, each of which counts once. */

import type { DecisionStrategy } from '../../../src/contract/vocabulary.ts';
import { boundedLogit, createRandom } from '../../../src/engine/calibration.ts';
import type {
  ChangeKind,
  LocateManifest,
  MeasuredCalls,
  MeasuredLocalisation,
} from '../../../src/contract/manifest.ts';
import { auc, aucInterval, quantile } from '../../../src/service/validation/figures.ts';
import { meanOf } from '../figures.ts';
import type { HeldOut } from '../held-out.ts';
import type { Judged } from './judge.ts';
import type { Row } from './read-cases.ts';

export interface PixelFigures {
  /** Number of changed pictures for which the method has a result. */
  readonly answered: number;
  readonly pictures: number;
  readonly f1Best: number;
  readonly f1Low: number;
  readonly f1High: number;
  readonly f1Half: number;
  readonly pixelAuc: number;
  readonly f1Chance: number;
}

/** A picture that the method skipped counts as an empty map. Null without changed pictures. */
export function pixelFigures(rows: readonly Row[], map: string): PixelFigures | null {
  const changed = rows.filter(({ judged }) => judged['fake'] !== undefined);
  if (changed.length === 0) return null;
  const judged = changed.map((row) => row.judged[map] ?? silent(row.judged['fake']!));
  const best = judged.map(({ f1Best }) => f1Best);
  const [f1Low, f1High] = intervalOfMean(best);
  return {
    answered: changed.filter((row) => row.judged[map] !== undefined).length,
    pictures: changed.length,
    f1Best: meanOf(best),
    f1Low,
    f1High,
    f1Half: meanOf(judged.map(({ f1Half }) => f1Half)),
    pixelAuc: meanOf(judged.map((each) => each.auc)),
    f1Chance: meanOf(judged.map(({ f1Chance }) => f1Chance)),
  };
}

function silent({ f1Chance }: Judged): Judged {
  return { f1Best: f1Chance, f1Half: 0, auc: 0.5, f1Chance };
}

/** 95%, by drawing pictures with replacement (percentile bootstrap, Efron 1979). */
function intervalOfMean(
  values: readonly number[],
  { draws = 1000, seed = 1 } = {},
): readonly [low: number, high: number] {
  const random = createRandom(seed);
  const means = Array.from({ length: draws }, () =>
    meanOf(values.map(() => values[Math.floor(random() * values.length)]!)),
  ).toSorted((one, other) => one - other);
  return [means[Math.floor(0.025 * draws)]!, means[Math.ceil(0.975 * draws) - 1]!];
}

export interface PictureFigures {
  readonly untouched: number;
  readonly changed: number;
  readonly auc: number;
  readonly low: number;
  readonly high: number;
}

/**
 * @param scoreOf - of a picture; undefined if it was skipped, which counts as 0.5.
 * @returns null without both classes.
 */
export function pictureFigures(
  rows: readonly Row[],
  scoreOf: (row: Row) => number | undefined,
): PictureFigures | null {
  const scored = rows.map((row) => ({
    score: scoreOf(row) ?? 0.5,
    isFake: row.mask !== null,
    source: row.case.name,
  }));
  const changed = scored.filter(({ isFake }) => isFake).length;
  const untouched = scored.length - changed;
  if (changed === 0 || untouched === 0) return null;
  const [low, high] = aucInterval(scored);
  return { untouched, changed, auc: auc(scored), low, high };
}

/** Shares of `rows` that are called changed, and that are at least suspected. */
export function calledFigures(rows: readonly Row[], strategy: DecisionStrategy) {
  const share = (holds: (row: Row) => boolean) => rows.filter(holds).length / rows.length;
  return {
    manipulated: share(({ called }) => called[strategy].isManipulated),
    suspected: share(({ called }) => called[strategy].isSuspected),
  };
}

/** Of a change. */
export function medianProbability(rows: readonly Row[]): number {
  const rising = rows
    .map(({ scores: { fusion = 0.5 } }) => fusion)
    .toSorted((one, other) => one - other);
  return quantile(rising, 0.5);
}

export const isSimulated = (row: Row) => row.case.set === 'simulated';

/** Each set, each type, and all; changed pictures only. Simulated changes are separate. */
export function groupsOf(rows: readonly Row[]): readonly (readonly [string, readonly Row[]])[] {
  const changed = rows.filter(({ mask }) => mask !== null);
  const [simulated, real] = [
    changed.filter(isSimulated),
    changed.filter((row) => !isSimulated(row)),
  ];
  return [
    ...Map.groupBy(real, (row) => `type ${row.case.type}`),
    ...Map.groupBy(real, (row) => `set ${row.case.set}`),
    ['all', real],
    ...Map.groupBy(simulated, (row) => `simulated ${row.case.type}`),
    ...(simulated.length > 0 ? ([['simulated', simulated]] as const) : []),
  ];
}

const sizes = [
  { name: 'below 1.5 MP', megapixels: { from: 0, below: 1.5 } },
  { name: '1.5 to 4 MP', megapixels: { from: 1.5, below: 4 } },
  { name: 'above 4 MP', megapixels: { from: 4, below: null } },
] as const;

export function bySize(rows: readonly Row[]): readonly (readonly [string, readonly Row[]])[] {
  return sizes
    .map(({ name, megapixels }) => [name, rows.filter(isWithin(megapixels))] as const)
    .filter(([, some]) => some.length > 0);
}

function isWithin({ from, below }: (typeof sizes)[number]['megapixels']) {
  return ({ megapixels }: Row) => megapixels >= from && megapixels < (below ?? Infinity);
}

/**
 * What `locator-release --figures` writes into the manifest and the card: the figures of the
 * fusion's maps and of its verdicts.
 */
export function manifestFigures(rows: readonly Row[]): Pick<LocateManifest, 'measured' | 'called'> {
  const sets = rows.filter((row) => row.case.set !== 'photographs');
  const photographs = rows.filter((row) => row.case.set === 'photographs');
  const kept = [...Map.groupBy(sets, ({ condition }) => condition)].filter(
    ([condition]) => condition !== 'jpeg 95',
  );
  return {
    measured: kept.flatMap(([condition, some]) =>
      groupsOf(some).flatMap(([set, members]) => measuredOf(set, condition, members)),
    ),
    called: kept.flatMap(([condition, some]) => {
      const changed = some.filter((row) => row.mask !== null);
      const unchanged = photographs.filter((row) => row.condition === condition);
      return [
        ...callsOf(
          { condition },
          changed.filter((row) => !isSimulated(row)),
          unchanged,
        ),
        ...sizes.flatMap(({ megapixels }) => {
          const within = isWithin(megapixels);
          return callsOf(
            { condition, megapixels },
            changed.filter(within),
            unchanged.filter(within),
          );
        }),
      ];
    }),
  };
}

const kinds: Readonly<Record<string, ChangeKind>> = {
  splice: 'splice',
  'splice, lossless': 'splice',
  copymove: 'copy-move',
  removal: 'removal',
  'inpaint-ai': 'regenerated',
};

/** Of every picture that a person changed, and of all unchanged ones. */
export function heldOutOf(rows: readonly Row[]): readonly HeldOut[] {
  return rows
    .filter((row) => !isSimulated(row))
    .map((row) => {
      const { scores, called, condition, mask } = row;
      const probability = scores['fusion'] ?? 0.2;
      const suspected = called.default.isSuspected ? 'suspected' : 'none';
      return {
        condition,
        isSo: mask !== null,
        kind: mask === null ? '' : (kinds[row.case.type] ?? ''),
        // The probability assumes that one in five is changed.
        logRatio: boundedLogit(probability) + Math.log(4),
        outcome: called.default.isManipulated ? 'called' : suspected,
      };
    });
}

/** Empty without pictures of both kinds, as can happen in a small sample. */
function callsOf(
  measuredOn: Pick<MeasuredCalls, 'condition' | 'megapixels'>,
  changed: readonly Row[],
  photographs: readonly Row[],
): MeasuredCalls[] {
  if (changed.length === 0 || photographs.length === 0) return [];
  const under = (strategy: DecisionStrategy) => ({
    changed: countCalled(changed, strategy),
    photographs: countCalled(photographs, strategy),
  });
  return [
    {
      ...measuredOn,
      changed: changed.length,
      photographs: photographs.length,
      strategies: {
        pedantic: under('pedantic'),
        default: under('default'),
        relaxed: under('relaxed'),
      },
    },
  ];
}

function countCalled(rows: readonly Row[], strategy: DecisionStrategy): number {
  return rows.filter(({ called }) => called[strategy].isManipulated).length;
}

function measuredOf(set: string, condition: string, rows: readonly Row[]): MeasuredLocalisation[] {
  const figures = pixelFigures(rows, 'fusion');
  if (figures === null) return [];
  return [
    {
      set,
      condition,
      pictures: figures.pictures,
      f1Best: rounded(figures.f1Best),
      f1Low: rounded(figures.f1Low),
      f1High: rounded(figures.f1High),
      f1Half: rounded(figures.f1Half),
      pixelAuc: rounded(figures.pixelAuc),
    },
  ];
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
