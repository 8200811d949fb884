/** A run of `forensics analyze`: examines pictures in parallel and reports each in order. */

import { type ExitCode, type ForensicsError, toForensicsError } from '../../errors.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { isRemote, assertNoOptions } from '../options.ts';
import { log } from '../output/terminal.ts';
import { concernsWholeRun, inOrder, listenForStop, type Stop } from './batch.ts';
import { type Input, walkInputs } from './inputs.ts';
import { type AnalyzeOptions, checkUsage, printedLanguage } from './options.ts';
import type { AnalysisRecord } from './record.ts';
import { exitCodeOf, openReporter, type Reporter } from './reporter.ts';
import { createFolderNames } from './results-folder.ts';

/** Examines the pictures of a run, on this machine or on a server. */
export interface Examiner {
  /** Also writes the result folder if there is one. Never fails: a failure is a record too. */
  examine(input: Input, folderName: string): Promise<AnalysisRecord>;
  /** Called with each record once it has been reported. */
  reported?(record: AnalysisRecord): void;
  close(): Promise<void>;
}

export interface Run {
  readonly options: AnalyzeOptions;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Called once for each picture that failed. */
  onFailure(input: Input, failure: ForensicsError): void;
}

/**
 * Checks what concerns the whole run, and returns how to begin it.
 *
 * @throws {ForensicsError} `usage`, `config_invalid`, `model_*`, `output_not_writable`, `server_*`.
 */
export type PrepareExaminer = (options: AnalyzeOptions) => Promise<(run: Run) => Examiner>;

/** @throws {ForensicsError} what concerns the whole run: see `PrepareExaminer`. */
export async function runAnalyze(
  args: readonly string[],
  options: AnalyzeOptions,
  prepare: PrepareExaminer = prepareExaminer,
): Promise<ExitCode> {
  checkUsage(args, options);
  const stop = listenForStop();
  const begin = await prepared(prepare(options), options, stop);
  const reporter = await openReporter(args, options);
  const run: Run = {
    options,
    signal: stop.signal,
    onFailure: (input, failure) => {
      if (concernsWholeRun(failure)) stop.because(failure);
      if (!stop.signal.aborted) reporter.failed(input, failure);
    },
  };
  const examiner = begin(run);
  try {
    await examineAll(args, run, { examiner, stop, reporter });
    if (stop.signal.aborted) await reporter.stopped(toForensicsError(stop.signal.reason));
    stop.throwIfStopped();
    return exitCodeOf(await reporter.finish(), options.failOn);
  } finally {
    reporter.close();
    await examiner.close().finally(() => stop.release());
  }
}

/** Lets Ctrl-C interrupt the wait for a server that does not answer. @throws {ForensicsError} why it was stopped. */
async function prepared<T>(preparing: Promise<T>, options: AnalyzeOptions, stop: Stop): Promise<T> {
  const { signal } = stop;
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(toForensicsError(signal.reason)), { once: true });
  });
  try {
    return await Promise.race([preparing, stopped]);
  } catch (error) {
    if (signal.aborted) {
      const words = wordsIn(printedLanguage(options)).terminal.summary;
      log(`${words.stopped} ${words.noneExamined}`);
    }
    stop.release();
    throw error;
  }
}

async function prepareExaminer(options: AnalyzeOptions): Promise<(run: Run) => Examiner> {
  if (isRemote(options)) {
    const { prepareRemote } = await import('./remote/remote.ts');
    return prepareRemote(options);
  }
  const { tenant, resume, wait } = options;
  assertNoOptions(
    { '--tenant': tenant !== undefined, '--resume': resume, '--no-wait': !wait },
    'is for a server; add --url.',
  );
  const { createChildren } = await import('../../examiner/sandbox.ts');
  const children = createChildren({ poolSize: options.jobs });
  // The child process loads at the same time as this one: on two cores that saves a third of a second.
  children.start();
  try {
    const { prepareLocal } = await import('./local.ts');
    return await prepareLocal(options, children);
  } catch (error) {
    await children.close();
    throw error;
  }
}

async function examineAll(
  args: readonly string[],
  { options, signal }: Run,
  batch: { readonly examiner: Examiner; readonly stop: Stop; readonly reporter: Reporter },
): Promise<void> {
  const { examiner, stop, reporter } = batch;
  const { recursive, out, jobs } = options;
  const inputs = walkInputs(args, { recursive, exceptDir: out });
  // Folder names are kept in memory to make them unique, which is only needed with --out.
  const folderNameOf = out === null ? () => '' : createFolderNames();
  const examined = inOrder(inputs, { width: jobs, signal }, async (input) => {
    const record = await examiner.examine(input, folderNameOf(input.path ?? input.label));
    reporter.examined(record);
    return record;
  });
  for await (const record of examined) {
    if (signal.aborted) return;
    try {
      await reporter.report(record);
      examiner.reported?.(record);
    } catch (error) {
      // Stops the pictures in progress, for which the batch would otherwise wait.
      stop.because(toForensicsError(error));
    }
  }
}
