/**
 * A loop that sleeps until something is due: woken at once by news, and at the latest after `pollMs` to see what other
 * processes did. One turn at a time; the tasks that a turn takes up go on after it, and the end of each wakes the loop.
 */

import { eq } from 'drizzle-orm';
import { type Clocked, type Db, transact } from '../../ports/db/database.ts';
import { settings } from '../../ports/db/schema.ts';

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
export function createLoop<T = never>({ turn, now, pollMs, onError }: LoopParts): Loop<T> {
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
    drain: () => drainWith(run),
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
    takeOn(work: Promise<void>, about: T): void {
      const done = work.finally(() => {
        running.delete(done);
        ended++;
        onEnd();
      });
      running.set(done, about);
    },
    inHand: (): readonly T[] => [...running.values()],
    async settled(): Promise<void> {
      await Promise.all(running.keys());
    },
    drainWith: async (turn: () => Promise<unknown>): Promise<void> => {
      for (;;) {
        const endedBefore = ended;
        await turn();
        if (running.size > 0) await Promise.race(running.keys());
        // What ended during the turn may have made room that the turn did not see.
        else if (ended === endedBefore) return;
      }
    },
  };
}

// What has to be done once a day, by whichever process comes first: when each was last begun stands in the database, so
// a restart repeats nothing and a second process does nothing twice. A chore that a crash cuts short is done the next
// day: chores clean up, nothing waits for them.

export interface Chore {
  /** Stable: under it the database remembers when it was begun. */
  readonly name: string;
  /** Soon ends when `signal` is aborted. */
  readonly run: (signal: AbortSignal) => void | Promise<void>;
}

interface Chores {
  start(): void;
  stop(): Promise<void>;
  /** Does what is due, one after the other. */
  drain(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function createChores({
  db,
  now,
  chores,
  onError,
  pollMs = hourMs / 4,
}: Clocked & {
  readonly chores: readonly Chore[];
  /** Told about a chore that failed; it is tried again after an hour. */
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
}): Chores {
  const stopping = new AbortController();
  const loop = createLoop({ turn, now, pollMs, onError });

  async function turn(): Promise<null> {
    for (const { name, run } of chores) {
      try {
        if (stopping.signal.aborted || !(await takeChore(db, name, now()))) continue;
        await run(stopping.signal);
      } catch (error) {
        onError(error);
        // By an hour.
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
    async drain() {
      await loop.run();
    },
  };
}

/** True for the one process that has it to do today. */
async function takeChore(db: Db, name: string, at: Date): Promise<boolean> {
  return transact(db, async (tx) => {
    const key = choreKey(name);
    const row = await tx.select().from(settings).where(eq(settings.key, key)).get();
    const ageMs = at.getTime() - Date.parse(row?.value ?? '');
    // A time in the future was written by a clock that was wrong.
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
