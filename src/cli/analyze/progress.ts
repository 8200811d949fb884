/** How far a run is: a line on stderr that is drawn again, only on a terminal. */

import type { Language } from '../../contract/vocabulary.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { canAnimate, startSpinner, switches } from '../output/terminal.ts';

export interface Progress {
  add(outcome: { readonly error: unknown }): void;
  /** Clears the line while `write` prints something above it. */
  around(write: () => void): void;
  end(): void;
}

/** How many there are, or a way to count them beside the run. */
type Total = number | ((signal: AbortSignal) => Promise<number>);

/** Shows nothing with `--quiet`, and where stderr is no terminal. */
export async function startProgress(total: Total, language: Language): Promise<Progress> {
  if (switches().quiet || !canAnimate(process.stderr)) {
    return { add: () => undefined, around: (write) => write(), end: () => undefined };
  }
  const state: State = { total: typeof total === 'number' ? total : null, done: 0, failed: 0 };
  const began = performance.now();
  const text = () => progressText(state, performance.now() - began, language);
  const spinner = await startSpinner(text());
  const ended = new AbortController();
  if (typeof total === 'function') {
    const setTotal = (count: number | null) => {
      state.total = count;
      spinner.text = text();
    };
    // What keeps the count from its end meets the run as well, which reports it.
    void total(ended.signal).then(setTotal, () => setTotal(null));
  }
  return {
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

interface State {
  /** Null until they are counted. */
  total: number | null;
  done: number;
  failed: number;
}

/** `[====      ] 10/40, 1 failed, 2.1 a second, about 20 s left` */
export function progressText(
  { total, done, failed }: Readonly<State>,
  elapsedMs: number,
  language: Language,
): string {
  const { progress } = wordsIn(language).terminal;
  if (total === 1) return progress.one;
  const failures = failed > 0 ? `, ${progress.failed(failed)}` : '';
  if (total === null) return `${progress.examined(done)}${failures}`;
  const rate = done > 0 && elapsedMs >= 2000 ? `, ${rateOf(done, elapsedMs, language)}` : '';
  const left = timeLeft(done / total, elapsedMs, language);
  const leftText = left === '' ? '' : `, ${progress.left(left)}`;
  return `${barOf(done, total)} ${done}/${total}${failures}${rate}${leftText}`;
}

const barCells = 20;

function barOf(done: number, total: number): string {
  // More than were counted: files came while the run went on.
  const filled = Math.min(barCells, Math.floor((done / total) * barCells));
  return `[${'='.repeat(filled).padEnd(barCells)}]`;
}

const rateUnits = [
  [1, 'second'],
  [60, 'minute'],
  [3600, 'hour'],
] as const;

/** In the shortest unit that leaves a figure in front of nought: `2.1 a second`. */
export function rateOf(done: number, elapsedMs: number, language: Language): string {
  const perSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const [seconds, unit] = rateUnits.find(([each]) => perSecond * each >= 0.1) ?? rateUnits[2];
  const { fixed } = createNumberWriter(language);
  return `${fixed(perSecond * seconds, 1)} ${wordsIn(language).terminal.summary.rates[unit]}`;
}

/** `12 min`: as precise as an estimate is; empty before there is one, and for less than 10 s. */
export function timeLeft(shareDone: number, elapsedMs: number, language: Language): string {
  if (shareDone === 0 || elapsedMs < 5000) return '';
  const seconds = ((elapsedMs / 1000) * (1 - shareDone)) / shareDone;
  if (seconds < 10) return '';
  if (seconds < 90) return `${Math.round(seconds / 10) * 10} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${createNumberWriter(language).fixed(minutes / 60, 1)} h`;
}
