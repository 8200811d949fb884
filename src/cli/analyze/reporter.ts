/** What a run prints: records on standard output; failures, progress and the summary on standard error. */

import { once } from 'node:events';
import wrapAnsi from 'wrap-ansi';
import type { Language, ResultClass } from '../../contract/vocabulary.ts';
import {
  type ErrorCode,
  type ExitCode,
  exitCodes,
  failures,
  type ForensicsError,
} from '../../errors.ts';
import { writeFailure } from '../../present/failures.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { printFileFailure } from '../errors.ts';
import { lineWidth, log } from '../output/terminal.ts';
import { concernsWholeRun, type Progress, speedText, startProgress } from './batch.ts';
import { chooseFormat, isForPeople } from './formats.ts';
import { type Input, walkInputs } from './inputs.ts';
import { type AnalyzeOptions, type FailOn, failOns, printedLanguage } from './options.ts';
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
  stopped(reason: ForensicsError): Promise<void>;
  close(): void;
}

/** @throws {ForensicsError} `output_not_writable`, `no_space_left`; so do its verbs. */
export async function openReporter(
  args: readonly string[],
  options: AnalyzeOptions,
): Promise<Reporter> {
  const language = printedLanguage(options);
  const progress = await startProgress((signal) => countInputs(args, options, signal), language);
  const format = chooseFormat(options);
  const write = createWriter(format.head, progress);
  const began = performance.now();
  const writeLine = (summary: Summary) => summaryLine(summary, performance.now() - began, language);
  let summary = emptySummary;
  /** What was done, in whatever order: a run that is stopped has reported less. */
  let done = emptySummary;
  let deferredLine: (() => void) | null = null;
  return {
    failed: (input, failure) => {
      const told = writeFailure(failure, language);
      const line = () => printFileFailure(input.label, failure, { ...options, told });
      if (isShownInTable(options)) deferredLine = line;
      else progress.around(line);
    },
    examined: (record) => {
      progress.add(record);
      if (!isCutOff(record)) done = withRecord(done, record);
    },
    report: async (record) => {
      summary = withRecord(summary, record);
      await write(format.add(record));
    },
    finish: async () => {
      progress.end();
      // It was the only one: there is no table.
      if (summary.total === 1) deferredLine?.();
      await write(format.end(summary));
      // One picture has had its card or its line: there is nothing to sum up.
      if (summary.total >= 2) logSummary(summary, options, writeLine(summary));
      return summary;
    },
    stopped: async ({ code }) => {
      progress.end();
      if (isForPeople(options) && summary.total > 0) await write(format.end(summary));
      // A disk that is full before the first picture is done has its own line.
      if (done.total === 0 && code !== 'cancelled') return;
      const words = wordsIn(language).terminal.summary;
      const told = done.total === 0 ? words.noneExamined : writeLine(done);
      logSummary(done, options, `${words.stopped} ${told}`);
    },
    close: () => progress.end(),
  };
}

/** It came to no end of its own: the run was stopped, or could not go on. */
function isCutOff({ error }: AnalysisRecord): boolean {
  return error !== null && (error.code === 'cancelled' || concernsWholeRun(error));
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

function logSummary({ total, counts }: Summary, options: AnalyzeOptions, line: string): void {
  for (const part of wrapAnsi(line, lineWidth(process.stderr)).split('\n')) log(part);
  const { out } = options;
  const { results } = wordsIn(printedLanguage(options)).terminal.summary;
  if (out !== null && total > counts.failed) log(results(out));
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

/** `5 pictures: 2 without a sign, 1 with signs, 2 failed; 3.2 s, 1.6 a second` */
export function summaryLine(
  { total, counts }: Summary,
  elapsedMs: number,
  language: Language,
): string {
  const words = wordsIn(language).terminal.summary;
  const ends = summaryOrder
    .filter((end) => counts[end] > 0)
    .map((end) => `${counts[end]} ${words.counts[end]}`)
    .join(', ');
  const rate = total > 1 ? `, ${speedText(total, elapsedMs, language)}` : '';
  const duration = durationText(elapsedMs, language);
  return `${words.pictures(total)}${ends === '' ? '' : `: ${ends}`}; ${duration}${rate}`;
}

const summaryOrder = ['real', 'fake', 'abstain', 'uncertain', 'failed'] as const;

function durationText(ms: number, language: Language): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 60_000) return `${createNumberWriter(language).fixed(ms / 1000, 1)} s`;
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
