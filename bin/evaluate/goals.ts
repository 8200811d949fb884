/** The goals for the trace model and the measured values, with the denominators of the tables; those of localisation are in `manipulated/goals.ts`. */

import { decisionStrategies } from '../../src/contract/vocabulary.ts';
import { followingOf } from './compression.ts';
import { type Estimate, type Rate, rateOf } from './intervals.ts';
import {
  aucOf,
  calledRate,
  decidedError,
  fakeOf,
  flipRate,
  realOf,
  worstSourceOf,
} from './rates.ts';
import type { Outcome } from './read-samples.ts';
import { numberWithin, percent, percentWithin, type Table, table } from './table.ts';

export interface Goal<Item> {
  readonly of: string;
  readonly bound: 'at least' | 'at most';
  readonly goal: number;
  readonly measure: (items: readonly Item[]) => Estimate | Rate;
}

export interface Result extends Omit<Goal<never>, 'measure'> {
  readonly condition: string;
  readonly measured: Estimate | Rate;
  /** Based on the value itself, not its interval; null if nothing was measured. */
  readonly isMet: boolean | null;
}

/** AUC of pictures; those at half size without a save have no goals. */
const minAuc: Readonly<Record<string, number>> = {
  'as is': 0.93,
  'jpeg 75': 0.9,
  'half, jpeg 80': 0.87,
};

/** For every condition that has a goal for its AUC. */
const goalsOfVerdicts: readonly Goal<Outcome>[] = [
  atMost(0, 'pedantic: photographs called fake', (rows) =>
    calledRate(realOf(rows), 'pedantic', 'fake'),
  ),
  atMost(0.01, 'default: photographs called fake', (rows) =>
    calledRate(realOf(rows), 'default', 'fake'),
  ),
  atMost(0.05, 'default: decided photographs of the worst source called fake', (rows) => {
    return worstSourceOf(rows, 'default')?.calledFake ?? rateOf([], () => false);
  }),
  atLeast(0.6, 'default: photographs called real', (rows) =>
    calledRate(realOf(rows), 'default', 'real'),
  ),
  atMost(0.05, 'default: generated pictures called real', (rows) =>
    calledRate(fakeOf(rows), 'default', 'real'),
  ),
  atMost(0.05, 'default: calibration error of decided pictures', (rows) => {
    return decidedError(rows, 'default');
  }),
];

/** For unmodified pictures. */
const goalsAsIs: readonly Goal<Outcome>[] = [
  atLeast(0.5, 'default: generated pictures called fake', (rows) =>
    calledRate(fakeOf(rows), 'default', 'fake'),
  ),
];

/** Rank correlation of the compression score with the quality of one picture's re-saves. */
export const minFollowing = 0.9;

const goalsOfResaves: readonly Goal<Outcome>[] = [
  ...decisionStrategies.map((strategy) =>
    atMost<Outcome>(0.005, `${strategy}: decided pictures reversed by a re-save`, (rows) =>
      flipRate(rows, strategy),
    ),
  ),
  atLeast(minFollowing, 'compression against quality, mean of pictures', (rows) => {
    return followingOf(rows, minFollowing).mean;
  }),
  atLeast(1, `compression against quality, pictures from ${minFollowing} on`, (rows) => {
    return followingOf(rows, minFollowing).reached;
  }),
];

export function resultsOf(
  byCondition: readonly (readonly [condition: string, rows: readonly Outcome[]])[],
): readonly Result[] {
  return byCondition.flatMap(([condition, rows]) => {
    const least = minAuc[condition];
    if (least === undefined) return [];
    const goals = [
      atLeast(least, 'AUC', aucOf),
      ...goalsOfVerdicts,
      ...(condition === 'as is' ? [...goalsAsIs, ...goalsOfResaves] : []),
    ];
    return goals.map((goal) => resultOf(goal, condition, rows));
  });
}

export function resultOf<Item>(
  { measure, ...goal }: Goal<Item>,
  condition: string,
  items: readonly Item[],
): Result {
  const measured = measure(items);
  const { value } = measured;
  const holds = goal.bound === 'at least' ? value >= goal.goal : value <= goal.goal;
  return { ...goal, condition, measured, isMet: Number.isNaN(value) ? null : holds };
}

export function atLeast<Item>(
  goal: number,
  of: string,
  measure: Goal<Item>['measure'],
): Goal<Item> {
  return { of, bound: 'at least', goal, measure };
}

export function atMost<Item>(goal: number, of: string, measure: Goal<Item>['measure']): Goal<Item> {
  return { of, bound: 'at most', goal, measure };
}

/** Whether a goal is met depends on the measured value, not on its interval. */
export function tableOfGoals(results: readonly Result[]): Table {
  return table(['condition', 'of', 'goal', 'measured', 'pictures', 'met'], results.map(goalRow));
}

function goalRow({ condition, of, bound, goal, measured, isMet }: Result): string[] {
  const isRate = 'count' in measured;
  const within: (estimate: Estimate) => string = isRate ? percentWithin : numberWithin;
  return [
    condition,
    of,
    `${bound} ${isRate ? percent(goal) : goal}`,
    within(measured),
    isRate ? `${measured.count} of ${measured.of}` : '',
    isMet === null ? 'not measured' : isMet ? 'yes' : 'no',
  ];
}
