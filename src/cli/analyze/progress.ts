/** How far a run is, on stderr, and only where somebody watches. */

export interface Progress {
  add(outcome: { readonly error: unknown }): void;
  /** Clears the line while `write` prints something above it. */
  around(write: () => void): void;
  end(): void;
}

const barCells = 20;

export async function startProgress(total: number, isWanted: boolean): Promise<Progress> {
  // A terminal that says it has no columns (a bare pseudo-terminal) makes the spinner clear lines without end.
  if (!isWanted || !process.stderr.isTTY || !(process.stderr.columns > 0)) {
    return { add: () => undefined, around: (write) => write(), end: () => undefined };
  }
  const { default: ora } = await import('ora');
  let done = 0;
  let failed = 0;
  const began = performance.now();
  const text = () =>
    total === 1
      ? 'Examining'
      : barOf(done, total, failed) + timeLeft(done / total, performance.now() - began);
  // Without discarding: Ctrl-C has to stay a signal, and `-` has to be able to read standard input.
  const spinner = ora({ text: text(), stream: process.stderr, discardStdin: false }).start();
  return {
    add: ({ error }) => {
      done++;
      if (error) failed++;
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
