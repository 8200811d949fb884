/** A run of `forensics analyze`: gather, examine side by side, print in order. */

import type { ExitCode } from '../../errors.ts';
import { tellFileFailure, usageError } from '../failure.ts';
import { inOrder } from './batch.ts';
import type { Examiner, Run } from './examiner.ts';
import { exitCodeOf } from './exit-code.ts';
import { type Input, gatherInputs } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import { type Face, createPrinter } from './printer.ts';
import { type Progress, startProgress } from './progress.ts';
import type { AnalysisRecord } from './record.ts';
import { prepareExaminer } from './prepare.ts';
import { folderNamesOf } from './results-folder.ts';
import { isOfTheMachine, listenForStop } from './stop.ts';

/** @throws {ForensicsError} what concerns the run and not one picture: see `PrepareExaminer`. */
export async function runAnalyze(
  args: readonly string[],
  options: AnalyzeOptions,
): Promise<ExitCode> {
  checkUsage(args, options);
  const begin = await prepareExaminer(options);
  const inputs = await gatherInputs(args, { ...options, exceptDir: options.out });

  const stop = listenForStop();
  const progress = await startProgress(inputs.length, !options.quiet);
  const onFailure: Run['onFailure'] = (input, failure) => {
    if (isOfTheMachine(failure)) stop.because(failure);
    if (stop.signal.aborted || isToldByTable(inputs, options)) return;
    progress.around(() => tellFileFailure(input.label, failure, options));
  };
  const run: Run = { options, signal: stop.signal, onFailure };
  const examiner = begin(run);
  try {
    const records = await examineAll(examiner, run, { inputs, progress });
    stop.throwIfStopped();
    return exitCodeOf(records, options.failOn);
  } finally {
    progress.end();
    await examiner.close();
    stop.release();
  }
}

async function examineAll(
  examiner: Examiner,
  { options, signal }: Run,
  { inputs, progress }: { readonly inputs: readonly Input[]; readonly progress: Progress },
): Promise<readonly AnalysisRecord[]> {
  const printer = createPrinter(faceOf(options));
  const names = folderNamesOf(inputs.map(({ label }) => label));
  const records: AnalysisRecord[] = [];
  const examined = inOrder(
    inputs,
    options.jobs,
    async (input, index) => {
      const record = await examiner.examine(input, names[index]!);
      progress.add(record);
      return record;
    },
    signal,
  );
  for await (const record of examined) {
    if (signal.aborted) return records;
    records.push(record);
    progress.around(() => printer.add(record));
  }
  progress.end();
  if (!signal.aborted) printer.end(records);
  return records;
}

/** On a terminal the table's remarks say why a picture failed; the same lines above it would only push it away. */
function isToldByTable(inputs: readonly Input[], options: AnalyzeOptions): boolean {
  const isTable = faceOf(options) === 'text' && inputs.length > 1;
  return isTable && process.stdout.isTTY && !options.verbose;
}

function faceOf({ json, jsonl }: AnalyzeOptions): Face {
  if (json) return 'json';
  return jsonl ? 'jsonl' : 'text';
}

/** An option that would do nothing is refused, so that nobody waits for what will not come. */
function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  const { out, tier, maps, withMetadata, withoutOriginal } = options;
  const { force, quiet, verbose, validation } = options;
  if (maps && tier !== 'forensicReporting') {
    throw usageError('--maps needs --tier forensicReporting.');
  }
  if (validation !== undefined && tier !== 'forensicReporting') {
    throw usageError('--validation is cited in reports; add --tier forensicReporting.');
  }
  if (withMetadata && tier !== 'forensicReporting') {
    throw usageError('--with-metadata is for reports; add --tier forensicReporting.');
  }
  if (withoutOriginal && (tier !== 'forensicReporting' || out === null)) {
    throw usageError(
      '--without-original is for evidence bundles; add --tier forensicReporting and --out DIR.',
    );
  }
  if (maps && out === null) throw usageError('--maps needs a folder to write to; add --out DIR.');
  if (force && out === null) throw usageError('--force replaces results of --out DIR; add it.');
  if (quiet && verbose) throw usageError('Choose one of --quiet and --verbose.');
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is the keyboard; pipe a picture into it.');
  }
}
