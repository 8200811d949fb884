/** Measures the chosen pictures side by side, and reports each in order. */

import { type ForensicsError, toForensicsError } from '../../errors.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Measured } from '../../service/validation/record.ts';
import { openValidations } from '../../service/validation/saved-validations.ts';
import { concernsWholeRun, inOrder, type Progress, type Stop } from '../analyze/batch.ts';
import { printFileFailure } from '../errors.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { listTable } from '../output/layout.ts';
import { settingsFor } from '../connection/local.ts';
import type { LocalOptions } from '../options.ts';
import { printValidation, type Shown } from './print.ts';
import type { DecisionStrategy } from '../../contract/vocabulary.ts';
import type { LabelledFile } from '../../service/validation/sampling.ts';

export interface ValidateOptions extends LocalOptions {
  readonly real?: string;
  readonly fake?: string;
  readonly out?: string;
  readonly force: boolean;
  readonly strategy: DecisionStrategy | 'all';
  readonly sample?: number;
  readonly hashes: boolean;
  readonly seed: number;
  readonly model: string | null;
  readonly jobs: number;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly verbose: boolean;
}

/** A labelled file below one of the two folders. */
export interface LabelledInput extends LabelledFile {
  /** As the user would call it. */
  readonly label: string;
  /** Why it cannot be opened, where that is known already: a folder that may not be read. */
  readonly failure: ForensicsError | null;
}

export interface Bench {
  readonly sandbox: Sandbox;
  readonly stop: Stop;
  readonly progress: Progress;
  readonly options: ValidateOptions;
}

export type Outcome = { readonly file: LabelledInput } & (
  | { readonly measured: Measured; readonly error: null }
  | { readonly measured: null; readonly error: ForensicsError }
);

/** In the order of the files. Ends early when the run is stopped. */
export async function measureAll(
  bench: Bench,
  files: readonly LabelledInput[],
): Promise<readonly Outcome[]> {
  const { stop, progress, options } = bench;
  const outcomes: Outcome[] = [];
  const work = async (file: LabelledInput) => {
    const outcome = await measureOne(bench, file);
    progress.add(outcome);
    return outcome;
  };
  const how = { width: options.jobs, signal: stop.signal };
  for await (const outcome of inOrder(files, how, work)) {
    if (stop.signal.aborted) break;
    outcomes.push(outcome);
    progress.around(() => logOutcome(outcome, options));
  }
  return outcomes;
}

async function measureOne(
  { sandbox, stop, options }: Bench,
  file: LabelledInput,
): Promise<Outcome> {
  const { path, isFake, folder, failure } = file;
  const { model, seed } = options;
  try {
    if (failure) throw failure;
    const request = { source: { path }, options: { model, seed } };
    const measurement = await sandbox.measure(request, { signal: stop.signal });
    return { file, measured: { isFake, folder, measurement }, error: null };
  } catch (caught) {
    const error = toForensicsError(caught);
    if (concernsWholeRun(error)) stop.because(error);
    return { file, measured: null, error };
  }
}

/** A picture that could not be examined has its line on stderr; with `--jsonl` every picture has one on stdout. */
function logOutcome({ file, measured, error }: Outcome, options: ValidateOptions): void {
  if (error !== null) printFileFailure(file.label, error, options);
  if (!options.jsonl) return;
  const { label, isFake, folder } = file;
  const { facts, declaresGeneration, readings } = measured?.measurement ?? {};
  const line = {
    file: label,
    class: isFake ? 'fake' : 'real',
    folder,
    sha256: facts?.sha256 ?? null,
    declaresGeneration: declaresGeneration ?? null,
    readings: readings ?? [],
    error: error && { code: error.code, message: error.message },
  };
  print(JSON.stringify(line));
}

export type StoredOptions = LocalOptions & Shown;

export function listValidations(options: StoredOptions): void {
  const { validations, damaged } = openValidations(settingsFor(options)).list();
  for (const id of damaged) log(`Validation ${id} is damaged; put back a copy of it or delete it.`);
  const entries = validations.map(({ id, createdAt, model, pictures, conditions }) => ({
    id,
    createdAt,
    model: `${model.id} ${model.version}`,
    real: pictures.real.measured,
    fake: pictures.fake.measured,
    auc: conditions.find(({ condition }) => condition === 'clean')?.auc.value ?? null,
  }));
  if (options.json) return printJson({ validations: entries });
  if (entries.length === 0) return log('There are no validations.');
  const { count, exact } = createNumberWriter('en');
  const rows = entries.map(({ id, createdAt, model, real, fake, auc }) => [
    id,
    createdAt.slice(0, 10),
    model,
    count(real),
    count(fake),
    auc === null ? '' : exact(auc),
  ]);
  print(listTable(['id', 'made', 'model', 'photographs', 'generated', 'AUC, clean'], rows));
}

export function showValidation(id: string, options: StoredOptions): void {
  printValidation(openValidations(settingsFor(options)).find(id), options);
}

export function deleteValidation(id: string, options: StoredOptions): void {
  openValidations(settingsFor(options)).remove(id);
  if (options.json) return printJson({ id, deleted: true });
  log('The validation is deleted.');
}
