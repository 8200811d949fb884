/** A run of `forensics analyze`: take pictures as there is room, examine side by side, tell of each in order. */

import { withStack } from '../../app/disposer.ts';
import { type ExitCode, type ForensicsError, toForensicsError } from '../../errors.ts';
import { refuseOptions } from '../options.ts';
import { isRemote } from '../target/options.ts';
import { inOrder, isOfTheMachine, listenForStop, type Stop } from './concurrency.ts';
import type { Input } from './inputs.ts';
import { type AnalyzeOptions, checkUsage } from './options.ts';
import { openTeller, type Teller } from './output.ts';
import type { AnalysisRecord } from './record.ts';
import { createFolderNames } from './results-folder.ts';
import { exitCodeOf } from './summary.ts';
import { walkInputs } from './walk.ts';

/** @throws {ForensicsError} what concerns the run and not one picture: see `PrepareExaminer`. */
export async function runAnalyze(
  args: readonly string[],
  options: AnalyzeOptions,
  prepare: PrepareExaminer = prepareExaminer,
): Promise<ExitCode> {
  checkUsage(args, options);
  const { recursive, out: exceptDir } = options;
  const begin = await prepare(options);
  return withStack(async (stack) => {
    const teller = await openTeller(args, options);
    const stop = listenForStop();
    const run = runOf(options, stop, teller);
    const examiner = begin(run);
    stack.defer(() => stop.release());
    stack.defer(() => examiner.close());
    stack.defer(() => teller.close());
    await examineAll(examiner, run, {
      inputs: walkInputs(args, { recursive, exceptDir }),
      stop,
      teller,
    });
    if (stop.signal.aborted) await teller.stopped();
    stop.throwIfStopped();
    const tally = await teller.end();
    await stack.unwind();
    return exitCodeOf(tally, options.failOn);
  });
}

function runOf(options: AnalyzeOptions, stop: Stop, teller: Teller): Run {
  return {
    options,
    signal: stop.signal,
    onFailure: (input, failure) => {
      if (isOfTheMachine(failure)) stop.because(failure);
      if (!stop.signal.aborted) teller.failed(input, failure);
    },
  };
}

async function examineAll(
  examiner: Examiner,
  { options, signal }: Run,
  batch: { readonly inputs: AsyncIterable<Input>; readonly stop: Stop; readonly teller: Teller },
): Promise<void> {
  const { inputs, stop, teller } = batch;
  // Names are held to be told apart: only where there are folders to name.
  const folderNameOf = options.out === null ? () => '' : createFolderNames();
  const examined = inOrder(inputs, { width: options.jobs, signal }, async (input) => {
    const record = await examiner.examine(input, folderNameOf(input.label));
    teller.examined(record);
    return record;
  });
  for await (const record of examined) {
    if (signal.aborted) return;
    try {
      await teller.tell(record);
      examiner.told?.(record);
    } catch (error) {
      // Before the batch is left, which waits for the pictures at work.
      stop.because(toForensicsError(error));
    }
  }
}

// Who examines: the server that the options or the environment name, else this machine.

export const prepareExaminer: PrepareExaminer = async (options) => {
  if (isRemote(options)) {
    const { prepareRemote } = await import('./remote/remote.ts');
    return prepareRemote(options);
  }
  const { tenant, resume, wait } = options;
  refuseOptions(
    { '--tenant': tenant !== undefined, '--resume': resume, '--no-wait': !wait },
    'is for a server; add --url.',
  );
  const { prepareLocal } = await import('./local.ts');
  return prepareLocal(options);
};

// Who examines the pictures of a run: this machine, or a server.

export interface Run {
  readonly options: AnalyzeOptions;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Told once of each picture that failed. */
  onFailure(input: Input, failure: ForensicsError): void;
}

export interface Examiner {
  /** From an argument to its record, and to its folder when there is one. Never fails: a failure is a record. */
  examine(input: Input, folderName: string): Promise<AnalysisRecord>;
  /** Hears of each record that has been told. */
  told?(record: AnalysisRecord): void;
  close(): Promise<void>;
}

/**
 * Checks once what concerns the run and not one picture, and answers how to begin.
 *
 * @throws {ForensicsError} `usage`, `config_invalid`, `model_*`, `output_not_writable`, `server_*`.
 */
export type PrepareExaminer = (options: AnalyzeOptions) => Promise<(run: Run) => Examiner>;
