/** A run of `forensics analyze`: take pictures as there is room, examine side by side, tell of each in order. */

import { withStack } from '../../app/disposer.ts';
import { type ExitCode, type ForensicsError, toForensicsError } from '../../errors.ts';
import { checkFree } from '../../files/output-file.ts';
import type { Preview } from '../../report/preview.ts';
import type { PreviewRequest } from '../../sandbox/sandbox.ts';
import { refuseOptions } from '../options.ts';
import { say } from '../output/print.ts';
import { isRemote } from '../target/options.ts';
import { inOrder, isOfTheMachine, listenForStop, type Stop } from './concurrency.ts';
import type { Input } from './inputs.ts';
import { type AnalyzeOptions, checkUsage } from './options.ts';
import { openTeller, type Teller } from './output.ts';
import type { AnalysisRecord } from './record.ts';
import { createFolderNames } from './results-folder.ts';
import { exitCodeOf } from './summary.ts';
import { walkInputs } from './walk.ts';
import { checkFolders, watchFolders } from './watch.ts';

/** @throws {ForensicsError} what concerns the run and not one picture: see `PrepareExaminer`. */
export async function runAnalyze(
  args: readonly string[],
  options: AnalyzeOptions,
  prepare: PrepareExaminer = prepareExaminer,
): Promise<ExitCode> {
  checkUsage(args, options);
  if (options.watch) await checkFolders(args);
  if (options.junit !== undefined) await checkFree(options.junit, options);
  const begin = await prepare(options);
  if (options.watch) say(`Watching ${args.join(', ')}; end with Ctrl-C.`);
  return withStack(async (stack) => {
    const teller = await openTeller(args, options);
    const stop = listenForStop();
    const run = runOf(options, stop, teller);
    const examiner = begin(run);
    stack.defer(() => stop.release());
    stack.defer(() => examiner.close());
    stack.defer(() => teller.close());
    await examineAll(examiner, run, { inputs: inputsOf(args, run), stop, teller });
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
    preview: teller.preview,
    onFailure: (input, failure) => {
      if (isOfTheMachine(failure)) stop.because(failure);
      if (!stop.signal.aborted) teller.failed(input, failure);
    },
  };
}

function inputsOf(args: readonly string[], { options, signal }: Run): AsyncIterable<Input> {
  const { recursive, out: exceptDir, watch, onlyNew } = options;
  if (!watch) return walkInputs(args, { recursive, exceptDir });
  return watchFolders(args, { recursive, exceptDir, onlyNew, signal });
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
    return { input, record };
  });
  for await (const { input, record } of examined) {
    if (signal.aborted) return;
    try {
      await teller.tell(input, record);
      examiner.told?.(record);
    } catch (error) {
      // Before the batch is left: it waits for its pictures, and a watched folder would give them for ever.
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
  /** Null where none is wanted. Only this machine draws: a server has the picture's maps. */
  readonly preview: WantedPreview | null;
  /** Told once of each picture that failed. */
  onFailure(input: Input, failure: ForensicsError): void;
}

export interface WantedPreview {
  /** Pixels that it may take. */
  readonly box: PreviewRequest['box'];
  /** Called before the picture's record is answered. */
  take(input: Input, preview: Preview): void;
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
