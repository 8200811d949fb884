/** A run as a whole: the text of its progress line, the summary at its end, and its exit code. */

import type { Language, ResultClass } from '../../contract/vocabulary.ts';
import { type ErrorCode, type ExitCode, exitCodes, failures } from '../../errors.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { type FailOn, failOns } from './options.ts';
import type { AnalysisRecord } from './record.ts';

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

export interface ProgressState {
  /** Null until they are counted. */
  total: number | null;
  done: number;
  failed: number;
}

/** `[====      ] 10/40, 1 failed, 2.1 a second, about 20 s left` */
export function progressText(
  { total, done, failed }: Readonly<ProgressState>,
  elapsedMs: number,
  language: Language,
): string {
  const { progress } = wordsIn(language).terminal;
  if (total === 1) return progress.one;
  const failedText = failed > 0 ? `, ${progress.failed(failed)}` : '';
  if (total === null) return `${progress.examined(done)}${failedText}`;
  const rate = done > 0 && elapsedMs >= 2000 ? `, ${speedText(done, elapsedMs, language)}` : '';
  const left = timeLeft(done / total, elapsedMs, language);
  const leftText = left === '' ? '' : `, ${progress.left(left)}`;
  return `${progressBar(done, total)} ${done}/${total}${failedText}${rate}${leftText}`;
}

const barCells = 20;

function progressBar(done: number, total: number): string {
  // Files may have been added since they were counted.
  const filled = Math.min(barCells, Math.floor((done / total) * barCells));
  return `[${'='.repeat(filled).padEnd(barCells)}]`;
}

const rateUnits = [
  [1, 'second'],
  [60, 'minute'],
  [3600, 'hour'],
] as const;

/** In the shortest unit that gives at least 0.1: `2.1 a second`. */
function speedText(done: number, elapsedMs: number, language: Language): string {
  const perSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const [seconds, unit] = rateUnits.find(([each]) => perSecond * each >= 0.1) ?? rateUnits[2];
  const { fixed } = createNumberWriter(language);
  return `${fixed(perSecond * seconds, 1)} ${wordsIn(language).terminal.summary.rates[unit]}`;
}

/** `12 min`: a rough estimate; empty at the beginning, and below 10 s. */
function timeLeft(shareDone: number, elapsedMs: number, language: Language): string {
  if (shareDone === 0 || elapsedMs < 5000) return '';
  const seconds = ((elapsedMs / 1000) * (1 - shareDone)) / shareDone;
  if (seconds < 10) return '';
  if (seconds < 90) return `${Math.round(seconds / 10) * 10} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${createNumberWriter(language).fixed(minutes / 60, 1)} h`;
}
