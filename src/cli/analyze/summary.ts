/** One line at the end of a run of several pictures, for the person who started it. */

import type { ResultClass } from '../../contract/vocabulary.ts';
import { type ErrorCode, type ExitCode, exitCodes, failures } from '../../errors.ts';
import { type FailOn, failOns } from './options.ts';
import type { AnalysisRecord } from './record.ts';

/** `5 pictures: 2 real, 1 fake, 2 failed; 3.2 s, 1.6 a second` */
export function summaryOf({ total, counts }: Tally, elapsedMs: number): string {
  const pictures = `${total} ${total === 1 ? 'picture' : 'pictures'}`;
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  const ends = told.map(([word, count]) => `${count} ${word}`).join(', ');
  const rate = total > 1 ? `, ${rateOf(total, elapsedMs)}` : '';
  return `${pictures}${ends === '' ? '' : `: ${ends}`}; ${spanOf(elapsedMs)}${rate}`;
}

const rateUnits = [
  [1, 'a second'],
  [60, 'a minute'],
  [3600, 'an hour'],
] as const;

/** In the shortest unit that leaves a figure in front of nought. */
export function rateOf(done: number, elapsedMs: number): string {
  const aSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const [seconds, words] = rateUnits.find(([each]) => aSecond * each >= 0.1) ?? rateUnits[2];
  return `${(aSecond * seconds).toFixed(1)} ${words}`;
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
}

// How many pictures came to each end: all that a run keeps of the pictures it has told of.

export interface Tally {
  readonly total: number;
  readonly counts: Readonly<Record<ResultClass | 'failed', number>>;
  readonly firstError: ErrorCode | null;
}

export const emptyTally: Tally = {
  total: 0,
  counts: { real: 0, fake: 0, abstain: 0, uncertain: 0, failed: 0 },
  firstError: null,
};

/** A picture that was only handed to a server has neither a verdict nor an error yet. */
export function withRecord(
  { total, counts, firstError }: Tally,
  { verdict, error }: Pick<AnalysisRecord, 'verdict' | 'error'>,
): Tally {
  const end = error === null ? verdict : 'failed';
  return {
    total: total + 1,
    counts: end === null ? counts : { ...counts, [end]: counts[end] + 1 },
    firstError: firstError ?? error?.code ?? null,
  };
}

const exitOf: Record<FailOn, ExitCode> = {
  fake: exitCodes.foundFake,
  uncertain: exitCodes.foundUncertain,
  abstain: exitCodes.foundAbstain,
};

/**
 * How a run ends. A failure outweighs every verdict: a batch with an unread picture was not checked. Then fake,
 * uncertain, abstain, each only when asked for.
 */
export function exitCodeOf(
  { total, counts, firstError }: Tally,
  failOn: readonly FailOn[],
): ExitCode {
  if (firstError !== null) return total === 1 ? failures[firstError].exit : exitCodes.failure;
  const found = failOns.find((verdict) => failOn.includes(verdict) && counts[verdict] > 0);
  return found === undefined ? exitCodes.done : exitOf[found];
}
