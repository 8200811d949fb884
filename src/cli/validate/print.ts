/** Prints a validation for people, or as one JSON document. */

import { type DecisionStrategy, reasonCodes } from '../../contract/vocabulary.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { writeJudgement, writeWarnings } from '../../service/validation/statements.ts';
import type { ClassFigures, Validation } from '../../service/validation/validation.ts';
import { layCard, listRows, listTable, type Row } from '../output/layout.ts';
import { lineWidth, print, printable, printJson } from '../output/terminal.ts';

export interface Shown {
  readonly strategy: DecisionStrategy | 'all';
  readonly json: boolean;
}

const { rate, exact, count } = createNumberWriter('en');

export function printValidation(validation: Validation, shown: Shown): void {
  if (shown.json) return printJson(toDocument(validation, shown));
  const columns = lineWidth(process.stdout);
  const parts = [
    layCard(`Validation ${validation.id}`, headRows(validation), columns),
    aucTable(validation),
    'Errors are photographs called fake and generated pictures called real.',
    ...chosenStrategies(shown).flatMap((strategy) => [
      `Decision strategy ${strategy}`,
      errorTable(validation, strategy),
      ...reasonTables(validation, strategy),
    ]),
    layCard('What this means', meaningRows(validation, shown), columns),
  ];
  print(parts.map((part) => part.trimEnd()).join('\n\n'));
}

/** The record, together with its conclusions in words. */
export function toDocument(validation: Validation, { strategy }: Pick<Shown, 'strategy'>) {
  const [first] = chosenStrategies({ strategy });
  return {
    ...validation,
    judgement: writeJudgement(validation, first),
    warnings: writeWarnings(validation),
  };
}

function chosenStrategies({
  strategy,
}: Pick<Shown, 'strategy'>): readonly [DecisionStrategy, ...DecisionStrategy[]] {
  return strategy === 'all' ? ['default', 'pedantic', 'relaxed'] : [strategy];
}

function headRows({ model, createdAt, seed, pictures }: Validation): readonly Row[] {
  return [
    ['Model', `${model.id} ${model.version}, seed ${seed}`],
    ['Measured', createdAt],
    ['Photos', classLine(pictures.real)],
    ['Generated', classLine(pictures.fake)],
  ];
}

function classLine(ofClass: Validation['pictures']['real']): string {
  const { found, measured, repeated, failed, leftOutBySample, declaring, folders } = ofClass;
  const parts: readonly (readonly [number, string])[] = [
    [repeated, 'repeated'],
    [leftOutBySample, 'left out by --sample'],
    [failed, 'not readable'],
    [declaring, 'declare themselves generated'],
  ];
  const notes = parts.filter(([n]) => n > 0).map(([n, what]) => `, ${count(n)} ${what}`);
  const places = folders === 1 ? '1 folder' : `${count(folders)} folders`;
  return `${count(measured)} measured of ${count(found)} found, in ${places}${notes.join('')}`;
}

function aucTable({ conditions }: Validation): string {
  const rows = conditions.map(({ condition, auc, calibration }) => [
    condition,
    exact(auc.value),
    `${exact(auc.low)} to ${exact(auc.high)}`,
    calibration === null ? 'too few pictures' : exact(calibration.error),
  ]);
  return listTable(['condition', 'AUC', '95 % interval', 'calibration error'], rows);
}

const classes = [
  { name: 'real', what: 'photos' },
  { name: 'fake', what: 'generated' },
] as const;

function errorTable({ conditions }: Validation, strategy: DecisionStrategy): string {
  const rows = conditions.flatMap(({ condition, strategies }) =>
    classes.map(({ name, what }) => {
      const { wrong, verdicts, worstFolder } = strategies[strategy][name];
      return [
        condition,
        what,
        `${count(wrong.count)} of ${count(wrong.of)} (${rate(wrong.share)})`,
        // `0.0 to 5.4 %`
        `${rate(wrong.low).replace(' %', '')} to ${rate(wrong.high)}`,
        rate(verdicts.uncertain / wrong.of),
        rate(verdicts.abstain / wrong.of),
        worstFolderText(worstFolder),
      ];
    }),
  );
  const figures = ['errors', '95 % interval', 'uncertain', 'abstained', 'worst folder'];
  return listTable(['condition', 'pictures', ...figures], rows);
}

function worstFolderText(worstFolder: ClassFigures['worstFolder']): string {
  if (worstFolder === null || worstFolder.wrong === 0) return '';
  const { folder, wrong, pictures } = worstFolder;
  return `${folder === '' ? '(no sub-folder)' : printable(folder)}: ${count(wrong)} of ${count(pictures)}`;
}

/** Why pictures were left undecided; empty when all were decided. */
function reasonTables({ conditions }: Validation, strategy: DecisionStrategy): readonly string[] {
  const rows = conditions.flatMap(({ condition, strategies }) => {
    const { real, fake } = strategies[strategy];
    return reasonCodes
      .filter((code) => code in real.reasons || code in fake.reasons)
      .map((code) => [
        condition,
        wordsIn('en').outcome.short[code],
        count(real.reasons[code] ?? 0),
        count(fake.reasons[code] ?? 0),
      ]);
  });
  if (rows.length === 0) return [];
  return [listTable(['condition', 'left open because', 'photos', 'generated'], rows)];
}

function meaningRows(validation: Validation, { strategy }: Shown): readonly Row[] {
  const [first] = chosenStrategies({ strategy });
  return [
    ...listRows('Errors', writeJudgement(validation, first)),
    ...listRows('Take care', writeWarnings(validation)),
  ];
}
