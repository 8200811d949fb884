/** The options of `forensics analyze`, and the rules for combining them. */

import { type Command, Option } from 'commander';
import type { DecisionStrategy, Language, Tier } from '../../contract/vocabulary.ts';
import { usageError } from '../errors.ts';
import { assertNoOptions, isRemote, named, type ServerOptions } from '../options.ts';

/** In the order in which they decide the exit code. `unexamined`: a file failed, is not a picture, or was left out. */
export const failOns = ['unexamined', 'fake', 'uncertain', 'abstain'] as const;
export type FailOn = (typeof failOns)[number];

export interface AnalyzeOptions extends ServerOptions, CaseOptions {
  readonly recursive: boolean;
  readonly tier: Tier;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
  readonly model: string | null;
  readonly lang: readonly Language[];
  /** Without the option, the `c2paTrustList` setting applies. */
  readonly trustList?: string;
  /** Without the option, the setting with the same name applies. */
  readonly validation?: string;
  readonly dataDir?: string;
  readonly out: string | null;
  /** Raw maps with one value per cell or per pixel, or none. */
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
  /** False: do not wait for the server's results. */
  readonly wait: boolean;
}

/** Rejects options that would have no effect, so that no user relies on one. @throws {ForensicsError} `usage`. */
export function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  const { tier, out, maps, html, force } = options;
  if (tier !== 'forensicReporting') checkNoReportOptions(options);
  if (out === null && maps !== null) throw usageError('--maps needs a folder; add --out DIR.');
  if (out === null && (html || options.withoutOriginal)) {
    const [name, what] = html ? ['--html', 'reports'] : ['--without-original', 'evidence bundles'];
    throw usageError(`${name} is for ${what}; add --tier forensicReporting and --out DIR.`);
  }
  if (out === null && force) {
    throw usageError('--force replaces the results in --out DIR; add --out.');
  }
  checkStandardInput(args);
  if (isRemote(options)) return;
  const { tenant, resume, wait } = options;
  assertNoOptions(
    { '--tenant': tenant !== undefined, '--resume': resume, '--no-wait': !wait },
    'only works with a server; add --url.',
  );
}

function checkNoReportOptions(options: AnalyzeOptions): void {
  const forReports = {
    '--maps': options.maps !== null,
    '--validation': options.validation !== undefined,
    '--with-metadata': options.withMetadata,
    '--without-original': options.withoutOriginal,
    '--error-level': options.errorLevel,
    ...caseOptionsGiven(options),
    // A server adds pictures of either tier to a case.
    '--case': options.case !== undefined && !isRemote(options),
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

/** Language of what is printed for people: the first of the reports' languages. */
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

/** `--project` is a second name of `--case`: what the API calls it. */
export function withCaseOptions(command: Command): Command {
  return command
    .option('--case <number>', 'the case, such as a claim number; projectId in the API', named)
    .addOption(new Option('--project <number>').argParser(named).hideHelp())
    .on('option:project', (value: string) => command.setOptionValue('case', value))
    .option('--exhibit <number>', 'the exhibit number', named)
    .option('--examiner <name>', 'the name of the examiner', named)
    .option('--note <text>', 'a note about the case', named)
    .option(
      '--template <file>',
      "JSON file with the laboratory's name, address and logo, and any text to print before the signature (see: forensics help evidence)",
      named,
    );
}

/** Which of these options were given, in the form `assertNoOptions` takes. */
export function caseOptionsGiven(options: CaseOptions): Readonly<Record<string, boolean>> {
  return {
    '--case': options.case !== undefined,
    '--exhibit': options.exhibit !== undefined,
    '--examiner': options.examiner !== undefined,
    '--note': options.note !== undefined,
    '--template': options.template !== undefined,
  };
}
