/** The figures of a run as tables for a terminal. */

import Table from 'cli-table3';
import { decisionStrategies, type ResultClass } from '../../src/engine/result.ts';
import { auc, aucInterval, groupBy, recallAt, type Scored } from './figures.ts';
import type { Row } from './read-samples.ts';

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
  const real = rows.filter(({ sample }) => !sample.isFake);
  const fake = rows.filter(({ sample }) => sample.isFake);
  return decisionStrategies.map((strategy) => {
    const share = (some: readonly Row[], ...wanted: ResultClass[]) =>
      percent(
        some.filter(({ classes }) => wanted.includes(classes[strategy])).length / some.length,
      );
    return [
      condition,
      strategy,
      share(rows, 'real', 'fake'),
      share(real, 'fake'),
      share(fake, 'real'),
      share(rows, 'abstain'),
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
    const count = (wanted: ResultClass) =>
      some.filter(({ classes }) => classes.default === wanted).length / some.length;
    return [
      source,
      String(some.length),
      mean.toFixed(2),
      percent(count('fake')),
      percent(count('abstain') + count('uncertain')),
    ];
  });
}

function toScored({ sample, examination }: Row): Scored {
  const { isFake, source } = sample;
  return { isFake, source, score: examination.decision.fakeProbability };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function table(head: string[], rows: readonly string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return drawn.toString();
}
