/** How far a run is, on stderr, and only where somebody watches. */

import { switches } from '../output/print.ts';
import { canAnimate, startSpinner } from '../output/terminal.ts';
import { rateOf } from './summary.ts';

export interface Progress {
  add(outcome: { readonly error: unknown }): void;
  /** Clears the line while `write` prints something above it. */
  around(write: () => void): void;
  end(): void;
}

const barCells = 20;

/** A count, a way to come to one beside the run, or null where there is no end. */
type Total = number | ((signal: AbortSignal) => Promise<number>) | null;

/** Shows nothing with `--quiet`, and where nobody watches. */
export async function startProgress(total: Total): Promise<Progress> {
  if (switches().quiet || !canAnimate(process.stderr)) {
    return { add: () => undefined, around: (write) => write(), end: () => undefined };
  }
  const state: State = { total: null, done: 0, failed: 0 };
  const began = performance.now();
  const text = () => progressText(state, performance.now() - began);
  const spinner = await startSpinner(text());
  const know = (count: number | null) => {
    state.total = count;
    spinner.text = text();
  };
  const ended = new AbortController();
  // What keeps the count from its end meets the run as well, which tells it.
  if (typeof total === 'function') void total(ended.signal).then(know, () => know(null));
  else know(total);
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
  total: number | null;
  done: number;
  failed: number;
}

/** `[====      ] 10/40, 1 failed, 2.1 a second, about 20 s left` */
export function progressText({ total, done, failed }: Readonly<State>, elapsedMs: number): string {
  if (total === 1) return 'Examining';
  const failures = failed > 0 ? `, ${failed} failed` : '';
  // In a folder that is watched the time is mostly spent waiting: there is no rate to tell.
  if (total === null) return `${done} examined${failures}`;
  const rate = done > 0 && elapsedMs >= 2000 ? `, ${rateOf(done, elapsedMs)}` : '';
  return `${barOf(done, total)} ${done}/${total}${failures}${rate}${timeLeft(done / total, elapsedMs)}`;
}

function barOf(done: number, total: number): string {
  // More than were counted: files came while the run went on.
  const filled = Math.min(barCells, Math.floor((done / total) * barCells));
  return `[${'='.repeat(filled).padEnd(barCells)}]`;
}

/** `, about 12 min left`: as precise as an estimate is; empty before there is one, and where it is no news. */
export function timeLeft(shareDone: number, elapsedMs: number): string {
  if (shareDone === 0 || elapsedMs < 5000) return '';
  const seconds = ((elapsedMs / 1000) * (1 - shareDone)) / shareDone;
  if (seconds < 10) return '';
  if (seconds < 90) return `, about ${Math.round(seconds / 10) * 10} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `, about ${minutes} min left`;
  return `, about ${(minutes / 60).toFixed(1)} h left`;
}
