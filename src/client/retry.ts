/** Repeating what may be done twice, for as long as somebody waits. */

import { ForensicsError } from '../errors.ts';
import { type Pace, realPace } from './pace.ts';

export interface Patience {
  /** Asked after each failure. */
  readonly tries: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: Pace | undefined;
}

const budgetMs = 30_000;
const firstPauseMs = 500;
const growth = 3;

/**
 * The outcome of `act`, repeated when the server could not be reached or asked to come back later.
 *
 * @throws what `act` threw last; the reason of `signal`.
 */
export async function withRetry<T>(
  act: () => Promise<T>,
  { tries, signal, pace = realPace }: Patience,
): Promise<T> {
  const begun = pace.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      const pauseMs = pauseAfter(error, attempt);
      const isOver = pace.now() - begun + (pauseMs ?? 0) > budgetMs;
      if (pauseMs === null || isOver || attempt >= tries()) throw error;
      await pace.wait(pauseMs, signal);
    }
  }
}

/** Null for what no repetition mends. */
function pauseAfter(error: unknown, attempt: number): number | null {
  if (!(error instanceof ForensicsError) || !isAway(error) || isUnknownName(error)) return null;
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1000;
  // Half of it is left to chance, so that many who failed together do not come back together.
  return firstPauseMs * growth ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** Whether the server was away or busy. What a health check found is its answer, and no such thing. */
export function isAway({ code, canRetry, status }: ForensicsError): boolean {
  return code !== 'unhealthy' && canRetry && (status === 429 || status === 503);
}

/** A name that nobody knows now is not known in a second either. */
function isUnknownName({ cause }: ForensicsError): boolean {
  return Object(cause)['code'] === 'ENOTFOUND';
}
