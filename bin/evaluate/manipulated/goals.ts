/** The localisation goals and the measured values. */

import { createRandom } from '../../../src/engine/calibration.ts';
import { calibrationError } from '../../../src/service/validation/figures.ts';
import { meanOf, recallAt } from '../figures.ts';
import { atLeast, atMost, type Goal, type Result, resultOf } from '../goals.ts';
import { type Estimate, estimateOf, rateOf } from '../intervals.ts';
import { bySize, isSimulated, medianProbability, pictureFigures } from './figures.ts';
import type { Judged } from './judge.ts';
import type { Row } from './read-cases.ts';

/** Assumed share of changed pictures among those that are examined. */
const assumedShare = 0.2;

const goalsOfPhotographs: readonly Goal<Row>[] = [
  atMost(0.01, 'photographs called manipulated', (rows) =>
    shareOf(rows, ({ called }) => called.default.isManipulated),
  ),
  atMost(0.05, 'photographs called manipulated or suspected', (rows) =>
    shareOf(rows, ({ called }) => called.default.isManipulated || called.default.isSuspected),
  ),
  atMost(0.15, 'photographs, median probability of a change', (rows) =>
    estimateOfRows(rows, medianProbability),
  ),
];

/** Changed against untouched pictures of the same sets, both saved alike. */
const goalsOfSets: Readonly<Record<string, readonly Goal<Row>[]>> = {
  'jpeg 95': [
    aucAtLeast(0.85),
    atLeast(0.6, 'changed pictures found at 5% of false alarms', (rows) => found(rows, 0.05)),
    atLeast(0.4, 'changed pictures found at 1% of false alarms', (rows) => found(rows, 0.01)),
  ],
  'jpeg 75': [aucAtLeast(0.75)],
};

/** Mean F1 of the pixels, at the best threshold of each picture and at 0.5. */
const goalsOfPixels: Readonly<Record<string, readonly Goal<Row>[]>> = {
  'as is': [
    ...f1AtLeast('splice', 0.72, 0.64),
    ...f1AtLeast('copymove', 0.8, 0.72),
    ...f1AtLeast('inpaint-ai', 0.76, 0.62),
    ...f1AtLeast('removal', 0.62, 0.5),
  ],
  'jpeg 75': [atLeast(0.54, 'F1, best threshold', (rows) => meanF1(rows, 'f1Best'))],
};

/** @param byCondition - rows of the sets, of simulated changes and of photographs. */
export function goalsReached(
  byCondition: readonly (readonly [condition: string, rows: readonly Row[]])[],
): readonly Result[] {
  return byCondition.flatMap(([condition, rows]) => {
    const photographs = rows.filter((row) => row.case.set === 'photographs');
    const sets = rows.filter((row) => row.case.set !== 'photographs' && !isSimulated(row));
    const ofSets = [
      ...(goalsOfSets[condition] ?? []),
      ...(goalsOfPixels[condition] ?? []),
      ...(condition === 'jpeg 95' ? [] : [gap]),
    ];
    return [
      ...goalsOfPhotographs.map((goal) => [goal, photographs] as const),
      ...ofSets.map((goal) => [goal, sets] as const),
      ...bySize(rows)
        .filter(([, some]) => new Set(some.map(({ mask }) => mask === null)).size === 2)
        .map(([size, some]) => [calibrated(size, some), some] as const),
    ].flatMap(([goal, some]) => (some.length === 0 ? [] : [resultOf(goal, condition, some)]));
  });
}

/** Between the best threshold and 0.5, the one that a reader has. */
const gap = atMost<Row>(0.08, 'F1 lost at 0.5 against the best threshold', (rows) =>
  ofMaps(rows, (judged) => judged.f1Best - judged.f1Half),
);

function calibrated(size: string, rows: readonly Row[]): Goal<Row> {
  const chance = chanceError(rows.map(toScored)).toFixed(3);
  return atMost(0.07, `calibration error, ${size} (by chance alone ${chance})`, (some) =>
    estimateOfRows(some, (drawn) => errorOf(drawn.map(toScored))),
  );
}

type Scored = Parameters<typeof calibrationError>[0][number];

function errorOf(scored: readonly Scored[]): number {
  return calibrationError(scored, undefined, assumedShare);
}

const drawsOfChance = 200;

