/** A run of `forensics analyze`: take pictures as there is room, examine side by side, tell of each in order. */

import { withStack } from '../../app/stack.ts';
import { type ExitCode, toForensicsError } from '../../errors.ts';
import { say } from '../talk.ts';
import { checkFree } from '../write-file.ts';
import { inOrder } from './batch.ts';
import { checkUsage } from './check-usage.ts';
import type { Examiner, PrepareExaminer, Run } from './examiner.ts';
import { exitCodeOf } from './exit-code.ts';
import type { Input } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import { prepareExaminer } from './prepare.ts';
import { createFolderNames } from './results-folder.ts';
import { isOfTheMachine, listenForStop, type Stop } from './stop.ts';
import { openTeller, type Teller } from './teller.ts';
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
