/**
 * Processes many items in parallel and in order, with a progress line, until a signal stops it, and sums up the outcomes.
 * An item is read only when a worker is free, so that a million items need no more memory than a few.
 */

import type { Language, ResultClass } from '../../contract/vocabulary.ts';
import {
  type ErrorCode,
  type ExitCode,
  exitCodes,
  failures,
  ForensicsError,
} from '../../contract/errors.ts';
import type { OtherKind } from '../../image/file-kind.ts';
import { createNumberWriter, wordsIn } from '../../present/wording/catalogue.ts';
import { type FailOn, failOns } from '../options.ts';
import { canAnimate, printable, startSpinner, switches } from '../output/terminal.ts';
import type { Skipped } from './inputs.ts';
import { type ProgressState, progressText, speedText } from './card.ts';
import type { AnalysisRecord } from './record.ts';

/** How many results may wait for an earlier one: a large picture must not block others, nor results fill the memory. */
const maxWaiting = 16;

/**
 * @param how.width - how many items are processed at once.
 * @param how.signal - once aborted, no further work starts; the source of the items has to end as well.
 * @param work - must not reject: a failure counts as a result. An error from `items` ends the batch.
 */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  { width, signal }: { readonly width: number; readonly signal: AbortSignal },
  work: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R> {
  const source = (async function* lazily() {
    yield* items;
  })();
  const slots: ReturnType<typeof take>[] = [];
  let next = 0;
  let running = 0;
  let isOver = false;

  /** Returns null after the last item, or when the run is to end. */
  async function take(): Promise<{ readonly answer: R } | null> {
    // The generator serves concurrent calls one after another, in the order of the slots.
    const taken = await source.next();
    if (taken.done === true || signal.aborted) {
      isOver = true;
      return null;
    }
    return { answer: await work(taken.value, next++) };
  }

  function fill(): void {
    while (!isOver && !signal.aborted && running < width && slots.length < width + maxWaiting) {
      running++;
      const slot = take().finally(() => {
        running--;
        fill();
      });
      // Also handled here: a slot that rejects while an earlier one is awaited would otherwise end the program.
      void Promise.allSettled([slot]);
      slots.push(slot);
    }
  }

  try {
    for (fill(); slots.length > 0; fill()) {
      // oxlint-disable-next-line no-await-in-loop -- keeps the items in order
      const done = await slots.shift();
      if (!done) return;
      yield done.answer;
    }
  } finally {
    // A caller that stops early still waits for the work in progress.
    isOver = true;
    await Promise.allSettled(slots);
    await source.return(undefined);
  }
}

export type Stop = ReturnType<typeof listenForStop>;

/** Failures that would affect every picture in a run; the first one ends the run. */
export function concernsWholeRun({ code }: Pick<ForensicsError, 'code'>): boolean {
  return wholeRunCodes.has(code);
}

const wholeRunCodes: ReadonlySet<ErrorCode> = new Set([
  'model_not_found',
  'model_integrity',
  'runtime_missing',
  'no_space_left',
  // These failures come from a server.
  'unauthenticated',
  'forbidden',
  'tenant_not_found',
  'server_unreachable',
  'server_untrusted',
]);

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C and SIGTERM end a run cleanly: first the child processes, then temporary files, then the program itself. */
export function listenForStop() {
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  let received: NodeJS.Signals | null = null;
  // Keeps listening until released, because the spinner package ends the program at once if it is the only listener.
  const onSignal = (name: NodeJS.Signals) => {
    // A second signal does not wait for the clean-up, but a terminal that closes may send SIGHUP twice.
    if (received !== null) return name === 'SIGHUP' ? undefined : endBy(name);
    received = name;
    controller.abort(new ForensicsError('cancelled', 'Stopped.'));
  };
  signals.forEach((name) => process.on(name, onSignal));
  return {
    signal,
    /** Ends the run without an operating system signal. */
    because: (failure: ForensicsError) => controller.abort(failure),
    /** @throws {ForensicsError} the reason for the stop, if the run was stopped. */
    throwIfStopped: () => signal.throwIfAborted(),
    /** Stops listening. After a signal, it ends the program with that signal, so that the shell sees the real reason. */
    release: () => {
      signals.forEach((name) => process.off(name, onSignal));
      if (received) endBy(received);
    },
  };
}

/** Ends the process at once. A listener still attached could set an exit code before the signal took effect. */
function endBy(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

// The progress line on stderr, redrawn on a terminal only.

export interface Progress {
  more(count: number): void;
  add(outcome: { readonly error: unknown }): void;
  /** Clears the line while `write` prints something above it. */
  around(write: () => void): void;
  end(): void;
}

const ignore = () => undefined;

/** Shows nothing with `--quiet`, or off a terminal. @param total - or a function that counts during the run. */
export async function startProgress(
  total: number | ((signal: AbortSignal) => Promise<number>),
  language: Language,
): Promise<Progress> {
  if (switches().quiet || !canAnimate(process.stderr)) {
    return { more: ignore, add: ignore, around: (write) => write(), end: ignore };
  }
  const known = typeof total === 'number' ? total : null;
  const state: ProgressState = { total: known, done: 0, failed: 0 };
  let added = 0;
  const began = performance.now();
  const text = () => progressText(state, performance.now() - began, language);
  const spinner = await startSpinner(text());
  const ended = new AbortController();
  if (typeof total === 'function') {
    const setTotal = (count: number | null) => {
      state.total = count === null ? null : count + added;
      spinner.text = text();
    };
    // The run meets the same error as the count, and reports it.
    void total(ended.signal).then(setTotal, () => setTotal(null));
  }
  return {
    more: (count) => {
      added += count;
      if (state.total !== null) state.total += count;
    },
    add: ({ error }) => {
      state.done++;
      if (error) state.failed++;
      spinner.text = text();
    },
    around: (write) => {
      spinner.clear();
      write();
      if (spinner.isSpinning) spinner.render();
    },
    end: () => {
      ended.abort();
      spinner.stop();
    },
  };
}

// The outcomes of a run as a whole, and its exit code.

/** How many files had each outcome. A run keeps nothing else of its reports in memory. */
export interface Summary {
  /** Number of pictures, including failed ones. */
  readonly total: number;
  readonly counts: Readonly<Record<ResultClass | 'failed', number>>;
  readonly firstError: ErrorCode | null;
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
  const rate =
    total > Math.max(1, counts.failed) ? `, ${speedText(total, elapsedMs, language)}` : '';
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

/** An unexamined file takes precedence over every verdict, because the batch was not fully checked. */
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
