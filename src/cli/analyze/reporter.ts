/** What a run prints: records on standard output; failures, progress and the summary on standard error. */

import { once } from 'node:events';
import type { ResultClass } from '../../contract/vocabulary.ts';
import {
  type ErrorCode,
  type ExitCode,
  exitCodes,
  failures,
  type ForensicsError,
} from '../../errors.ts';
import { printFileFailure } from '../errors.ts';
import { log } from '../output/print.ts';
import { chooseFormat, isForPeople } from './formats.ts';
import { type Input, walkInputs } from './inputs.ts';
import { type AnalyzeOptions, type FailOn, failOns } from './options.ts';
import { type Progress, rateOf, startProgress } from './progress.ts';
import type { AnalysisRecord } from './record.ts';

export interface Reporter {
  /** As soon as it is known. */
  failed(input: Input, failure: ForensicsError): void;
  /** As soon as it is done. */
  examined(record: AnalysisRecord): void;
  /** In the order of the input. */
  report(record: AnalysisRecord): Promise<void>;
  /** Ends the document and prints the summary. */
  finish(): Promise<Summary>;
  /** Prints the summary of what was reported. A table is printed as far as it goes; documents stay cut off. */
  stopped(): Promise<void>;
  close(): void;
}

/** @throws {ForensicsError} `output_not_writable`, `no_space_left`; so do its verbs. */
export async function openReporter(
  args: readonly string[],
  options: AnalyzeOptions,
): Promise<Reporter> {
  const progress = await startProgress((signal) => countInputs(args, options, signal));
  const format = chooseFormat(options);
  const write = createWriter(format.head, progress);
  const began = performance.now();
  const elapsedMs = () => performance.now() - began;
  let summary = emptySummary;
  let deferredLine: (() => void) | null = null;
  return {
    failed: (input, failure) => {
      const line = () => printFileFailure(input.label, failure, options);
      if (isShownInTable(options)) deferredLine = line;
      else progress.around(line);
    },
    examined: (record) => progress.add(record),
    report: async (record) => {
      summary = withRecord(summary, record);
      await write(format.add(record));
    },
    finish: async () => {
      progress.end();
      // It was the only one: there is no table.
      if (summary.total === 1) deferredLine?.();
      await write(format.end(summary));
      logSummary(summary, options, summaryLine(summary, elapsedMs()));
      return summary;
    },
    stopped: async () => {
      progress.end();
      if (isForPeople(options) && summary.total > 0) await write(format.end(summary));
      logSummary(summary, options, `Stopped. ${summaryLine(summary, elapsedMs())}`);
    },
    close: () => progress.end(),
  };
}

/** A walk of its own beside the run: the number of pictures is known soon, and nothing is stored for it. */
async function countInputs(
  args: readonly string[],
  { recursive, out }: AnalyzeOptions,
  signal: AbortSignal,
): Promise<number> {
  const walk = walkInputs(args, { recursive, exceptDir: out });
  let total = 0;
  // oxlint-disable-next-line no-await-in-loop -- one after the other, so that nothing is kept
  while (!signal.aborted && !(await walk.next()).done) total++;
  return total;
}

/** Writes pieces of a document above the progress line; the document's head goes with the first. */
function createWriter(head: string, progress: Progress): (text: string) => Promise<void> {
  let before = head;
  return async (text) => {
    let written = Promise.resolve();
    progress.around(() => {
      written = writeOut(before + text);
    });
    before = '';
    await written;
  };
}

/**
 * No faster than standard output is read, so that a slow reader never makes a queue here.
 *
 * @throws {NodeJS.ErrnoException} the error of the system, such as a full disk.
 */
async function writeOut(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** On a terminal the remark in its row explains why a picture failed; a line above would only push the rows away. */
function isShownInTable(options: AnalyzeOptions): boolean {
  return isForPeople(options) && process.stdout.isTTY && !options.verbose;
}

/** One picture has had its details or its line: there is nothing to sum up. */
function logSummary({ total, counts }: Summary, { out }: AnalyzeOptions, line: string): void {
  if (total < 2) return;
  log(line);
  if (out !== null && total > counts.failed) log(`Results in ${out}, a folder for each picture`);
}

/** How many pictures came to each end: all that a run keeps of the pictures it has reported. */
export interface Summary {
  readonly total: number;
  readonly counts: Readonly<Record<ResultClass | 'failed', number>>;
  readonly firstError: ErrorCode | null;
}

export const emptySummary: Summary = {
  total: 0,
  counts: { real: 0, fake: 0, abstain: 0, uncertain: 0, failed: 0 },
  firstError: null,
};

/** A picture that was only handed to a server has neither a verdict nor an error yet. */
export function withRecord(
  { total, counts, firstError }: Summary,
  { verdict, error }: Pick<AnalysisRecord, 'verdict' | 'error'>,
): Summary {
  const end = error === null ? verdict : 'failed';
  return {
    total: total + 1,
    counts: end === null ? counts : { ...counts, [end]: counts[end] + 1 },
    firstError: firstError ?? error?.code ?? null,
  };
}

/** `5 pictures: 2 real, 1 fake, 2 failed; 3.2 s, 1.6 a second` */
export function summaryLine({ total, counts }: Summary, elapsedMs: number): string {
  const pictures = `${total} ${total === 1 ? 'picture' : 'pictures'}`;
  const ends = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ');
  const rate = total > 1 ? `, ${rateOf(total, elapsedMs)}` : '';
  return `${pictures}${ends === '' ? '' : `: ${ends}`}; ${durationText(elapsedMs)}${rate}`;
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
}

/**
 * A failure outweighs every verdict: a batch with an unread picture was not checked. Then fake, uncertain, abstain, each
 * only when asked for.
 */
export function exitCodeOf(
  { total, counts, firstError }: Summary,
  failOn: readonly FailOn[],
): ExitCode {
  if (firstError !== null) return total === 1 ? failures[firstError].exit : exitCodes.failure;
  const found = failOns.find((verdict) => failOn.includes(verdict) && counts[verdict] > 0);
  return found === undefined ? exitCodes.done : exitCodeOfVerdict[found];
}

const exitCodeOfVerdict: Record<FailOn, ExitCode> = {
  fake: exitCodes.foundFake,
  uncertain: exitCodes.foundUncertain,
  abstain: exitCodes.foundAbstain,
};
