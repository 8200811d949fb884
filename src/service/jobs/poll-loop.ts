/**
 * A loop that sleeps until something is due. A notification wakes it at once; otherwise it looks every `pollMs` for the
 * work of other processes. Turns run one at a time; tasks started in a turn continue after it, and each wakes the loop
 * when it ends.
 */

import { eq } from 'drizzle-orm';
import { type Clocked, type Db, transact } from '../../ports/db/database.ts';
import { settings } from '../../ports/db/schema.ts';

/**
 * @param turn - starts what is due without waiting for it; resolves to the time when the next item is due, or null.
 * @param onError - receives the error of a turn that rejects; the turn is repeated after `pollMs`.
 */
export function createLoop<T = never>({ turn, now, pollMs, onError }: LoopParts) {
  let isRunning = false;
  let isTurning = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<unknown> = Promise.resolve();

  /** Runs a turn after the one in progress; rejects when that turn fails. */
  const run = (): Promise<Date | null> => {
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

  /** Schedules a turn soon; calls close together share one turn. */
  function wake(): void {
    isWoken = true;
    if (!isTurning) sleep(0);
  }

  const { drainWith, ...tasks } = createTasks<T>(wake);
  return {
    ...tasks,
    start() {
      isRunning = true;
      sleep(0);
    },
    wake,
    run,
    /** Runs turns until nothing is due and no task is running. */
    drain: () => drainWith(run),
    /** Resolves when the current turn has ended. Its tasks continue. */
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await present;
    },
  };
}

interface LoopParts {
  readonly turn: () => Promise<Date | null>;
  readonly now: () => Date;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

function createTasks<T>(onEnd: () => void) {
  const running = new Map<Promise<void>, T>();
  let ended = 0;
  return {
    /** @param work - must never reject. @param about - what `inHand` returns for it. */
    takeOn(work: Promise<void>, about: T): void {
      const done = work.finally(() => {
        running.delete(done);
        ended++;
        onEnd();
      });
      running.set(done, about);
    },
    inHand: (): readonly T[] => [...running.values()],
    /** Resolves when all tasks now running have ended. */
    async settled(): Promise<void> {
      await Promise.all(running.keys());
    },
    drainWith: async (turn: () => Promise<unknown>): Promise<void> => {
      for (;;) {
        const endedBefore = ended;
        await turn();
        if (running.size > 0) await Promise.race(running.keys());
        // A task that ended during the turn may have freed a slot that the turn did not see.
        else if (ended === endedBefore) return;
      }
    },
  };
}

// A daily chore, done by whichever process comes first. The database stores when each chore last began, so a restart
// repeats nothing and two processes never do the same one. A chore interrupted by a crash waits until the next day,
// because chores only clean up.

export interface Chore {
  /** Must stay the same: the database stores the last start under it. */
  readonly name: string;
  /** Must end soon after `signal` is aborted. */
  readonly run: (signal: AbortSignal) => void | Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** @param parts.onError - receives the error of a failed chore, which is retried after an hour. */
export function createChores(
  parts: Clocked &
    Pick<LoopParts, 'onError'> & { readonly chores: readonly Chore[]; readonly pollMs?: number },
) {
  const { db, now, chores, onError, pollMs = hourMs / 4 } = parts;
  const stopping = new AbortController();
  const loop = createLoop({ turn, now, pollMs, onError });

  async function turn(): Promise<null> {
    for (const { name, run } of chores) {
      try {
        if (stopping.signal.aborted || !(await takeChore(db, name, now()))) continue;
        await run(stopping.signal);
      } catch (error) {
        onError(error);
        // Due again in an hour.
        const value = new Date(now().getTime() - dayMs + hourMs).toISOString();
        const isIt = eq(settings.key, choreKey(name));
        await db.update(settings).set({ value }).where(isIt).run().catch(onError);
      }
    }
    return null;
  }

  return {
    start: () => loop.start(),
    async stop() {
      stopping.abort();
      await loop.stop();
    },
    /** Runs the chores that are due, one after another. */
    async drain() {
      await loop.run();
    },
  };
}

/** Returns true only in the process that is to do it today. */
async function takeChore(db: Db, name: string, at: Date): Promise<boolean> {
  return transact(db, async (tx) => {
    const key = choreKey(name);
    const row = await tx.select().from(settings).where(eq(settings.key, key)).get();
    const ageMs = at.getTime() - Date.parse(row?.value ?? '');
    // A time in the future was written when the clock was wrong.
    if (ageMs >= 0 && ageMs < dayMs) return false;
    const value = at.toISOString();
    const write = tx.insert(settings).values({ key, value });
    await write.onConflictDoUpdate({ target: settings.key, set: { value } }).run();
    return true;
  });
}

function choreKey(name: string): string {
  return `chore/${name}`;
}
