/**
 * A loop that sleeps until something is due: woken at once from inside the process, and at the latest after `pollMs` to see
 * what other processes did. One turn at a time.
 */

interface Loop {
  start(): void;
  /** Has a turn soon; calls that come together make one turn. */
  wake(): void;
  /** Ends after the present turn. */
  stop(): void;
}

/**
 * @param turn - takes up what is due without waiting for it; returns when the next thing is due, null for nothing.
 * @param onError - a turn that throws is reported here and tried again after `pollMs`.
 */
export function createLoop({
  turn,
  now,
  pollMs,
  onError,
}: {
  readonly turn: () => Date | null;
  readonly now: () => Date;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}): Loop {
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;

  const sleep = (ms: number) => {
    clearTimeout(timer);
    if (isRunning) timer = setTimeout(haveTurn, ms);
  };

  function haveTurn(): void {
    try {
      const dueAt = turn();
      const ms = dueAt === null ? pollMs : dueAt.getTime() - now().getTime();
      sleep(Math.min(pollMs, Math.max(0, ms)));
    } catch (error) {
      onError(error);
      sleep(pollMs);
    }
  }

  return {
    start() {
      isRunning = true;
      sleep(0);
    },
    wake: () => sleep(0),
    stop() {
      isRunning = false;
      clearTimeout(timer);
    },
  };
}
