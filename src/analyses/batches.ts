/** Long clean-ups in short transactions. */

import { setImmediate } from 'node:timers/promises';

// Analyses with their maps are some megabytes: about 10 ms of the database's one write lock.
export const batch = 20;
export const dayMs = 24 * 3_600_000;

/** Everybody else has a turn at the database in between. @returns how many in all. */
export async function inBatches(signal: AbortSignal, act: () => number): Promise<number> {
  let sum = 0;
  while (!signal.aborted) {
    const done = act();
    sum += done;
    if (done < batch) break;
    await setImmediate();
  }
  return sum;
}

export function daysAgo(at: Date, days: number): Date {
  return new Date(at.getTime() - days * dayMs);
}
