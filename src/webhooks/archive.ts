/** The messages of a tenant as an administrator sees them: those that wait, and those of the last 30 days. */

import { and, desc, eq } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { deliveries } from '../db/schema.ts';

export const deliveryStates = ['waiting', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryEntry {
  readonly id: string;
  readonly event: string;
  /** Id of the thing that the message is about. */
  readonly subject: string;
  readonly state: DeliveryState;
  /** Those of the present round, where the message was put back in line. */
  readonly attempts: number;
  /** Such as `http_204`, `timeout`, `address_refused`; null before the first attempt. */
  readonly lastOutcome: string | null;
  readonly createdAt: Date;
  /** Null for a message that is settled, and for one that waits behind another of its subject. */
  readonly nextAttemptAt: Date | null;
  readonly settledAt: Date | null;
}

export interface DeliveryQuery {
  readonly tenantId: string;
  /** Null for all. */
  readonly state: DeliveryState | null;
  readonly limit: number;
}

/** Newest first. */
export function listDeliveries(
  reader: Reader,
  { tenantId, state, limit }: DeliveryQuery,
): readonly DeliveryEntry[] {
  const { id, event, subject, attempts, lastOutcome } = deliveries;
  const { createdAt, nextAttemptAt, settledAt } = deliveries;
  const columns = { id, event, subject, state: deliveries.state, attempts, lastOutcome };
  const isInState = state === null ? undefined : eq(deliveries.state, state);
  return reader
    .select({ ...columns, createdAt, nextAttemptAt, settledAt })
    .from(deliveries)
    .where(and(eq(deliveries.tenantId, tenantId), isInState))
    .orderBy(desc(deliveries.seq))
    .limit(limit)
    .all();
}
