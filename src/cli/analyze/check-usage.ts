/** Options that would do nothing are refused, so that nobody waits for what will not come. */

import { usageError } from '../failure.ts';
import { isRemote } from '../service-options.ts';
import type { AnalyzeOptions } from './options.ts';

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
