/** `forensics validate`: measures labelled pictures, stores the record and prints it, without network or database. */

import { Option } from 'commander';
import {
  decisionStrategies,
  type DecisionStrategy,
  defaultSeed,
  reasonCodes,
} from '../../contract/vocabulary.ts';
import { createSandbox } from '../../examiner/sandbox.ts';
import { createRegistry } from '../../inference/registry.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { newId } from '../../ports/db/database.ts';
import { checkFree, writeWholeFile } from '../../ports/files/files.ts';
import { makeValidation, writeWarnings } from '../../service/validation/record.ts';
import {
  type Choice,
  chooseFiles,
  gatherLabelled,
  type LabelledInput,
  measureAll,
  type Outcome,
  type ValidateOptions,
} from '../validate/measure.ts';
import { openValidations } from '../../service/validation/saved-validations.ts';
import type { ClassFigures, Validation } from '../../service/validation/validation.ts';
import { listenForStop, startProgress } from '../analyze/batch.ts';
import { settingsFor } from '../connection/local.ts';
import { type Command, jobsOption, type LocalOptions, named, wholeNumber } from '../options.ts';
import { layCard, listRows, listTable, printList, type Row } from '../output/layout.ts';
import { usageError } from '../../contract/errors.ts';
import { lineWidth, log, print, printable, printJson } from '../output/terminal.ts';
import { createNumberWriter, wordsIn } from '../../present/wording/catalogue.ts';

export function defineValidate(validate: Command): void {
  validate
    .option('--real <dir>', 'a folder of photographs, including its subfolders', named)
    .option('--fake <dir>', 'a folder of generated pictures, including its subfolders', named)
    .option('-o, --out <file>', 'also write the record to this JSON file', named)
    .option('--force', 'replace the --out file if it exists', false)
    .addOption(
      new Option('--strategy <strategy>', 'the decision strategy to print; all are measured')
        .choices([...decisionStrategies, 'all'])
        .default('default'),
    )
    .option('--seed <n>', 'seed for all random choices', wholeNumber, defaultSeed)
    .option('--model <id>', 'the model to measure (default: the latest)', named, null)
    .addOption(jobsOption(1))
    .option('--data-dir <dir>', 'the data folder in which validations are stored')
    .option('--config <file>', 'the config file')
    .option('--json', 'print one JSON document', false)
    .helpAfter(`
Every picture is examined as it is (clean), as a sharing service would deliver it (web: at most 1600 px, JPEG 75), and
after being shared again at a smaller size (hard: half of that, JPEG 60). Use a subfolder for each camera, generator or
event to get realistic intervals. The record is stored under an id that "forensics analyze --validation ID" cites in its
reports.`)
    .examples('--real photos --fake generated', 'list')
    .action(runValidate);
  validate
    .subcommand('list', 'List the stored validations, newest first.')
    .examples('', '--json')
    .action(listValidations);
  validate
    .subcommand('show', 'Print a stored validation.')
    .examples('65f000000000000000000001', '65f000000000000000000001 --json')
    .argument('<id>', 'its id')
    .action((id: string, options: LocalOptions & Shown) =>
      printValidation(openValidations(settingsFor(options)).find(id), options),
    );
  const does = 'Delete a stored validation. Reports that cite it stay as they are.';
  validate
    .subcommand('delete', does)
    .examples('65f000000000000000000001', '65f000000000000000000001 --data-dir ./data')
    .argument('<id>', 'its id')
    .action(deleteValidation);
}

async function runValidate(options: ValidateOptions): Promise<void> {
  const folders = checkFolders(options);
  const settings = settingsFor(options);
  const modelsDir = modelsFolder(settings);
  const registry = createRegistry({ extra: modelsDir });
  await registry.open(options.model);
  await registry.openLocator();
  if (options.out !== undefined) await checkFree(options.out, options);
  const found = await gatherLabelled(folders);
  const choice = await chooseFiles(found);
  checkChoice(choice);

  const stop = listenForStop();
  const progress = await startProgress(choice.chosen.length, 'en');
  const sandbox = createSandbox({
    modelsDir,
    poolSize: Math.min(options.jobs, choice.chosen.length),
  });
  try {
    const outcomes = await measureAll(choice.chosen, { sandbox, stop, progress, options });
    progress.end();
    if (stop.signal.aborted) {
      const share = `${outcomes.length} of ${choice.chosen.length} pictures`;
      log(`Stopped after ${share}; nothing was stored.`);
      stop.throwIfStopped();
    }
    const validation = toValidation(options.seed, found, choice, outcomes);
    openValidations(settings).save(validation);
    log(`Stored; cite it with: forensics analyze ... --validation ${validation.id}`);
    if (options.out !== undefined) {
      const text = `${JSON.stringify(toDocument(validation), null, 2)}\n`;
      await writeWholeFile(options.out, Buffer.from(text), options);
    }
    printValidation(validation, options);
  } finally {
    progress.end();
    await sandbox.close();
    stop.release();
  }
}

/** A class is empty only if the other contains all its pictures: a folder without pictures was rejected earlier. */
function checkChoice({ chosen }: Choice): void {
  for (const isFake of [false, true]) {
    if (chosen.some((file) => file.isFake === isFake)) continue;
    const where = isFake ? '--fake is also in --real' : '--real is also in --fake';
    throw usageError(`Every picture in ${where}; specify two folders that have none in common.`);
  }
}

