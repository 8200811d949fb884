/** `forensics analyze`: examines pictures in parallel, on this machine or on a server, and reports them in order. */

import { type Command, Option } from 'commander';
import { readConfig } from '../../contract/config.ts';
import { decisionStrategies, defaultSeed, languages, tiers } from '../../contract/vocabulary.ts';
import { type ExitCode, toForensicsError } from '../../errors.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { concernsWholeRun, inOrder, listenForStop, type Stop } from '../analyze/batch.ts';
import { expandInputs } from '../analyze/expand.ts';
import { walkInputs } from '../analyze/inputs.ts';
import {
  type AnalyzeOptions,
  checkUsage,
  failOns,
  printedLanguage,
  withCaseOptions,
} from '../analyze/options.ts';
import {
  type Examiner,
  type PrepareExaminer,
  type Run,
  toSkippedRecord,
} from '../analyze/record.ts';
import { openReporter, type Reporter } from '../analyze/reporter.ts';
import { createFolderNames } from '../analyze/results-folder.ts';
import { exitCodeOf } from '../analyze/summary.ts';
import {
  assertNoOptions,
  defaultJobs,
  isRemote,
  jobCount,
  named,
  parseList,
  wholeNumber,
  withServerOptions,
} from '../options.ts';
import { log } from '../output/terminal.ts';

export function defineAnalyze(command: Command): void {
  withExaminationOptions(withServerOptions(command));
  withFileOptions(command);
  withOutputOptions(command)
    .option('--tenant <name>', 'on a server: the tenant to act for', named)
    .option('--resume', 'on a server: continue a run that was interrupted', false)
    .option('--no-wait', 'on a server: upload, start, print the ids, and exit')
    .addHelpText(
      'after',
      `
With --tier forensicReporting, --out also writes evidence.zip: a signed bundle for "forensics verify".
A file that is named twice is examined once.

Examples:
  $ forensics analyze photo.jpg --tier forensicReporting --out results
  $ forensics analyze -r pictures --jsonl --fail-on fake

Exit codes: 0 done, 1 some pictures failed (a single picture: its own code), 2 usage,
10 to 13 as requested with --fail-on.`,
    )
    .action(async (files: string[], _own: unknown, called: Command) => {
      const options = called.optsWithGlobals<AnalyzeOptions>();
      const isChosen = called.getOptionValueSource('jobs') !== 'default';
      const jobs = isRemote(options) && !isChosen ? remoteJobs : options.jobs;
      process.exitCode = await runAnalyze(files, { ...options, jobs });
    });
}

function withExaminationOptions(command: Command): Command {
  return command
    .argument(
      '<file...>',
      'pictures, PDFs, web addresses, folders with --recursive, or - for standard input',
    )
    .option(
      '-r, --recursive',
      'examine the pictures in folders, recognised by their content',
      false,
    )
    .addOption(
      new Option('--tier <tier>', 'how detailed the result is').choices(tiers).default('flagging'),
    )
    .addOption(
      new Option('--decision-strategy <strategy>', 'how much evidence a decision needs')
        .choices(decisionStrategies)
        .default('default'),
    )
    .option('--seed <n>', 'seed for all random choices', wholeNumber, defaultSeed)
    .option('--model <id>', 'the model to use (default: the latest)', named, null)
    .addOption(
      new Option('--lang <list>', 'languages of reports; the first is also used on the terminal')
        .argParser(parseList(languages))
        .default([...languages], languages.join(',')),
    )
    .option(
      '--trust-list <file>',
      'PEM file of certificate authorities whose C2PA signers to trust (where to get one: forensics help methods)',
      named,
    )
    .option('--validation <id>', 'a stored validation that the reports cite', named)
    .option('--data-dir <dir>', 'the data folder with validations and the signing key', named);
}

function withFileOptions(command: Command): void {
  command
    .option(
      '-o, --out <dir>',
      'write a folder of results per picture into this folder',
      named,
      null,
    )
    .addOption(
      new Option(
        '--maps [size]',
        'also write the raw maps as 16-bit greyscale PNG: one pixel per cell, or "full" for the size of the picture (needs --out)',
      )
        .choices(['grid', 'full'])
        .preset('grid')
        .default(null),
    )
    .option('--with-metadata', 'include the metadata of the file in the report', false)
    .option('--error-level', 'include the error level map in the report', false)
    .option(
      '--html',
      'also write each report as one HTML file, in the folder and in the bundle (needs --out)',
      false,
    );
  withCaseOptions(command)
    .option(
      '--without-original',
      'leave the picture file out of its evidence bundle; heatmaps and reports still show it',
      false,
    )
    .option('--force', 'replace an existing result folder or report', false);
}

function withOutputOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--json', 'print one JSON document').default(false).conflicts(['jsonl', 'csv']),
    )
    .addOption(
      new Option('--jsonl', 'print one JSON line per picture as each finishes')
        .default(false)
        .conflicts('csv'),
    )
    .option('--csv', 'print one CSV row per picture as each finishes', false)
    .option(
      '--fail-on <list>',
      'exit 10, 11 or 12 on fake, uncertain or abstain; 13 when a file could not be examined (unexamined)',
      parseList(failOns),
      [],
    )
    .option('-j, --jobs <n>', 'number of pictures to examine at once', jobCount, defaultJobs);
}

// Pictures sent to a server wait for the network, not for this machine's processors.
const remoteJobs = 4;

/** @throws {ForensicsError} for failures of the whole run: see `PrepareExaminer`. */
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
    isBatch: args.length > 1 || options.recursive,
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

/** Lets Ctrl-C interrupt waiting for a server that does not answer. */
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
    const { prepareRemote } = await import('../analyze/remote/remote.ts');
    return prepareRemote(options);
  }
  const { tenant, resume, wait } = options;
  assertNoOptions(
    { '--tenant': tenant !== undefined, '--resume': resume, '--no-wait': !wait },
    'only works with a server; add --url.',
  );
  const { createChildren } = await import('../../examiner/sandbox.ts');
  const children = createChildren({ poolSize: options.jobs });
  // The child process starts while this one is still loading, which saves a third of a second on two cores.
  children.start();
  try {
    const { prepareLocal } = await import('../analyze/local.ts');
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
  const walk = walkInputs(args, { recursive, exceptDir: out });
  const inputs = expandInputs(walk, {
    pdf: examiner.pdf,
    language: printedLanguage(options),
    fetchAllow: readConfig({ flags: { dataDir: options.dataDir } }).settings.fetchAllow,
    signal,
    onMore: (count) => reporter.more(count),
  });
  // Folder names are kept in memory to make them unique, which is only needed with --out.
  const folderNameOf = out === null ? () => '' : createFolderNames();
  const examined = inOrder(inputs, { width: jobs, signal }, async (input) => {
    const { skipped, path, label } = input;
    const record =
      skipped === undefined
        ? await examiner.examine(input, folderNameOf(path ?? label))
        : toSkippedRecord({ ...input, skipped }, options);
    reporter.examined(record);
    return record;
  });
  for await (const record of examined) {
    if (signal.aborted) return;
    try {
      await reporter.report(examiner.compare?.(record) ?? record);
      examiner.reported?.(record);
    } catch (error) {
      // Stops the pictures in progress, which the batch would otherwise wait for.
      stop.because(toForensicsError(error));
    }
  }
}
