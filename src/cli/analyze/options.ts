/** The options of `forensics analyze`. */

import type { DecisionStrategy, Language, Tier } from '../../contract/vocabulary.ts';
import { usageError } from '../errors.ts';
import { type CaseOptions, caseOptionsGiven } from './case-data.ts';
import type { ServerOptions } from '../options.ts';

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
  /** Whether raw maps are written: a value a cell, a value a pixel, or not at all. */
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
  /** Of a server. */
  readonly tenant?: string;
  /** Whether a run on a server that was broken off goes on. */
  readonly resume: boolean;
  /** False: a server is not waited for. */
  readonly wait: boolean;
}

/** Options that would do nothing are refused, so that no user waits for an effect that never comes. @throws {ForensicsError} `usage`. */
export function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  checkForensicTier(options);
  if (options.force && options.out === null) {
    throw usageError('--force replaces the results of --out DIR; add --out.');
  }
  checkStandardInput(args);
}

function checkForensicTier({ tier, out, ...options }: AnalyzeOptions): void {
  const { maps, withMetadata, withoutOriginal, validation } = options;
  const isForensic = tier === 'forensicReporting';
  if (maps !== null && !isForensic) throw usageError('--maps needs --tier forensicReporting.');
  if (validation !== undefined && !isForensic) {
    throw usageError('--validation is cited in reports; add --tier forensicReporting.');
  }
  if (withMetadata && !isForensic) {
    throw usageError('--with-metadata is for reports; add --tier forensicReporting.');
  }
  if (withoutOriginal && (!isForensic || out === null)) {
    throw usageError(
      '--without-original is for evidence bundles; add --tier forensicReporting and --out DIR.',
    );
  }
  const forReports = { '--error-level': options.errorLevel, ...caseOptionsGiven(options) };
  for (const [name, isGiven] of Object.entries(forReports)) {
    if (isGiven && !isForensic)
      throw usageError(`${name} is for reports; add --tier forensicReporting.`);
  }
  if (options.html && (!isForensic || out === null)) {
    throw usageError('--html writes reports; add --tier forensicReporting and --out DIR.');
  }
  if (maps !== null && out === null) {
    throw usageError('--maps needs a folder to write to; add --out DIR.');
  }
}

function checkStandardInput(args: readonly string[]): void {
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is the keyboard; pipe a picture into it.');
  }
}

/** That of what is printed for a person: the first one of the reports. */
export function languageOf({ lang }: Pick<AnalyzeOptions, 'lang'>): Language {
  return lang[0] ?? 'en';
}
