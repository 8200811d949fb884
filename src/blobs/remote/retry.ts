import { setTimeout as wait } from 'node:timers/promises';
import { ForensicsError } from '../../errors.ts';
import { isTimeout } from './unreachable.ts';

const tries = 3;

/**
 * Repeats an act that may safely be done twice, when the store was not there or too busy. What took too long is not
 * repeated: somebody is waiting.
 *
 * @param delayMs - Before the second try; twice that before the third. Up to half of it is left to chance, so that
 *   many who failed together do not come back together.
 */
export async function withRetry<T>(delayMs: number, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === tries || !mayPass(error)) throw error;
      await wait(delayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ForensicsError) || error.code !== 'store_unavailable') return false;
  return !isTimeout(error.cause);
}
