/** Counts what is billed and reported, in the transaction of the event itself, a tenant and a UTC day. */

import { sql } from 'drizzle-orm';
import type { Tx } from '../db/open.ts';
import { usageCounters } from '../db/schema.ts';
import type { ResultClass, Tier } from '../engine/result.ts';

export type Counter =
  /** Analyses that succeeded in a tier, upgrades included: what is billed. */
  | `billed.${Tier}`
  | `result.${ResultClass}`
  | 'upgrades'
  | 'errors'
  | 'retries'
  /** Roll-backs because every instance was busy. */
  | 'backpressure';

export interface Event {
  readonly tenantId: string;
  readonly at: Date;
}

export function countUsage(tx: Tx, { tenantId, at }: Event, counter: Counter): void {
  const day = at.toISOString().slice(0, 10);
  tx.insert(usageCounters)
    .values({ tenantId, day, counter, amount: 1 })
    .onConflictDoUpdate({
      target: [usageCounters.tenantId, usageCounters.day, usageCounters.counter],
      set: { amount: sql`${usageCounters.amount} + 1` },
    })
    .run();
}
