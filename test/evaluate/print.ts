/** The figures of a run as tables for a terminal. */

import { decisionStrategies } from '../../src/engine/result.ts';
import { calibrationError, groupBy } from '../../src/validation/statistics.ts';
import { meanOf, recallAt } from './figures.ts';
import { type Result, resultsOf } from './goals.ts';
import { type Estimate, estimateOf, rateOf } from './intervals.ts';
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
import { type Row, toScored } from './read-samples.ts';
import { numberWithin, percent, percentWithin, table } from './table.ts';

export function printFigures(rows: readonly Row[]): string {
  const byCondition = [...groupBy(rows, ({ condition }) => condition)];
  const asIs = rows.filter(({ condition }) => condition === 'as is');
  return [
    'Every interval is one of 95 %, from 1,000 draws of whole sources. Where the draws all say the same (no picture counts, or all are of one source), and of the worst source, it is that of Clopper and Pearson, which takes pictures as independent. That of an ECE leans upwards: drawing adds scatter of its own.',
    table(
      ['condition', 'real', 'generated', 'AUC', 'recall at 5 %', 'at 1 %', 'ECE'],
      byCondition.map(([condition, some]) => overall(condition, some)),
    ),
    'Errors are shares of the pictures of a class that are decided; worst source: of ten decided photographs or more.',
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
    table(['generator', 'n', ...byCondition.map(([name]) => `AUC ${name}`)], generators(rows)),
    table(['real source', 'n', 'mean p(fake)', 'called fake', 'not decided'], realSources(asIs)),
    printGroups(rows),
    printResaves(asIs),
    'The goals set for the trace model. Met or not is said of the measured value, not of its interval.',
    table(
      ['condition', 'of', 'goal', 'measured', 'pictures', 'met'],
      resultsOf(byCondition).map(goalRow),
    ),
  ].join('\n');
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

/** Each generator against all real pictures of the same condition. */
function generators(rows: readonly Row[]): string[][] {
  const fakes = fakeOf(rows);
  const names = [...new Set(fakes.map(({ sample }) => sample.generator))].toSorted();
  const byCondition = [...groupBy(rows, ({ condition }) => condition).values()];
  return names.map((name) => {
    const figures = byCondition.map((some) =>
      numberWithin(
        aucOf(some.filter(({ sample }) => !sample.isFake || sample.generator === name)),
        2,
      ),
    );
    const files = fakes
      .filter(({ sample }) => sample.generator === name)
      .map(({ sample }) => sample.file);
    return [name, String(new Set(files).size), ...figures];
  });
}

function realSources(rows: readonly Row[]): string[][] {
  const bySource = [...groupBy(realOf(rows), ({ sample }) => sample.source)];
  return bySource.map(([source, some]) => {
    const share = (...wanted: readonly string[]) =>
      percent(meanOf(some.map(({ classes }) => (wanted.includes(classes.default) ? 1 : 0))));
    return [
      source,
      String(some.length),
      meanOf(some.map(({ examination }) => examination.decision.fakeProbability)).toFixed(2),
      share('fake'),
      share('abstain', 'uncertain'),
    ];
  });
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
