/** A run as a whole: its progress line, its final summary and its exit code. */

import type { Language, ResultClass } from '../../contract/vocabulary.ts';
import { type ErrorCode, type ExitCode, exitCodes, failures } from '../../contract/errors.ts';
import type { OtherKind } from '../../image/file-kind.ts';
import { createNumberWriter, wordsIn } from '../../present/wording/catalogue.ts';
import { type FailOn, failOns } from '../options.ts';
import { printable } from '../output/terminal.ts';
import type { Skipped } from './inputs.ts';
import type { AnalysisRecord } from './record.ts';

/** How many files had each outcome. A run keeps nothing else of its reports in memory. */
export interface Summary {
  /** Number of pictures, including failed ones. */
  readonly total: number;
  readonly counts: Readonly<Record<ResultClass | 'failed', number>>;
  readonly firstError: ErrorCode | null;
  /** Other kinds of files found in folders. */
  readonly notPictures: Readonly<Partial<Record<OtherKind, number>>>;
  readonly skipped: {
    readonly count: number;
    readonly first: readonly {
      readonly file: string;
      readonly skipped: Exclude<Skipped, { readonly code: 'not_a_picture' }>;
    }[];
  };
}

export const emptySummary: Summary = {
  total: 0,
  counts: { real: 0, fake: 0, abstain: 0, uncertain: 0, failed: 0 },
  firstError: null,
  notPictures: {},
  skipped: { count: 0, first: [] },
};

/** Only this many are named; the others are counted. In CSV and JSON, each has a row of its own. */
const maxNamed = 10;

/** A picture that was only handed to a server has neither a verdict nor an error yet. */
export function withRecord(
  summary: Summary,
  { file, verdict, error, skipped }: Pick<AnalysisRecord, 'file' | 'verdict' | 'error' | 'skipped'>,
): Summary {
  const { total, counts, firstError, notPictures } = summary;
  if (skipped?.code === 'not_a_picture') {
    const { kind } = skipped;
    return { ...summary, notPictures: { ...notPictures, [kind]: (notPictures[kind] ?? 0) + 1 } };
  }
  if (skipped !== null) {
    const { count, first } = summary.skipped;
    const named = count < maxNamed ? [...first, { file, skipped }] : first;
    return { ...summary, skipped: { count: count + 1, first: named } };
  }
  const end = error === null ? verdict : 'failed';
  return {
    ...summary,
    total: total + 1,
    counts: end === null ? counts : { ...counts, [end]: counts[end] + 1 },
    firstError: firstError ?? error?.code ?? null,
  };
}

/** `5 pictures: 2 without signs, 1 with signs, 2 failed; 3.2 s, 1.6 a second` */
export function summaryLine(summary: Summary, elapsedMs: number, language: Language): string {
  const { total, counts } = summary;
  const words = wordsIn(language).terminal.summary;
  const ends = (['real', 'fake', 'abstain', 'uncertain', 'failed'] as const)
    .filter((end) => counts[end] > 0)
    .map((end) => `${counts[end]} ${words.counts[end]}`)
    .join(', ');
  const rate = total > 1 ? `, ${speedText(total, elapsedMs, language)}` : '';
  const duration = durationText(elapsedMs, language);
  return `${words.pictures(total)}${ends === '' ? '' : `: ${ends}`}; ${duration}${rate}`;
}

/** `Not pictures: 2 text files, 1 video.` and `Left out: .git (hidden).`, each only if there are any. */
export function leftOutLines({ notPictures, skipped }: Summary, language: Language): string[] {
  const words = wordsIn(language).terminal.summary;
  const wordsOfKinds: Readonly<Partial<Record<string, (count: number) => string>>> = words.kinds;
  const kinds = Object.entries(notPictures).map(([kind, count]) =>
    (wordsOfKinds[kind] ?? words.kinds.unknown)(count),
  );
  const names = skipped.first.map(({ file, skipped: { code, ...of } }) => {
    const reason = words.skipped[code];
    const why = typeof reason === 'string' ? reason : reason('count' in of ? of.count : 0);
    return `${printable(file)} (${why})`;
  });
  const more = skipped.count - names.length;
  return [
    ...(kinds.length === 0 ? [] : [words.notPictures(kinds.join(', '))]),
    ...(names.length === 0 ? [] : [words.leftOut(names.join(', '), more)]),
  ];
}

function durationText(ms: number, language: Language): string {
  if (ms < 60_000) return `${createNumberWriter(language).fixed(ms / 1000, 1)} s`;
  const seconds = Math.round(ms / 1000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
}

/**
 * A file that was not examined takes precedence over every verdict, because the batch was not fully
 * checked. Then come fake, uncertain and abstain, each only if requested.
 */
export function exitCodeOf(
  { total, counts, firstError, notPictures, skipped }: Summary,
  failOn: readonly FailOn[],
): ExitCode {
  const others = Object.values(notPictures).reduce((sum, count) => sum + count, 0);
  const ends = { ...counts, unexamined: counts.failed + others + skipped.count };
  if (failOn.includes('unexamined') && ends.unexamined > 0) return exitCodes.foundUnexamined;
  if (firstError !== null) return total === 1 ? failures[firstError].exit : exitCodes.failure;
  const found = failOns.find((end) => failOn.includes(end) && ends[end] > 0);
  return found === undefined ? exitCodes.done : exitCodesOfEnds[found];
}

const exitCodesOfEnds: Record<FailOn, ExitCode> = {
  unexamined: exitCodes.foundUnexamined,
  fake: exitCodes.foundFake,
  uncertain: exitCodes.foundUncertain,
  abstain: exitCodes.foundAbstain,
};

export interface ProgressState {
  /** Null until they have been counted. */
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
  // Files may have been added since they were counted.
  const filled = Math.min(barCells, Math.floor((done / total) * barCells));
  const bar = '='.repeat(filled).padEnd(barCells);
  return `[${bar}] ${done}/${total}${failedText}${rate}${leftText}`;
}

const barCells = 20;

const rateUnits = [
  [1, 'second'],
  [60, 'minute'],
  [3600, 'hour'],
] as const;

/** Uses the shortest unit in which the speed is at least 0.1: `2.1 a second`. */
function speedText(done: number, elapsedMs: number, language: Language): string {
  const perSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const [seconds, unit] = rateUnits.find(([each]) => perSecond * each >= 0.1) ?? rateUnits[2];
  const { fixed } = createNumberWriter(language);
  return `${fixed(perSecond * seconds, 1)} ${wordsIn(language).terminal.summary.rates[unit]}`;
}

/** A rough estimate such as `12 min`; empty at the beginning, and below 10 s. */
function timeLeft(shareDone: number, elapsedMs: number, language: Language): string {
  if (shareDone === 0 || elapsedMs < 5000) return '';
  const seconds = ((elapsedMs / 1000) * (1 - shareDone)) / shareDone;
  if (seconds < 10) return '';
  if (seconds < 90) return `${Math.round(seconds / 10) * 10} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${createNumberWriter(language).fixed(minutes / 60, 1)} h`;
}
