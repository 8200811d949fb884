/** The figures of a run. */

import { decisionStrategies } from '../../src/contract/vocabulary.ts';
import { calibrationError, groupBy } from '../../src/service/validation/statistics.ts';
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
  const byCondition = [...groupBy(rows, ({ condition }) => condition)];
  const asIs = rows.filter(({ condition }) => condition === 'as is');
  return [
    'Recall at 5 % and 1 % of false alarms takes the thresholds that these photographs give. ECE: mean gap between the stated probability and the share of generated pictures, both classes alike.',
    'Every interval is one of 95 %, from 1,000 draws of whole sources. Where the draws all say the same (no picture counts, or all are of one source), and of the worst source, it is that of Clopper and Pearson, which takes pictures as independent. That of an ECE leans upwards: drawing adds scatter of its own.',
    table(
      ['condition', 'real', 'generated', 'AUC', 'recall at 5 %', 'at 1 %', 'ECE'],
      byCondition.map(([condition, some]) => overall(condition, some)),
    ),
    'The goals set for the trace model. Met or not is said of the measured value, not of its interval.',
    tableOfGoals(resultsOf(byCondition)),
    'What the service says, local changes among it unless `--traces` leaves them out. Errors are shares of the pictures of a class that are decided; worst source: of ten decided photographs or more.',
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
    'Each generator against all photographs. Where its pictures are of one source, the interval is one of the photographs alone.',
    table(
      ['generator', 'n', ...byCondition.map(([name]) => `AUC ${name}`)],
      generators(byCondition),
    ),
    'Its pictures under `default`, called fake / called real; the rest is not decided.',
    table(
      ['generator', 'n', ...byCondition.map(([name]) => name)],
      calledOfGenerators(byCondition),
    ),
    'Photographs by source: the mean stated probability of `fake`, lower is better, and how many of them `default` calls fake.',
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
  const groups = [...groupBy(ofClass(rows), ({ sample }) => nameOf(sample))];
  return groups
    .map(([name, some]) => [name, some.length] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function countCalled(rows: readonly Outcome[], wanted: 'real' | 'fake'): number {
  return rows.filter(({ classes }) => classes.default === wanted).length;
}
