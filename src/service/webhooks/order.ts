/**
 * Orders the messages of a subject. Of those waiting, only the oldest has a time for its next attempt; once it is
 * settled, the next oldest is given one.
 */

import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { Reader, Tx } from '../../ports/db/database.ts';
import { deliveries, tenants } from '../../ports/db/schema.ts';

// A literal rather than a parameter: SQLite uses a partial index only when it sees the index's own condition.
export const isWaiting = sql`${deliveries.state} = 'waiting'`;

export async function firstWaiting(
  tx: Tx,
  subject: string,
): Promise<{ readonly seq: number } | undefined> {
  return tx
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .where(and(isWaiting, eq(deliveries.subject, subject)))
    .orderBy(asc(deliveries.seq))
    .limit(1)
    .get();
}

export async function hasTurn(tx: Tx, subject: string): Promise<boolean> {
  const holdsIt = and(
    isWaiting,
    eq(deliveries.subject, subject),
    isNotNull(deliveries.nextAttemptAt),
  );
  return (
    (await tx.select({ seq: deliveries.seq }).from(deliveries).where(holdsIt).get()) !== undefined
  );
}

export async function promoteNext(tx: Tx, subject: string, at: Date): Promise<void> {
  const next = await firstWaiting(tx, subject);
  if (next === undefined) return;
  await tx.update(deliveries).set({ nextAttemptAt: at }).where(eq(deliveries.seq, next.seq)).run();
}

/** Longer than an attempt can take, so another process takes over only messages of a dead one. */
export const leaseMs = 30_000;

/**
 * Makes all waiting messages due, so that a new URL is tried at once, however the old one fared. A message being
 * attempted keeps its lease.
 */
export async function endPauses(tx: Tx, tenantId: string, at: Date): Promise<void> {
  const afterLeases = new Date(at.getTime() + leaseMs);
  const isPaused = and(
    eq(deliveries.tenantId, tenantId),
    gt(deliveries.nextAttemptAt, afterLeases),
  );
  await tx.update(deliveries).set({ nextAttemptAt: at }).where(and(isWaiting, isPaused)).run();
  tx.notify('deliveries');
}

/**
 * A receiver as it was when an attempt began; the tenant may have set another URL since. It is
 * disabled when it keeps failing for too long.
 */
interface Receiver {
  readonly tenantId: string;
  readonly url: string | null;
}

// Longer than the retries of one message take (3.2 to 3.8 days), so that a receiver broken from
// Friday to Monday is not disabled.
const longestFailureMs = 5 * 24 * 3_600_000;
// A receiver that restarts or moves does not need attention; one that fails for this long does.
const noteworthyMs = 3_600_000;

/** Where the tenant's messages go; null if it has no webhook, or a disabled one. */
export async function findReceiver(reader: Reader, tenantId: string): Promise<string | null> {
  const tenant = await reader.select().from(tenants).where(eq(tenants.id, tenantId)).get();
  return tenant === undefined || tenant.webhookDisabledAt !== null ? null : tenant.webhookUrl;
}

export async function markWorking(tx: Tx, receiver: Receiver): Promise<void> {
  const wasFailing = and(isSame(receiver), isNotNull(tenants.webhookFailingSince));
  await tx.update(tenants).set({ webhookFailingSince: null }).where(wasFailing).run();
}

/** Returns true if it has been failing so long that it should be disabled. */
export async function markFailing(tx: Tx, receiver: Receiver, at: Date): Promise<boolean> {
  const isFirst = and(isSame(receiver), isNull(tenants.webhookFailingSince));
  await tx.update(tenants).set({ webhookFailingSince: at }).where(isFirst).run();
  const limit = new Date(at.getTime() - longestFailureMs);
  const isHopeless = and(isSame(receiver), lt(tenants.webhookFailingSince, limit));
  return (await tx.select({ id: tenants.id }).from(tenants).where(isHopeless).get()) !== undefined;
}

/** Returns false if the tenant has set another URL since. */
export async function switchOff(
  tx: Tx,
  receiver: Receiver,
  { at, reason }: { readonly at: Date; readonly reason: 'gone' | 'failing' },
): Promise<boolean> {
  const change = { webhookDisabledAt: at, webhookDisabledReason: reason };
  return (await tx.update(tenants).set(change).where(isSame(receiver)).run()).changes === 1;
}

/** Whether any receiver is disabled, or has been failing for more than an hour. */
export async function hasFailingReceiver(reader: Reader, at: Date): Promise<boolean> {
  const limit = new Date(at.getTime() - noteworthyMs);
  const isFailing = or(
    isNotNull(tenants.webhookDisabledAt),
    lt(tenants.webhookFailingSince, limit),
  );
  return (
    (await reader.select({ id: tenants.id }).from(tenants).where(isFailing).get()) !== undefined
  );
}

function isSame({ tenantId, url }: Receiver) {
  // An attempt was made, so there was a URL.
  return and(eq(tenants.id, tenantId), eq(tenants.webhookUrl, url ?? ''));
}
