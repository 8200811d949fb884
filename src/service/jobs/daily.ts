/**
 * What has to be done once a day, by whichever process comes first: when each was last begun stands in the database, so
 * a restart repeats nothing and a second process does nothing twice. A chore that a crash cuts short is done the next
 * day: chores clean up, nothing waits for them.
 */

import { eq } from 'drizzle-orm';
import { type Db, transact } from '../../ports/db/database.ts';
import { settings } from '../../ports/db/schema.ts';
import { createLoop } from './poll-loop.ts';

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
}: {
  readonly db: Db;
  readonly now: () => Date;
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
        if (stopping.signal.aborted || !(await take(name))) continue;
        await run(stopping.signal);
      } catch (error) {
        onError(error);
        await postpone(name);
      }
    }
    return null;
  }

  /** True for the one process that has it to do today. */
  async function take(name: string): Promise<boolean> {
    return transact(db, async (tx) => {
      const key = choreKey(name);
      const row = await tx.select().from(settings).where(eq(settings.key, key)).get();
      const ageMs = now().getTime() - Date.parse(row?.value ?? '');
      // A time in the future was written by a clock that was wrong.
      if (ageMs >= 0 && ageMs < dayMs) return false;
      const value = now().toISOString();
      const write = tx.insert(settings).values({ key, value });
      await write.onConflictDoUpdate({ target: settings.key, set: { value } }).run();
      return true;
    });
  }

  async function postpone(name: string): Promise<void> {
    const value = new Date(now().getTime() - dayMs + hourMs).toISOString();
    try {
      await db
        .update(settings)
        .set({ value })
        .where(eq(settings.key, choreKey(name)))
        .run();
    } catch (error) {
      onError(error);
    }
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

function choreKey(name: string): string {
  return `chore/${name}`;
}
