/** The figures of a run. */

import { decisionStrategies } from '../../src/contract/vocabulary.ts';
import { calibrationError } from '../../src/service/validation/figures.ts';
import { meanOf, recallAt } from './figures.ts';
import { resultsOf, tableOfGoals } from './goals.ts';
import { estimateOf, rateOf } from './intervals.ts';
import { printGroups } from './print-groups.ts';
import { printResaves } from './print-resaves.ts';
import {
  aucOf,
  calledFakeRate,
  calledRealRate,
  decidedError,
  decidedRate,
  fakeOf,
  realOf,
  type WorstSource,
  worstSourceOf,
} from './rates.ts';
import { type Outcome, type Row, toScored } from './read-samples.ts';
import { type Block, numberWithin, percentWithin, table } from './table.ts';

export function printFigures(rows: readonly Row[]): readonly Block[] {
  const byCondition = [...Map.groupBy(rows, ({ condition }) => condition)];
  const asIs = rows.filter(({ condition }) => condition === 'as is');
  return [
    'Recall at 5% and 1% false alarms uses thresholds taken from these photographs. ECE: mean gap between the stated probability and the share of generated pictures, with both classes weighted equally.',
    'All intervals are 95% intervals from 1,000 draws of whole sources. If all draws agree (no picture counts, or all come from one source), and for the worst source, they are Clopper and Pearson’s, which treat pictures as independent. Those of the ECE are biased upwards, because drawing adds scatter.',
    table(
      ['condition', 'real', 'generated', 'AUC', 'recall at 5%', 'at 1%', 'ECE'],
      byCondition.map(([condition, some]) => overall(condition, some)),
    ),
    'The goals for the trace model. Whether one is met depends on the measured value, not on its interval.',
    tableOfGoals(resultsOf(byCondition)),
    'The verdicts of the service, including those on local changes unless `--traces` leaves them out. Errors are shares of the decided pictures in a class; the worst source is one with at least ten decided photographs.',
    table(
      [
        'condition',
        'strategy',
        'decided',
        'real called fake',
        'worst source',
        'generated called real',
        'abstained',
        'ECE of decided',
      ],
      byCondition.flatMap(([condition, some]) => decided(condition, some)),
    ),
    'Each generator against all photographs. If its pictures come from one source, the interval covers only the photographs.',
    table(
      ['generator', 'n', ...byCondition.map(([name]) => `AUC ${name}`)],
      generators(byCondition),
    ),
    'Its pictures under `default`: called fake / called real; the rest are undecided.',
    table(
      ['generator', 'n', ...byCondition.map(([name]) => name)],
      calledOfGenerators(byCondition),
    ),
    'Photographs by source: mean stated probability of `fake` (lower is better), and how many are called fake under `default`.',
    table(
      [
        'real source',
        'n',
        ...['p(fake)', 'called fake'].flatMap((what) =>
          byCondition.map(([name]) => `${what} ${name}`),
        ),
      ],
      realSources(byCondition),
    ),
    ...printGroups(rows),
    ...printResaves(asIs),
  ];
}

function overall(condition: string, rows: readonly Row[]): string[] {
  const recall = (falseAlarms: number) =>
    estimateOf(rows, (some) => recallAt(some.map(toScored), falseAlarms));
  return [
    condition,
    String(realOf(rows).length),
    String(fakeOf(rows).length),
    numberWithin(aucOf(rows)),
    percentWithin(recall(0.05)),
    percentWithin(recall(0.01)),
    numberWithin(estimateOf(rows, (some) => calibrationError(some.map(toScored)))),
  ];
}

function decided(condition: string, rows: readonly Row[]): string[][] {
  return decisionStrategies.map((strategy) => {
    const worst = worstSourceOf(rows, strategy);
    return [
      condition,
      strategy,
      percentWithin(decidedRate(rows, strategy)),
      percentWithin(calledFakeRate(rows, strategy)),
      worst === null ? '' : worstSource(worst),
      percentWithin(calledRealRate(rows, strategy)),
      percentWithin(rateOf(rows, ({ classes }) => classes[strategy] === 'abstain')),
      numberWithin(decidedError(rows, strategy)),
    ];
  });
}

function worstSource({ source, calledFake }: WorstSource): string {
  if (calledFake.count === 0) return 'none';
  return `${source} ${percentWithin(calledFake)} of ${calledFake.of}`;
}

type Conditions = readonly (readonly [condition: string, rows: readonly Outcome[]])[];

/** Each generator against all real pictures of the same condition. */
function generators(byCondition: Conditions): string[][] {
  return namesOf(byCondition, fakeOf, ({ generator }) => generator).map(([name, count]) => {
    const figures = byCondition.map(([, some]) =>
      numberWithin(
        aucOf(some.filter(({ sample }) => !sample.isFake || sample.generator === name)),
        2,
      ),
    );
    return [name, String(count), ...figures];
  });
}

function calledOfGenerators(byCondition: Conditions): string[][] {
  return namesOf(byCondition, fakeOf, ({ generator }) => generator).map(([name, count]) => {
    const called = byCondition.map(([, some]) => {
      const own = fakeOf(some).filter(({ sample }) => sample.generator === name);
      return `${countCalled(own, 'fake')} / ${countCalled(own, 'real')}`;
    });
    return [name, String(count), ...called];
  });
}

function realSources(byCondition: Conditions): string[][] {
  return namesOf(byCondition, realOf, ({ source }) => source).map(([name, count]) => {
    const own = byCondition.map(([, some]) =>
      realOf(some).filter(({ sample }) => sample.source === name),
    );
    const means = own.map((some) =>
      meanOf(some.map(({ examination }) => examination.decision.fakeProbability)).toFixed(2),
    );
    return [name, String(count), ...means, ...own.map((some) => String(countCalled(some, 'fake')))];
  });
}

/** In order, with the number of pictures, which are the same under every condition. */
function namesOf(
  [[, rows] = ['', []]]: Conditions,
  ofClass: (rows: readonly Outcome[]) => readonly Outcome[],
  nameOf: (sample: Outcome['sample']) => string,
): readonly (readonly [name: string, count: number])[] {
  const groups = [...Map.groupBy(ofClass(rows), ({ sample }) => nameOf(sample))];
  return groups
    .map(([name, some]) => [name, some.length] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function countCalled(rows: readonly Outcome[], wanted: 'real' | 'fake'): number {
  return rows.filter(({ classes }) => classes.default === wanted).length;
}
