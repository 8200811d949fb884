/** The figures of a run as tables for a terminal. */

import Table from 'cli-table3';
import { decisionStrategies } from '../../src/engine/result.ts';
import { auc, aucInterval, groupBy, recallAt } from './figures.ts';
import { ratesOf, shareOf } from './measured.ts';
import { type Row, toScored } from './read-samples.ts';

export function printFigures(rows: readonly Row[]): string {
  const byCondition = [...groupBy(rows, ({ condition }) => condition)];
  const whole = byCondition.map(([condition, some]) => overall(condition, some));
  const strategies = byCondition.flatMap(([condition, some]) => decided(condition, some));
  const asIs = rows.filter(({ condition }) => condition === 'as is');
  return [
    table(['condition', 'real', 'generated', 'AUC', '95 %', 'recall at 5 %', 'at 1 %'], whole),
    table(
      [
        'condition',
        'strategy',
        'decided',
        'real called fake',
        'generated called real',
        'abstained',
      ],
      strategies,
    ),
    table(['generator', 'n', ...byCondition.map(([name]) => `AUC ${name}`)], generators(rows)),
    table(['real source', 'n', 'mean p(fake)', 'called fake', 'not decided'], realSources(asIs)),
  ].join('\n');
}

function overall(condition: string, rows: readonly Row[]): string[] {
  const scored = rows.map(toScored);
  const [low, high] = aucInterval(scored);
  return [
    condition,
    String(scored.filter(({ isFake }) => !isFake).length),
    String(scored.filter(({ isFake }) => isFake).length),
    auc(scored).toFixed(3),
    `${low.toFixed(3)}-${high.toFixed(3)}`,
    percent(recallAt(scored, 0.05)),
    percent(recallAt(scored, 0.01)),
  ];
}

function decided(condition: string, rows: readonly Row[]): string[][] {
  return decisionStrategies.map((strategy) => {
    const { decided: share, realCalledFake, fakeCalledReal } = ratesOf(rows, strategy);
    return [
      condition,
      strategy,
      percent(share),
      percent(realCalledFake),
      percent(fakeCalledReal),
      percent(shareOf(rows, strategy, 'abstain')),
    ];
  });
}

/** Each generator against all real pictures of the same condition. */
function generators(rows: readonly Row[]): string[][] {
  const fakes = rows.filter(({ sample }) => sample.isFake);
  const names = [...new Set(fakes.map(({ sample }) => sample.generator))].toSorted();
  const byCondition = [...groupBy(rows, ({ condition }) => condition).values()];
  return names.map((name) => {
    const figures = byCondition.map((some) =>
      auc(
        some
          .filter(({ sample }) => !sample.isFake || sample.generator === name)
          .map((row) => toScored(row)),
      ).toFixed(3),
    );
    const count = new Set(
      fakes.filter(({ sample }) => sample.generator === name).map(({ sample }) => sample.file),
    ).size;
    return [name, String(count), ...figures];
  });
}

function realSources(rows: readonly Row[]): string[][] {
  const real = rows.filter(({ sample }) => !sample.isFake);
  const bySource = [...groupBy(real, ({ sample }) => sample.source)];
  return bySource.map(([source, some]) => {
    const mean =
      some.reduce((sum, row) => sum + row.examination.decision.fakeProbability, 0) / some.length;
    return [
      source,
      String(some.length),
      mean.toFixed(2),
      percent(shareOf(some, 'default', 'fake')),
      percent(shareOf(some, 'default', 'abstain', 'uncertain')),
    ];
  });
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function table(head: string[], rows: readonly string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return drawn.toString();
}
