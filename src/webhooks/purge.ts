/** Forgets messages that were delivered or given up long ago. */

import { setImmediate } from 'node:timers/promises';
import { inArray, lt } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { deliveries } from '../db/schema.ts';

// About 10 ms of the database's one write lock; everybody else has a turn in between.
const batch = 1000;

/** @param before - of messages that ended earlier than this nothing is kept; one that waits is never touched. */
export async function purgeDeliveries(db: Db, before: Date, signal?: AbortSignal): Promise<void> {
  const { seq, settledAt } = deliveries;
  const old = db.select({ seq }).from(deliveries).where(lt(settledAt, before)).limit(batch);
  for (;;) {
    const { changes } = db.delete(deliveries).where(inArray(seq, old)).run();
    if (changes < batch || signal?.aborted === true) return;
    await setImmediate();
  }
}
