/**
 * A loop that sleeps until something is due: woken at once by news, and at the latest after `pollMs` to see what other
 * processes did. One turn at a time.
 */

interface Loop {
  start(): void;
  /** Has a turn soon; calls that come together make one turn. */
  wake(): void;
  /** Has a turn now, after the one that is under way; rejects when it does. */
  run(): Promise<Date | null>;
  /** Resolves when the present turn has ended. */
  stop(): Promise<void>;
}

/**
 * @param turn - takes up what is due without waiting for it; resolves to when the next thing is due, null for nothing.
 * @param onError - a turn that rejects is reported here and tried again after `pollMs`.
 */
export function createLoop({
  turn,
  now,
  pollMs,
  onError,
}: {
  readonly turn: () => Promise<Date | null>;
  readonly now: () => Date;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}): Loop {
  let isRunning = false;
  let isTurning = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<unknown> = Promise.resolve();

  const run = () => {
    const next = present.then(turn);
    present = next.catch(() => undefined);
    return next;
  };

  const sleep = (ms: number) => {
    clearTimeout(timer);
    if (isRunning) timer = setTimeout(() => void haveTurn(), ms);
  };

  async function haveTurn(): Promise<void> {
    isTurning = true;
    isWoken = false;
    let ms = pollMs;
    try {
      const dueAt = await run();
      if (dueAt !== null) ms = dueAt.getTime() - now().getTime();
    } catch (error) {
      onError(error);
    }
    isTurning = false;
    sleep(isWoken ? 0 : Math.min(pollMs, Math.max(0, ms)));
  }

  return {
    start() {
      isRunning = true;
      sleep(0);
    },
    wake() {
      isWoken = true;
      if (!isTurning) sleep(0);
    },
    run,
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await present;
    },
  };
}
