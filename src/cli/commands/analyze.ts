/** `forensics analyze`. */

import { Option } from 'commander';
import { decisionStrategies, defaultSeed, tiers } from '../../contract/vocabulary.ts';
import { createChildren } from '../../examiner/sandbox.ts';
import {
  type AnalyzeOptions,
  checkUsage,
  type Command,
  failOns,
  isRemote,
  jobsOption,
  named,
  parseList,
  wholeNumber,
} from '../options.ts';

export function defineAnalyze(command: Command): void {
  withExaminationOptions(command.serverOptions());
  withFileOptions(command);
  withOutputOptions(command)
    .option('--tenant <name>', 'on a server: the tenant to act for', named)
    .option('--resume', 'on a server: continue a run that was interrupted', false)
    .option('--no-wait', 'on a server: upload, start, print the ids, and exit')
    .helpAfter(`
With --tier forensicReporting, --out also writes evidence.zip: a signed bundle for "forensics verify".
A file given twice is examined once.`)
    .examples(
      'photo.jpg --tier forensicReporting --out results',
      '-r pictures --jsonl --fail-on fake',
    )
    .helpAfter(`
Exit codes: 0 done, 1 some pictures failed (a single picture: its own code), 2 usage,
10 to 13 as requested with --fail-on.`)
    .action(async (files: string[], options: AnalyzeOptions) => {
      checkUsage(files, options);
      const isChosen = command.getOptionValueSource('jobs') !== 'default';
      const jobs = isRemote(options) && !isChosen ? remoteJobs : options.jobs;
      const children = isRemote(options) ? null : createChildren({ poolSize: jobs });
      // A child process starts while this one is still loading, which saves a third of a second on two cores.
      children?.start();
      const { prepareExaminer, runAnalyze } = await import('../analyze/run.ts');
      process.exitCode = await runAnalyze(files, { ...options, jobs }, (given) =>
        prepareExaminer(given, children),
      );
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
    .option(
      '--trust-list <file>',
      'PEM file of the certificate authorities to trust for C2PA signers (where to get one: forensics help methods)',
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
    .option(
      '--maps',
      'also write the raw maps as 16-bit greyscale PNG, one pixel per cell (needs --out)',
      false,
    )
    .reportOptions('languages of reports; the first is also used on the terminal')
    .option(
      '--html',
      'also write each report as a single HTML file, in the folder and in the bundle (needs --out)',
      false,
    )
    .caseOptions()
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
    .addOption(jobsOption(2));
}

// Pictures sent to a server wait for the network, not for this machine's CPUs.
const remoteJobs = 4;
