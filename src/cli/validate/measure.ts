/** Measures the chosen pictures side by side, and tells of each as its turn comes. */

import { type ForensicsError, toForensicsError } from '../../errors.ts';
import type { Lab } from '../../lab/lab.ts';
import type { Measured } from '../../validation/record.ts';
import { inOrder } from '../analyze/batch.ts';
import type { Progress } from '../analyze/progress.ts';
import { isOfTheMachine, type Stop } from '../analyze/stop.ts';
import { tellFileFailure } from '../failure.ts';
import { print } from '../talk.ts';
import type { LabelledInput } from './gather.ts';
import type { ValidateOptions } from './options.ts';

export interface Bench {
  readonly lab: Lab;
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
    progress.around(() => tell(outcome, options));
  }
  return outcomes;
}

async function measureOne({ lab, stop, options }: Bench, file: LabelledInput): Promise<Outcome> {
  const { path, isFake, folder, failure } = file;
  const { model, seed } = options;
  try {
    if (failure) throw failure;
    const request = { source: { path }, options: { model, seed } };
    const measurement = await lab.measure(request, { signal: stop.signal });
    return { file, measured: { isFake, folder, measurement }, error: null };
  } catch (caught) {
    const error = toForensicsError(caught);
    if (isOfTheMachine(error)) stop.because(error);
    return { file, measured: null, error };
  }
}

/** A picture that could not be examined has its line on stderr; with `--jsonl` every picture has one on stdout. */
function tell({ file, measured, error }: Outcome, options: ValidateOptions): void {
  if (error !== null) tellFileFailure(file.label, error, options);
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
