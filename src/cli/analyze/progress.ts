/** How far a run is, on stderr, and only where somebody watches. */

import type { AnalysisRecord } from './record.ts';

export interface Progress {
  add(record: AnalysisRecord): void;
  /** Clears the line while `write` prints something above it. */
  around(write: () => void): void;
  end(): void;
}

const barCells = 20;

export async function startProgress(total: number, isWanted: boolean): Promise<Progress> {
  if (!isWanted || !process.stderr.isTTY) {
    return { add: () => undefined, around: (write) => write(), end: () => undefined };
  }
  const { default: ora } = await import('ora');
  let done = 0;
  let failed = 0;
  const text = () => (total === 1 ? 'Examining' : barOf(done, total, failed));
  // Without discarding: Ctrl-C has to stay a signal, and `-` has to be able to read standard input.
  const spinner = ora({ text: text(), stream: process.stderr, discardStdin: false }).start();
  return {
    add: (record) => {
      done++;
      if (record.error) failed++;
      spinner.text = text();
    },
    around: (write) => {
      spinner.clear();
      write();
      spinner.render();
    },
    end: () => void spinner.stop(),
  };
}

export function barOf(done: number, total: number, failed: number): string {
  const filled = Math.floor((done / total) * barCells);
  const bar = '='.repeat(filled).padEnd(barCells);
  return `[${bar}] ${done}/${total}${failed > 0 ? `, ${failed} failed` : ''}`;
}
