/** What `forensics analyze` was asked for. */

import type { DecisionStrategy, Language, Tier } from '../../contract/vocabulary.ts';
import { usageError } from '../errors.ts';
import { isRemote, type ServerOptions } from '../target/options.ts';

/** In the order in which they decide the exit code. */
export const failOns = ['fake', 'uncertain', 'abstain'] as const;
export type FailOn = (typeof failOns)[number];

export interface AnalyzeOptions extends ServerOptions {
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
  readonly maps: boolean;
  readonly withMetadata: boolean;
  readonly withoutOriginal: boolean;
  readonly force: boolean;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly csv: boolean;
  /** File for a report as CI systems read it. */
  readonly junit?: string;
  /** Whether pictures are drawn on the terminal. */
  readonly preview: boolean;
  /** Whether folders are watched for new pictures. */
  readonly watch: boolean;
  /** Of folders that are watched: whether what is there is left out. */
  readonly onlyNew: boolean;
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

// Options that would do nothing are refused, so that nobody waits for what will not come.

/** @throws {ForensicsError} `usage`. */
export function checkUsage(args: readonly string[], options: AnalyzeOptions): void {
  checkForensicTier(options);
  checkFaces(options);
  if (options.watch) checkWatch(args, options);
  else if (options.onlyNew)
    throw usageError('--only-new is for folders that are watched; add --watch.');
  checkStandardInput(args);
}

function checkForensicTier({ tier, out, ...options }: AnalyzeOptions): void {
  const { maps, withMetadata, withoutOriginal, validation } = options;
  const isForensic = tier === 'forensicReporting';
  if (maps && !isForensic) throw usageError('--maps needs --tier forensicReporting.');
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
  if (maps && out === null) throw usageError('--maps needs a folder to write to; add --out DIR.');
}

function checkFaces(options: AnalyzeOptions): void {
  const { force, out, junit, preview, json, jsonl, csv } = options;
  if (force && out === null && junit === undefined) {
    throw usageError('--force replaces results of --out DIR or --junit FILE; add one.');
  }
  if (junit === '-') {
    throw usageError('--junit takes a file: standard output is for the other results.');
  }
  if (preview && (json || jsonl || csv)) {
    throw usageError('--preview draws for a person; leave out --json, --jsonl and --csv.');
  }
  if (preview && isRemote(options)) {
    throw usageError('--preview draws what this machine examines; a server examines with --url.');
  }
}

function checkWatch(args: readonly string[], options: AnalyzeOptions): void {
  const { json, junit, failOn } = options;
  const endless = [
    ...(json ? ['--json'] : []),
    ...(junit === undefined ? [] : ['--junit']),
    ...(failOn.length > 0 ? ['--fail-on'] : []),
  ];
  if (endless.length > 0) {
    throw usageError(`${endless.join(', ')} waits for an end that --watch has not; use --jsonl.`);
  }
  if (args.includes('-')) throw usageError('--watch takes folders; standard input (-) is none.');
}

function checkStandardInput(args: readonly string[]): void {
  const stdins = args.filter((arg) => arg === '-').length;
  if (stdins > 1) throw usageError('Standard input (-) can be read only once.');
  if (stdins === 1 && process.stdin.isTTY) {
    throw usageError('Standard input (-) is the keyboard; pipe a picture into it.');
  }
}
