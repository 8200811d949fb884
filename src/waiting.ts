/**
 * Waiting within this process: time limits, retries, and who waits for whom. Only the function that sends a request
 * retries it, and none of its callers do, so that attempts do not multiply.
 */

import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';

/** A clock, and a way of waiting that uses this clock; tests advance it. */
export interface Pace {
  /** Milliseconds, from any starting point. */
  now(): number;
  /** @throws the reason of `signal`. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realPace: Pace = {
  now: () => performance.now(),
  async wait(ms, signal) {
    await setTimeout(ms, null, signal === undefined ? {} : { signal }).catch(() => {
      throw signal?.reason;
    });
  },
};

/**
 * The result of `work`, or of `late` if it takes longer than `ms`. This ends the wait, not the work itself.
 *
 * @throws whatever `work` and `late` throw; the reason of `end`.
 */
export async function withinTime<T>(
  work: Promise<T>,
  ms: number,
  late: () => T,
  end?: AbortSignal,
): Promise<T> {
  const done = new AbortController();
  const signal = end === undefined ? done.signal : AbortSignal.any([done.signal, end]);
  const timer = setTimeout(ms, undefined, { signal }).then(late, () => {
    throw signal.reason;
  });
  try {
    return await Promise.race([work, timer]);
  } finally {
    done.abort();
  }
}

interface RetryOptions {
  /** Milliseconds before the next attempt; null if another attempt cannot help. `attempt` counts from 1. */
  readonly pauseAfter: (error: unknown, attempt: number) => number | null;
  /** No attempt starts later than this after the start of the first. */
  readonly budgetMs?: number;
  /** Ends the waits between attempts, but never an attempt, because the sender needs to know the outcome. */
  readonly signal?: AbortSignal | undefined;
  readonly pace?: Pace | undefined;
}

/** @throws the last error from `act` or, if `signal` ended the wait, its reason. */
export async function retry<T>(
  act: () => Promise<T>,
  { pauseAfter, budgetMs = Infinity, signal, pace = realPace }: RetryOptions,
): Promise<T> {
  const begun = pace.now();
  return pRetry(act, {
    retries: Infinity,
    // We determine the pauses ourselves, because the library does not know Retry-After.
    minTimeout: 0,
    async shouldRetry({ error, attemptNumber }) {
      const pauseMs = pauseAfter(error, attemptNumber);
      if (pauseMs === null || pace.now() - begun + pauseMs > budgetMs) return false;
      await pace.wait(pauseMs, signal);
      return true;
    },
  });
}

/** Up to half of the pause is random, so that clients that failed at the same moment do not all return at once. */
export function backoffMs(attempt: number, firstMs: number, factor: number): number {
  return firstMs * factor ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** Runs tasks with the same key one after another; tasks with different keys do not wait. */
export type Mutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(act);
    // The next task waits for this one to end, with or without success; only this task's own caller sees a failure.
    const ended = mine.catch(() => undefined);
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}

/** A queue in which names take turns, so that a thousand entries of one name delay any other by only one entry. */
export interface FairQueue<T> {
  add(name: string, entry: T): void;
  /** Removes and returns the next entry whose name `isAllowed` accepts; undefined if there is none. */
  next(isAllowed?: (name: string) => boolean): T | undefined;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** Entries by name, in the order in which names take their next turn; a name without entries is absent. */
  const queues = new Map<string, T[]>();
  return {
    add(name, entry) {
      const queue = queues.get(name);
      if (queue === undefined) queues.set(name, [entry]);
      else queue.push(entry);
    },
    next(isAllowed = () => true) {
      for (const [name, queue] of queues) {
        if (!isAllowed(name)) continue;
        const entry = queue.shift();
        queues.delete(name);
        if (queue.length > 0) queues.set(name, queue);
        return entry;
      }
      return undefined;
    },
  };
}
