/**
 * A loop that sleeps until something is due: woken at once by news, and at the latest after `pollMs` to see what other
 * processes did. One turn at a time; the tasks that a turn takes up go on after it, and the end of each wakes the loop.
 */

interface Loop<T> extends Tasks<T> {
  start(): void;
  /** Has a turn soon; calls that come together make one turn. */
  wake(): void;
  /** Has a turn now, after the one that is under way; rejects when it does. */
  run(): Promise<Date | null>;
  /** Has turns until nothing is due and no task runs. */
  drain(): Promise<void>;
  /** Resolves when the present turn has ended. Its tasks go on. */
  stop(): Promise<void>;
}

interface Tasks<T> {
  /** @param work - never rejects. @param about - what `inHand` shows of it. */
  takeOn(work: Promise<void>, about: T): void;
  inHand(): readonly T[];
  /** Resolves when all that are in hand now have ended. */
  settled(): Promise<void>;
}

/**
 * @param turn - takes up what is due without waiting for it; resolves to when the next thing is due, null for nothing.
 * @param onError - a turn that rejects is reported here and tried again after `pollMs`.
 */
export function createLoop<T = never>({
  turn,
  now,
  pollMs,
  onError,
}: {
  readonly turn: () => Promise<Date | null>;
  readonly now: () => Date;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}): Loop<T> {
  let isRunning = false;
  let isTurning = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<unknown> = Promise.resolve();

  const run = () => {
    const mine = present.then(turn);
    present = mine.catch(() => undefined);
    return mine;
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

  function wake(): void {
    isWoken = true;
    if (!isTurning) sleep(0);
  }

  const { ended, next, ...tasks } = createTasks<T>(wake);
  return {
    ...tasks,
    start() {
      isRunning = true;
      sleep(0);
    },
    wake,
    run,
    async drain() {
      for (;;) {
        const endedBefore = ended();
        await run();
        if (tasks.inHand().length > 0) await next();
        // What ended during the turn may have made room that the turn did not see.
        else if (ended() === endedBefore) return;
      }
    },
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await present;
    },
  };
}

function createTasks<T>(onEnd: () => void) {
  const running = new Map<Promise<void>, T>();
  let count = 0;
  return {
    takeOn(work: Promise<void>, about: T): void {
      const done = work.finally(() => {
        running.delete(done);
        count++;
        onEnd();
      });
      running.set(done, about);
    },
    inHand: (): readonly T[] => [...running.values()],
    async settled(): Promise<void> {
      await Promise.all(running.keys());
    },
    /** Resolves with the first that ends. */
    next: (): Promise<void> => Promise.race(running.keys()),
    /** How many have ended. */
    ended: (): number => count,
  };
}
