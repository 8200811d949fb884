/**
 * Repeats what may safely be done twice. Only the function that sends a request retries it; nobody above retries again,
 * so that attempts never multiply.
 */

import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';

/** A clock, and waiting by it: tests step it. */
export interface Pace {
  /** Milliseconds, from any beginning. */
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

interface RetryOptions {
  /** Milliseconds before the next attempt; null where another attempt does not help. `attempt` counts from 1. */
  readonly pauseAfter: (error: unknown, attempt: number) => number | null;
  /** No attempt begins later than this after the first. */
  readonly budgetMs?: number;
  /** Ends the waiting between attempts, never an attempt: the sender wants to know its outcome. */
  readonly signal?: AbortSignal | undefined;
  readonly pace?: Pace | undefined;
}

/** @throws what `act` threw last; the reason of `signal`. */
export async function retry<T>(
  act: () => Promise<T>,
  { pauseAfter, budgetMs = Infinity, signal, pace = realPace }: RetryOptions,
): Promise<T> {
  const begun = pace.now();
  return pRetry(act, {
    retries: Infinity,
    // The pause is ours: the library knows no Retry-After.
    minTimeout: 0,
    async shouldRetry({ error, attemptNumber }) {
      const pauseMs = pauseAfter(error, attemptNumber);
      if (pauseMs === null || pace.now() - begun + pauseMs > budgetMs) return false;
      await pace.wait(pauseMs, signal);
      return true;
    },
  });
}

/** Up to half of the pause is left to chance, so that many who failed together do not come back together. */
export function backoffMs(attempt: number, firstMs: number, factor: number): number {
  return firstMs * factor ** (attempt - 1) * (0.5 + Math.random() / 2);
}