function toValidation(
  seed: number,
  found: readonly LabelledInput[],
  { repeated, inBoth }: Choice,
  outcomes: readonly Outcome[],
): Validation {
  const failed = outcomes.filter(({ error }) => error !== null).map(({ file }) => file);
  const countFiles = (isFake: boolean) => {
    const ofClass = (files: readonly LabelledInput[]) =>
      files.filter((file) => file.isFake === isFake).length;
    return { found: ofClass(found), repeated: ofClass(repeated), failed: ofClass(failed) };
  };
  const createdAt = new Date();
  return makeValidation({
    id: newId(createdAt),
    createdAt,
    seed,
    files: { real: countFiles(false), fake: countFiles(true), inBoth: inBoth.length },
    measured: outcomes.flatMap(({ measured }) => measured ?? []),
  });
}

function checkFolders({ real, fake, force, out }: ValidateOptions) {
  if (real === undefined || fake === undefined) {
    const missing = real === undefined ? '--real' : '--fake';
    throw usageError(
      `${missing} is missing; specify a folder of photographs and one of generated pictures.`,
    );
  }
  if (force && out === undefined)
    throw usageError('--force replaces the --out file; add --out FILE.');
  return { real, fake };
}

function listValidations(options: LocalOptions): void {
  const { validations, damaged } = openValidations(settingsFor(options)).list();
  for (const id of damaged)
    log(`Validation ${id} is damaged; restore it from a copy or delete it.`);
  const entries = validations.map(({ id, createdAt, model, pictures, conditions }) => ({
    id,
    createdAt,
    model: `${model.id} ${model.version}`,
    real: pictures.real.measured,
    fake: pictures.fake.measured,
    auc: conditions.find(({ condition }) => condition === 'clean')?.auc.value ?? null,
  }));
  if (options.json) return printJson({ validations: entries });
  printList(
    entries,
    {
      id: ({ id }) => id,
      made: ({ createdAt }) => createdAt.slice(0, 10),
      model: ({ model }) => model,
      photographs: ({ real }) => count(real),
      generated: ({ fake }) => count(fake),
      'AUC, clean': ({ auc }) => (auc === null ? '' : exact(auc)),
    },
    { ...options, none: 'There are no validations.' },
  );
}

function deleteValidation(id: string, options: LocalOptions): void {
  openValidations(settingsFor(options)).remove(id);
  if (options.json) return printJson({ id, deleted: true });
  log('The validation is deleted.');
}

type Shown = Pick<ValidateOptions, 'strategy' | 'json'>;

const { rate, exact, count } = createNumberWriter('en');

function printValidation(validation: Validation, { strategy: shown, json }: Shown): void {
  if (json) return printJson(toDocument(validation));
  const columns = lineWidth(process.stdout);
  const strategies = shown === 'all' ? (['default', 'pedantic', 'relaxed'] as const) : [shown];
  const scope =
    'These figures hold for pictures like those measured; they say nothing about other cameras, generators or processing histories.';
  const meaning = [['Scope', scope], ...listRows('Warnings', writeWarnings(validation))] as const;
  const parts = [
    layCard(`Validation ${validation.id}`, headRows(validation), columns),
    aucTable(validation),
    'Errors are photographs called fake and generated pictures called real.',
    ...strategies.flatMap((strategy) => [
      `Decision strategy ${strategy}`,
      errorTable(validation, strategy),
      ...reasonTables(validation, strategy),
    ]),
    layCard('What this means', meaning, columns),
  ];
  print(parts.map((part) => part.trimEnd()).join('\n\n'));
}

function toDocument(validation: Validation) {
  return { ...validation, warnings: writeWarnings(validation) };
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
  const counts = {
    repeated,
    'left out by --sample': leftOutBySample,
    'not readable': failed,
    'declare themselves generated': declaring,
  };
  const notes = Object.entries(counts).map(([what, n]) => (n > 0 ? `, ${count(n)} ${what}` : ''));
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
  return listTable(['condition', 'AUC', '95% interval', 'calibration error'], rows);
}

function errorTable({ conditions }: Validation, strategy: DecisionStrategy): string {
  const rows = conditions.flatMap(({ condition, strategies }) =>
    (['real', 'fake'] as const).map((name) => {
      const { wrong, verdicts, worstFolder } = strategies[strategy][name];
      return [
        condition,
        name === 'real' ? 'photos' : 'generated',
        `${count(wrong.count)} of ${count(wrong.of)} (${rate(wrong.share)})`,
        // For example `0.0 to 5.4%`.
        `${rate(wrong.low).replace(' %', '')} to ${rate(wrong.high)}`,
        rate(verdicts.uncertain / wrong.of),
        rate(verdicts.abstain / wrong.of),
        worstFolderText(worstFolder),
      ];
    }),
  );
  const figures = ['errors', '95% interval', 'uncertain', 'abstained', 'worst folder'];
  return listTable(['condition', 'pictures', ...figures], rows);
}

function worstFolderText(worstFolder: ClassFigures['worstFolder']): string {
  if (worstFolder === null || worstFolder.wrong === 0) return '';
  const { folder, wrong, pictures } = worstFolder;
  return `${folder === '' ? '(no subfolder)' : printable(folder)}: ${count(wrong)} of ${count(pictures)}`;
}

/** Why pictures were left undecided; empty if all were decided. */
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
