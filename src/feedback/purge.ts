/** Forgets messages of long ago: they hold names and addresses, and whoever needed one has read it by then. */

import { and, lt, not, sql } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { feedback } from '../db/schema.ts';

const keptMs = 365 * 86_400_000;

/** One that still waits to be sent stays until that has ended. */
export function purgeFeedback(db: Db, at: Date): void {
  const before = new Date(at.getTime() - keptMs);
  db.delete(feedback)
    .where(and(lt(feedback.createdAt, before), not(isWaiting)))
    .run();
}

/** Over some channel it has yet to be sent. */
export const isWaiting = sql`EXISTS
  (SELECT 1 FROM json_each(${feedback.outcomes}) WHERE value ->> 'state' = 'waiting')`;
