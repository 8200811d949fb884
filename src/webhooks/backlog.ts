/** How many messages wait, and how many nobody took. */

import { and, count, eq, gt, type SQL } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { deliveries } from '../db/schema.ts';
import { isWaiting } from './order.ts';

export interface Backlog {
  readonly waiting: number;
  /** Since the time that was asked for. */
  readonly givenUp: number;
}

export function backlogOf(reader: Reader, since: Date): Backlog {
  const isGivenUp = and(eq(deliveries.state, 'given_up'), gt(deliveries.settledAt, since));
  const countOf = (which: SQL | undefined): number =>
    reader.select({ messages: count() }).from(deliveries).where(which).get()?.messages ?? 0;
  return { waiting: countOf(isWaiting), givenUp: countOf(isGivenUp) };
}
