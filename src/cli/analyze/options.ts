/** The options of `forensics analyze`, and the rules for combining them. */

import { Option } from 'commander';
import type { DecisionStrategy, Language, Tier } from '../../contract/vocabulary.ts';
import { usageError } from '../errors.ts';
import {
  assertNoOptions,
  type Command,
  isRemote,
  named,
  type ServerOptions,
  type TextOptions,
} from '../options.ts';

/** In order of precedence for the exit code. `unexamined`: a file failed, is not a picture, or was left out. */
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
  readonly maps: boolean;
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
  /** If false, does not wait for the server's results. */
  readonly wait: boolean;
}

/** Rejects options that would have no effect, so that nobody relies on them. @throws {ForensicsError} `usage`. */
export function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  const { tier, out, maps, html, force } = options;
  if (tier !== 'forensicReporting') {
    const ofReports = [
      'maps',
      'validation',
      'withMetadata',
      'withoutOriginal',
      'errorLevel',
    ] as const;
    // A server adds pictures of either tier to a case.
    const ofCases = caseOptions.filter((name) => name !== 'case' || !isRemote(options));
    const why = 'is for forensic reports; add --tier forensicReporting.';
    assertNoOptions(options, [...ofReports, ...ofCases, 'html'], why);
  }
  if (out === null && maps) throw usageError('--maps needs a folder; add --out DIR.');
  if (out === null && (html || options.withoutOriginal)) {
    const [name, what] = html ? ['--html', 'reports'] : ['--without-original', 'evidence bundles'];
    throw usageError(`${name} is for ${what}; add --tier forensicReporting and --out DIR.`);
  }
  if (out === null && force) {
    throw usageError('--force replaces the results in --out DIR; add --out.');
  }
  checkStandardInput(args);
  if (isRemote(options)) return;
  const ofServer = { ...options, noWait: !options.wait };
  assertNoOptions(ofServer, ['tenant', 'resume', 'noWait'], 'only works with a server; add --url.');
}

function checkStandardInput(args: readonly string[]): void {
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is a terminal; pipe a picture into it.');
  }
}

/** The language of everything printed for people: the first of the reports' languages. */
export function printedLanguage({ lang }: Pick<AnalyzeOptions, 'lang'>): Language {
  return lang[0] ?? 'en';
}

export const caseOptions = ['case', 'exhibit', 'examiner', 'note', 'template'] as const;
export type CaseOptions = TextOptions<(typeof caseOptions)[number]>;

/** Adds the case options. `--project` is another name for `--case`, because the API calls a case a project. */
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
