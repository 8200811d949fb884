/** `forensics analyze`: its options, their help, and which of them go together. The work is in `run.ts`. */

import { type Command, Option } from 'commander';
import {
  type DecisionStrategy,
  decisionStrategies,
  defaultSeed,
  type Language,
  languages,
  type Tier,
  tiers,
} from '../../contract/vocabulary.ts';
import type { CaseData } from '../../present/report-item.ts';
import { usageError } from '../errors.ts';
import {
  assertNoOptions,
  defaultJobs,
  isRemote,
  jobCount,
  parseList,
  named,
  type ServerOptions,
  wholeNumber,
  withServerOptions,
} from '../options.ts';

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
10, 11, 12 as requested with --fail-on.`,
    )
    .action(async (files: string[], _own: unknown, called: Command) => {
      const { runAnalyze } = await import('./run.ts');
      process.exitCode = await runAnalyze(files, analyzeOptions(called));
    });
}

function withExaminationOptions(command: Command): Command {
  return command
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
    .option('--seed <n>', 'seed of every random choice', wholeNumber, defaultSeed)
    .option('--model <id>', 'the model to use (default: the latest)', named, null)
    .addOption(
      new Option('--lang <list>', 'languages of reports; the first is also used on the terminal')
        .argParser(parseList(languages))
        .default([...languages], languages.join(',')),
    )
    .option(
      '--trust-list <file>',
      'PEM file of authorities whose C2PA signers to trust (where to get it: forensics help methods)',
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
        'also write the raw maps as 16-bit grey PNG: one pixel per cell, or "full" for the size of the picture (needs --out)',
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
      new Option('--jsonl', 'print one JSON line per picture, as they finish')
        .default(false)
        .conflicts('csv'),
    )
    .option('--csv', 'print one CSV row per picture, as they finish', false)
    .option(
      '--fail-on <list>',
      'exit 10, 11, 12 on fake, uncertain, abstain',
      parseList(failOns),
      [],
    )
    .option('-j, --jobs <n>', 'pictures examined at once', jobCount, defaultJobs);
}

// Pictures on a server wait for the network, not for the processors of this machine.
const remoteJobs = 4;

function analyzeOptions(command: Command): AnalyzeOptions {
  const options = command.optsWithGlobals<AnalyzeOptions>();
  const isChosen = command.getOptionValueSource('jobs') !== 'default';
  return isRemote(options) && !isChosen ? { ...options, jobs: remoteJobs } : options;
}

/** In the order in which they decide the exit code. */
export const failOns = ['fake', 'uncertain', 'abstain'] as const;
export type FailOn = (typeof failOns)[number];

export interface AnalyzeOptions extends ServerOptions, CaseOptions {
  readonly recursive: boolean;
  readonly tier: Tier;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
  readonly model: string | null;
  readonly lang: readonly Language[];
  /** Absent without the option: then the setting `c2paTrustList` decides. */
  readonly trustList?: string;
  /** Absent without the option: then the setting of that name decides. */
  readonly validation?: string;
  readonly dataDir?: string;
  readonly out: string | null;
  /** Raw maps with a value per cell, a value per pixel, or none. */
  readonly maps: 'grid' | 'full' | null;
  readonly withMetadata: boolean;
  readonly errorLevel: boolean;
  readonly html: boolean;
  readonly withoutOriginal: boolean;
  readonly force: boolean;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly csv: boolean;
  readonly failOn: readonly FailOn[];
  readonly jobs: number;
  readonly verbose: boolean;
  readonly tenant?: string;
  /** Continues an interrupted run on a server. */
  readonly resume: boolean;
  /** False: results of a server are not waited for. */
  readonly wait: boolean;
}

/** Refuses options that would have no effect, so that no user relies on one. @throws {ForensicsError} `usage`. */
export function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  const { tier, out, maps, html, force } = options;
  if (tier !== 'forensicReporting') checkNoReportOptions(options);
  if (out === null && maps !== null) throw usageError('--maps needs a folder; add --out DIR.');
  if (out === null && (html || options.withoutOriginal)) {
    const [name, what] = html ? ['--html', 'reports'] : ['--without-original', 'evidence bundles'];
    throw usageError(`${name} is for ${what}; add --tier forensicReporting and --out DIR.`);
  }
  if (out === null && force) {
    throw usageError('--force replaces the results of --out DIR; add --out.');
  }
  checkStandardInput(args);
}

function checkNoReportOptions(options: AnalyzeOptions): void {
  const forReports = {
    '--maps': options.maps !== null,
    '--validation': options.validation !== undefined,
    '--with-metadata': options.withMetadata,
    '--without-original': options.withoutOriginal,
    '--error-level': options.errorLevel,
    ...caseOptionsGiven(options),
    '--html': options.html,
  };
  assertNoOptions(forReports, 'is for forensic reports; add --tier forensicReporting.');
}

function checkStandardInput(args: readonly string[]): void {
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is a terminal; pipe a picture into it.');
  }
}

/** The language of what is printed for people: the first of the reports. */
export function printedLanguage({ lang }: Pick<AnalyzeOptions, 'lang'>): Language {
  return lang[0] ?? 'en';
}

export interface CaseOptions {
  readonly case?: string;
  readonly exhibit?: string;
  readonly examiner?: string;
  readonly note?: string;
  readonly template?: string;
}

export function withCaseOptions(command: Command): Command {
  return command
    .option('--case <number>', 'case number, printed in the report', named)
    .option('--exhibit <number>', 'number of the exhibit', named)
    .option('--examiner <name>', 'name of the examiner', named)
    .option('--note <text>', 'a remark on the case', named)
    .option(
      '--template <file>',
      'JSON file of the laboratory: name, address, logo, sentences (see: forensics help evidence)',
      named,
    );
}

/** Which of these options were given, as `assertNoOptions` takes them. */
export function caseOptionsGiven(options: CaseOptions): Readonly<Record<string, boolean>> {
  return {
    '--case': options.case !== undefined,
    '--exhibit': options.exhibit !== undefined,
    '--examiner': options.examiner !== undefined,
    '--note': options.note !== undefined,
    '--template': options.template !== undefined,
  };
}

/** Nothing where no option was given. @throws {ForensicsError} `usage` for a template that cannot be used. */
export async function readCaseData(options: CaseOptions): Promise<{ caseData?: CaseData }> {
  if (!Object.values(caseOptionsGiven(options)).includes(true)) return {};
  const { case: caseNumber, exhibit, examiner, note, template } = options;
  return {
    caseData: {
      ...(caseNumber === undefined ? {} : { caseNumber }),
      ...(exhibit === undefined ? {} : { exhibit }),
      ...(examiner === undefined ? {} : { examiner }),
      ...(note === undefined ? {} : { note }),
      ...(template === undefined
        ? {}
        : { laboratory: await (await import('./template.ts')).readTemplate(template) }),
    },
  };
}
