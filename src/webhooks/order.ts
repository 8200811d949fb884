/**
 * Whose turn it is among the messages of a subject. Of those that wait, one has the turn: it alone has a time of its next
 * attempt, until it is settled. Then the one that was written first gets it.
 */

import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Tx } from '../db/open.ts';
import { deliveries } from '../db/schema.ts';

// Written out, not bound: SQLite uses a partial index only where it can see the index's own condition.
export const isWaiting = sql`${deliveries.state} = 'waiting'`;

export function firstWaiting(tx: Tx, subject: string): { readonly seq: number } | undefined {
  return tx
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .where(and(isWaiting, eq(deliveries.subject, subject)))
    .orderBy(asc(deliveries.seq))
    .limit(1)
    .get();
}

export function hasTurn(tx: Tx, subject: string): boolean {
  const holdsIt = and(
    isWaiting,
    eq(deliveries.subject, subject),
    isNotNull(deliveries.nextAttemptAt),
  );
  return tx.select({ seq: deliveries.seq }).from(deliveries).where(holdsIt).get() !== undefined;
}

export function promoteNext(tx: Tx, subject: string, at: Date): void {
  const next = firstWaiting(tx, subject);
  if (next === undefined) return;
  tx.update(deliveries).set({ nextAttemptAt: at }).where(eq(deliveries.seq, next.seq)).run();
}
