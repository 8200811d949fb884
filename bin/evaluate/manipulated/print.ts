/** The figures of localisation. */

import { decisionStrategies } from '../../../src/contract/vocabulary.ts';
import { tableOfGoals } from '../goals.ts';
import { type Block, percent, table } from '../table.ts';
import {
  bySize,
  calledFigures,
  groupsOf,
  isSimulated,
  medianProbability,
  pictureFigures,
  pixelFigures,
} from './figures.ts';
import { goalsReached } from './goals.ts';
import { printTraces } from './print-traces.ts';
import type { Row } from './read-cases.ts';

/**
 * The fusion of all methods, and the two heatmaps that show it: `fake` is the higher of the traces
 * of generation and the fusion.
 */
const together = ['fusion', 'fake', 'anomaly'] as const;

export function printManipulated(
  rows: readonly Row[],
  methods: readonly string[],
): readonly Block[] {
  const sets = rows.filter((row) => row.case.set !== 'photographs');
  const photographs = rows.filter((row) => row.case.set === 'photographs');
  const asSaved = sets.filter(({ condition }) => condition !== 'jpeg 95');
  const untouched = asSaved.filter(({ mask }) => mask === null);
  const byCondition = [...Map.groupBy(asSaved, ({ condition }) => condition)];
  return [
    'The goals for localisation, under `default`. Whether one is met depends on the measured value, not on its interval. For whole pictures of the sets, "jpeg 95" replaces "as is", so that changed and untouched ones were saved alike. The calibration error assumes that one picture in five is changed, as the probability does.',
    tableOfGoals(goalsReached([...Map.groupBy(rows, ({ condition }) => condition)])),
    'Pixels of changed pictures: mean F1 at the best threshold, with its 95% interval over pictures, and at 0.5, and AUC; chance is the F1 of an uninformative map.',
    table(
      [
        'condition',
        'pictures',
        'map',
        'n',
        'answered',
        'F1 best',
        '95%',
        'F1 at 0.5',
        'AUC',
        'chance',
      ],
      byCondition.flatMap(([condition, some]) => pixelRows(condition, some, methods)),
    ),
    'Whole pictures, changed against untouched ones from the same sets, both first saved alike ("as is" as JPEG 95): AUC with its 95% interval.',
    table(
      ['condition', 'set', 'method', 'untouched', 'changed', 'AUC', '95%'],
      pictureRows(
        sets.filter((row) => row.condition !== 'as is' || isSimulated(row)),
        methods,
      ),
    ),
    'Called manipulated, and suspected.',
    table(
      ['pictures', 'condition', 'strategy', 'n', 'manipulated', 'suspected'],
      [
        ...calledRows(
          'changed',
          asSaved.filter((row) => row.mask !== null && !isSimulated(row)),
        ),
        ...calledRows(
          'changed, simulated',
          asSaved.filter((row) => row.mask !== null && isSimulated(row)),
        ),
        ...calledRows(
          'untouched of the sets',
          untouched.filter((row) => !isSimulated(row)),
        ),
        ...calledRows('untouched, simulated', untouched.filter(isSimulated)),
        ...calledRows('photographs', photographs),
      ],
    ),
    'Photographs that nobody changed, by size, under `default`: median probability of a change, called manipulated, suspected.',
    table(
      ['size', 'condition', 'n', 'median', 'manipulated', 'suspected'],
      bySize(photographs).flatMap(([size, some]) =>
        [...Map.groupBy(some, ({ condition }) => condition)].map(([condition, members]) =>
          sizeRow(size, condition, members),
        ),
      ),
    ),
    ...printTraces(untouched.filter((row) => !isSimulated(row))),
  ];
}

function pixelRows(condition: string, rows: readonly Row[], methods: readonly string[]) {
  return groupsOf(rows).flatMap(([group, some]) =>
    [...together, ...methods].flatMap((map) => {
      const figures = pixelFigures(some, map);
      if (figures === null || figures.answered === 0) return [];
      const { pictures, answered, f1Best, f1Low, f1High, f1Half, pixelAuc, f1Chance } = figures;
      const [best, half, auc, chance] = [f1Best, f1Half, pixelAuc, f1Chance].map(share);
      const interval = `${share(f1Low)}-${share(f1High)}`;
      return [
        [condition, group, map, pictures, answered, best, interval, half, auc, chance].map(String),
      ];
    }),
  );
}

function pictureRows(rows: readonly Row[], methods: readonly string[]): string[][] {
  const groups = [...Map.groupBy(rows, ({ condition }) => condition)].flatMap(([condition, some]) =>
    [...Map.groupBy(some, (row) => row.case.set), ['all', some] as const].map(
      ([set, members]) => [condition, set, members] as const,
    ),
  );
  return groups.flatMap(([condition, set, members]) =>
    ['fusion', ...methods].flatMap((method) => {
      const figures = pictureFigures(members, (row) => row.scores[method]);
      if (figures === null) return [];
      const { untouched, changed, auc, low, high } = figures;
      const interval = `${share(low)}-${share(high)}`;
      return [[condition, set, method, untouched, changed, share(auc), interval].map(String)];
    }),
  );
}

function sizeRow(size: string, condition: string, rows: readonly Row[]): string[] {
  const middle = medianProbability(rows).toFixed(2);
  const { manipulated, suspected } = calledFigures(rows, 'default');
  return [size, condition, String(rows.length), middle, percent(manipulated), percent(suspected)];
}

function calledRows(name: string, rows: readonly Row[]): string[][] {
  return [...Map.groupBy(rows, ({ condition }) => condition)].flatMap(([condition, some]) =>
    decisionStrategies.map((strategy) => {
      const { manipulated, suspected } = calledFigures(some, strategy);
      const [called, doubted] = [manipulated, suspected].map(percent);
      return [name, condition, strategy, String(some.length), called!, doubted!];
    }),
  );
}

const share = (value: number) => value.toFixed(3);
