/** When a request to a server is repeated: while the server is away or busy, for as long as somebody waits. */

import { ForensicsError } from '../errors.ts';
import { backoffMs, type Pace, retry } from '../retry.ts';

export interface RetryLimits {
  /** Asked after each failure. */
  readonly tries: () => number;
  /** Half a minute when left out. */
  readonly budgetMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: Pace | undefined;
}

const defaultBudgetMs = 30_000;
const firstPauseMs = 500;
const growth = 3;
const maxPauseMs = 5000;

/** @throws what `act` threw last; the reason of `signal`. */
export function withRetry<T>(
  act: () => Promise<T>,
  { tries, budgetMs = defaultBudgetMs, signal, pace }: RetryLimits,
): Promise<T> {
  return retry(act, {
    pauseAfter(error, attempt) {
      if (!(error instanceof ForensicsError) || !isAway(error) || attempt >= tries()) return null;
      // A name that nobody knows now is not known in a second either; in minutes it may be.
      if (isUnknownName(error) && budgetMs <= defaultBudgetMs) return null;
      const { retryAfterSeconds } = error;
      if (retryAfterSeconds !== null) return retryAfterSeconds * 1000;
      return Math.min(maxPauseMs, backoffMs(attempt, firstPauseMs, growth));
    },
    budgetMs,
    signal,
    pace,
  });
}

/** Whether the server was away or busy. What a health check found is its answer, and no such thing. */
function isAway({ code, canRetry, status }: ForensicsError): boolean {
  return code !== 'unhealthy' && canRetry && (status === 429 || status === 503);
}

function isUnknownName({ cause }: ForensicsError): boolean {
  return Object(cause)['code'] === 'ENOTFOUND';
}