/**
 * Mean error that the same number of pictures would show if each probability were exactly right,
 * and its mean the assumed share.
 */
function chanceError(scored: readonly Scored[]): number {
  const changed = scored.filter(({ isFake }) => isFake).length;
  const counts = { changed, untouched: scored.length - changed };
  const weights = scored.map(({ isFake }) =>
    isFake ? assumedShare / counts.changed : (1 - assumedShare) / counts.untouched,
  );
  const right = movedToMean(
    scored.map(({ score }) => score),
    weights,
  );
  const random = createRandom(1);
  const draw = (isFake: boolean) => {
    const upTo = runningSum(right.map((p, at) => weights[at]! * (isFake ? p : 1 - p)));
    return Array.from({ length: isFake ? counts.changed : counts.untouched }, () => {
      const place = random() * upTo.at(-1)!;
      return { score: right[upTo.findIndex((sum) => sum > place)]!, isFake, source: '' };
    });
  };
  const errors = Array.from({ length: drawsOfChance }, () =>
    errorOf([...draw(true), ...draw(false)]),
  );
  return meanOf(errors);
}

/** All log odds shifted by the same amount, so that the weighted mean of the probabilities is the assumed share. */
function movedToMean(probabilities: readonly number[], weights: readonly number[]): number[] {
  let [low, high] = [-20, 20];
  let moved: number[] = [];
  while (high - low > 1e-6) {
    const by = (low + high) / 2;
    moved = probabilities.map((p) => 1 / (1 + ((1 - p) / p) * Math.exp(-by)));
    const mean = moved.reduce((sum, p, at) => sum + p * weights[at]!, 0);
    if (mean < assumedShare) low = by;
    else high = by;
  }
  return moved;
}

function runningSum(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

function aucAtLeast(goal: number): Goal<Row> {
  return atLeast(goal, 'AUC of the probability of a change', (rows) => {
    const figures = pictureFigures(rows, ({ scores }) => scores['fusion']);
    if (figures === null) return unmeasured;
    return { value: figures.auc, low: figures.low, high: figures.high };
  });
}

function f1AtLeast(type: string, best: number, half: number): readonly Goal<Row>[] {
  const of = (rows: readonly Row[]) => rows.filter((row) => row.case.type === type);
  return [
    atLeast(best, `F1 of ${type}, best threshold`, (rows) => meanF1(of(rows), 'f1Best')),
    atLeast(half, `F1 of ${type}, at 0.5`, (rows) => meanF1(of(rows), 'f1Half')),
  ];
}

function meanF1(rows: readonly Row[], name: 'f1Best' | 'f1Half'): Estimate {
  return ofMaps(rows, (judged) => judged[name]);
}

function ofMaps(rows: readonly Row[], valueOf: (judged: Judged) => number): Estimate {
  const changed = rows.filter(({ judged }) => judged['fusion'] !== undefined);
  return estimateOfRows(changed, (some) =>
    meanOf(some.map((row) => valueOf(row.judged['fusion']!))),
  );
}

function found(rows: readonly Row[], falseAlarms: number): Estimate {
  return estimateOfRows(rows, (some) => recallAt(some.map(toScored), falseAlarms));
}

const unmeasured = { value: Number.NaN, low: Number.NaN, high: Number.NaN };

function probabilityOf({ scores }: Row): number {
  return scores['fusion'] ?? 0.5;
}

function toScored(row: Row) {
  return { score: probabilityOf(row), ...sampleOf(row) };
}

/** Pictures of a research set are taken as independent; those of one photographer or one pair are not. */
function sampleOf(row: Row) {
  const isOfSource = row.case.set === 'photographs' || isSimulated(row);
  return { isFake: row.mask !== null, source: isOfSource ? row.case.source : row.case.name };
}

function estimateOfRows(rows: readonly Row[], figure: (rows: readonly Row[]) => number): Estimate {
  const items = rows.map((row) => ({ row, sample: sampleOf(row) }));
  return estimateOf(items, (some) => figure(some.map(({ row }) => row)));
}

function shareOf(rows: readonly Row[], isCounted: (row: Row) => boolean) {
  const items = rows.map((row) => ({ row, sample: sampleOf(row) }));
  return rateOf(items, ({ row }) => isCounted(row));
}
