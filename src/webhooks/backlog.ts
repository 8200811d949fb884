/** How many messages wait, and how many nobody took. */

import { and, count, eq, gt, sql } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { deliveries } from '../db/schema.ts';

export interface Backlog {
  readonly waiting: number;
  /** Since the time that was asked for. */
  readonly givenUp: number;
}

export function backlogOf(reader: Reader, since: Date): Backlog {
  // Written out, not bound: SQLite uses a partial index only where it can see the index's own condition.
  const isWaiting = sql`${deliveries.state} = 'waiting'`;
  const isGivenUp = and(eq(deliveries.state, 'given_up'), gt(deliveries.settledAt, since));
  const countOf = (which: typeof isGivenUp): number =>
    reader.select({ messages: count() }).from(deliveries).where(which).get()?.messages ?? 0;
  return { waiting: countOf(isWaiting), givenUp: countOf(isGivenUp) };
}
