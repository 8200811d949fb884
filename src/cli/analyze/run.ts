/** Runs `forensics analyze`: examines pictures in parallel, on this machine or on a server, and reports them in order. */

import { readConfig } from '../../contract/config.ts';
import { type ExitCode, toForensicsError } from '../../contract/errors.ts';
import type { Pool } from '../../examiner/pool.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { log } from '../output/terminal.ts';
import { concernsWholeRun, exitCodeOf, inOrder, listenForStop, type Stop } from './batch.ts';
import { expandInputs, walkInputs } from './inputs.ts';
import { type AnalyzeOptions, isRemote, printedLanguage } from '../options.ts';
import { beginRecord, type Examined, type Examiner, type Run, toOpenRecord } from './record.ts';
import { openReporter, type Reporter } from './reporter.ts';
import { createFolderNames } from './results-folder.ts';

/** @param prepare - checks everything that concerns the whole run. @throws {ForensicsError} for what ends it early. */
export async function runAnalyze(
  args: readonly string[],
  options: AnalyzeOptions,
  prepare: (run: Run) => Promise<Examiner>,
): Promise<ExitCode> {
  const stop = listenForStop();
  const isBatch = args.length > 1 || options.recursive;
  const run: Run = { options, isBatch, signal: stop.signal };
  const examiner = await prepared(prepare(run), options, stop);
  const reporter = await openReporter(args, options);
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

/** Lets Ctrl-C interrupt the wait for a server that does not respond. */
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

/** @param children - null on a server. @throws {ForensicsError} for whatever makes the whole run impossible. */
export async function prepareExaminer(run: Run, children: Pool | null): Promise<Examiner> {
  if (children === null) {
    const { prepareRemote } = await import('./remote/remote.ts');
    return prepareRemote(run);
  }
  try {
    const { prepareLocal } = await import('./local.ts');
    return await prepareLocal(run, children);
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
  const walk = walkInputs(args, { recursive, exceptDir: out });
  const inputs = expandInputs(walk, {
    pdf: examiner.pdf,
    language: printedLanguage(options),
    fetchAllow: readConfig({ flags: { dataDir: options.dataDir } }).settings.fetchAllow,
    signal,
    onMore: (count) => reporter.more(count),
  });
  // Folder names are kept in memory to make them unique, which is needed only with --out.
  const folderNameOf = out === null ? () => '' : createFolderNames();
  // One picture more waits for a child process, so that none is idle between two pictures.
  const width = isRemote(options) ? jobs : jobs + 1;
  const examined = inOrder(inputs, { width, signal }, async (input) => {
    const { skipped, path, label } = input;
    const found: Examined = skipped
      ? { record: { ...toOpenRecord(beginRecord(input, options).head()), skipped } }
      : await examiner.examine(input, folderNameOf(path ?? label));
    const { record, failure } = found;
    if (failure && concernsWholeRun(failure)) stop.because(failure);
    if (failure && !signal.aborted) reporter.failed(input, failure);
    reporter.examined(record);
    return found;
  });
  for await (const found of examined) {
    if (signal.aborted) return;
    try {
      await reporter.report(examiner.compare?.(found) ?? found.record);
    } catch (error) {
      // Stops the pictures in progress, which the batch would otherwise wait for.
      stop.because(toForensicsError(error));
    }
  }
}
