/**
 * Verdicts of the trace model on whole unchanged pictures; elsewhere it is measured only on crops.
 */

import { decisionStrategies, type DecisionStrategy } from '../../../src/contract/vocabulary.ts';
import { shareInterval } from '../../../src/detectors/likelihood-ratio.ts';
import { meanOf } from '../figures.ts';
import { type Block, percentWithin, table } from '../table.ts';
import type { Row } from './read-cases.ts';

/** @param rows - of the untouched pictures of the sets. */
export function printTraces(rows: readonly Row[]): readonly Block[] {
  return [
    'Untouched whole pictures of the sets, by traces alone, whatever is found about a change: none of them is generated. Intervals: 95%, Clopper and Pearson, treating pictures as independent.',
    table(
      [
        'condition',
        'set',
        'longer side, px',
        'n',
        'mean p(fake)',
        'strategy',
        'decided',
        'called fake, of the decided',
        'called fake, of all',
      ],
      [...Map.groupBy(rows, ({ condition }) => condition)].flatMap(([condition, some]) =>
        [...Map.groupBy(some, (row) => row.case.set), ['all', some] as const].flatMap(
          ([set, members]) => setRows(members).map((cells) => [condition, set, ...cells]),
        ),
      ),
    ),
  ];
}

function setRows(rows: readonly Row[]): string[][] {
  const sides = rows.map(({ longerSidePx }) => longerSidePx);
  const mean = meanOf(rows.map(({ fakeProbability }) => fakeProbability));
  const head = [
    `${Math.min(...sides)}-${Math.max(...sides)}`,
    String(rows.length),
    mean.toFixed(3),
  ];
  return decisionStrategies.map((strategy) => {
    const fake = countOf(rows, strategy, 'fake');
    const decided = fake + countOf(rows, strategy, 'real');
    return [
      ...head,
      strategy,
      within(decided, rows.length),
      within(fake, decided),
      within(fake, rows.length),
    ];
  });
}

function countOf(
  rows: readonly Row[],
  strategy: DecisionStrategy,
  wanted: 'real' | 'fake',
): number {
  return rows.filter(({ called }) => called[strategy].byTraces === wanted).length;
}

function within(count: number, of: number): string {
  const rate = percentWithin({ value: count / of, ...shareInterval(count, of) });
  return `${count} of ${of}: ${rate}`;
}
