/** `forensics analyze`: the options and their help. The work is in `analyze/run.ts`. */

import { type Command, Option } from 'commander';
import { decisionStrategies, defaultSeed, languages, tiers } from '../../contract/vocabulary.ts';
import { withCaseOptions } from '../analyze/case-data.ts';
import { type AnalyzeOptions, failOns } from '../analyze/options.ts';
import { runAnalyze } from '../analyze/run.ts';
import {
  defaultJobs,
  isRemote,
  jobCount,
  listOf,
  named,
  wholeNumber,
  withServerOptions,
} from '../options.ts';

export function defineAnalyze(command: Command): void {
  const described = withServerOptions(command)
    .argument('<file...>', 'pictures, folders with --recursive, or - for standard input')
    .option('-r, --recursive', 'take the .jpg, .jpeg and .png files of folders', false)
    .addOption(
      new Option('--tier <tier>', 'how detailed the result is').choices(tiers).default('flagging'),
    )
    .addOption(
      new Option('--decision-strategy <strategy>', 'how readily to decide')
        .choices(decisionStrategies)
        .default('default'),
    )
    .option('--seed <n>', 'fixes every random choice', wholeNumber, defaultSeed)
    .option('--model <id>', 'the model to use (default: the latest)', named, null)
    .addOption(
      new Option('--lang <list>', 'languages of reports; the first one is printed here')
        .argParser(listOf(languages))
        .default([...languages], languages.join(',')),
    )
    .option(
      '--trust-list <file>',
      'PEM file of authorities whose C2PA signers to trust (where to get it: forensics help methods)',
      named,
    )
    .option('--validation <id>', 'a stored validation that the reports cite', named)
    .option('--data-dir <dir>', 'the data folder that keeps validations and the signing key', named)
    .option('-o, --out <dir>', 'write a folder of results a picture into this folder', named, null)
    .addOption(
      new Option(
        '--maps [size]',
        'also write the raw maps, 16-bit grey PNG: one pixel a cell, or "full" for the size of the picture (needs --out)',
      )
        .choices(['grid', 'full'])
        .preset('grid')
        .default(null),
    )
    .option('--with-metadata', 'print the metadata of the file in the report', false)
    .option('--error-level', 'show the error level map in the report', false)
    .option(
      '--html',
      'also write each report as one HTML file, in the folder and in the bundle (needs --out)',
      false,
    );
  withCaseOptions(described)
    .option(
      '--without-original',
      'keep the file of the picture out of its evidence bundle; heatmaps and reports still show it',
      false,
    )
    .option('--force', 'replace a result folder or a report that exists', false)
    .addOption(
      new Option('--json', 'print one JSON document').default(false).conflicts(['jsonl', 'csv']),
    )
    .addOption(
      new Option('--jsonl', 'print one JSON line a picture, as they finish')
        .default(false)
        .conflicts('csv'),
    )
    .option('--csv', 'print one CSV row a picture, as they finish', false)
    .option('--fail-on <list>', 'exit 10, 11, 12 on fake, uncertain, abstain', listOf(failOns), [])
    .option('-j, --jobs <n>', 'pictures examined at once', jobCount, defaultJobs)
    .option('--tenant <name>', 'on a server: the tenant to act for', named)
    .option('--resume', 'on a server: go on with a run that was broken off', false)
    .option('--no-wait', 'on a server: upload, start, print the ids, and leave')
    .addHelpText(
      'after',
      `
With --tier forensicReporting, --out also writes evidence.zip: a signed bundle for "forensics verify".
A file that is named twice is examined once.

Examples:
  $ forensics analyze photo.jpg --tier forensicReporting --out results
  $ forensics analyze -r pictures --jsonl --fail-on fake

Exit codes: 0 done, 1 some pictures failed (one alone: its own code), 2 usage,
10, 11, 12 as asked for with --fail-on.`,
    )
    .action(async (files: string[], _own: unknown, called: Command) => {
      process.exitCode = await runAnalyze(files, optionsOf(called));
    });
}

/** A server's pictures wait for the network, not for this machine's processors. */
function optionsOf(command: Command): AnalyzeOptions {
  const options = command.optsWithGlobals<AnalyzeOptions>();
  const isChosen = command.getOptionValueSource('jobs') !== 'default';
  return isRemote(options) && !isChosen ? { ...options, jobs: remoteJobs } : options;
}

const remoteJobs = 4;
