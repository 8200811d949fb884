/**
 * Messages waiting for delivery. A message is written in the transaction of the change it reports, so neither can exist
 * without the other. Messages about one subject are sent in order: only the oldest waiting message has a time for its
 * next attempt, and once it is settled, the next oldest is given one.
 */

import {
  and,
  asc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  notInArray,
  or,
  sql,
} from 'drizzle-orm';
import {
  type Clocked,
  hasRow,
  newId,
  type Reader,
  transact,
  type Tx,
} from '../../ports/db/database.ts';
import { deliveries, tenants } from '../../ports/db/schema.ts';
import type { Outcome } from '../../ports/network/post.ts';

interface NewDelivery {
  readonly tenantId: string;
  readonly subject: string;
  readonly event: string;
  /** Called only when the tenant has a receiver. */
  readonly payload: () => Promise<Readonly<Record<string, unknown>>>;
}

/** A message leased for one attempt, after `attempts` earlier ones. `url`: null if the tenant has no receiver now. */
export type Delivery = Readonly<
  Omit<typeof deliveries.$inferSelect, 'nextAttemptAt' | 'settledAt'> & { url: string | null }
>;

/** What became of a message. `overtaken`: another worker has leased it, so the outcome of this attempt is ignored. */
export type Consequence =
  | { readonly kind: 'retry'; readonly at: Date }
  | { readonly kind: 'delivered' | 'given_up' | 'switched_off' | 'overtaken' };

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(parts: Clocked) {
  const { db, now } = parts;
  return {
    /** Writes nothing when the tenant has no webhook. */
    enqueueDelivery: (tx: Tx, delivery: NewDelivery) => enqueue(tx, delivery, now()),
    /** Leases due messages to the caller, at most `slots(tenant)` for each tenant. */
    claim: (slots: (tenantId: string) => number) => claimDue(parts, slots),
    /** When the next message is due, ignoring the tenants in `except`. */
    nextDueAt: (except: readonly string[]) => findNextDue(parts, except),
    /**
     * Records the outcome of an attempt. A receiver that wants no more messages, or has been failing for days, is
     * disabled: nothing is sent or written for it until the tenant sets a new URL.
     *
     * @param retryAt - when to try again after a failure; null abandons the message.
     */
    conclude: (delivery: Delivery, outcome: Outcome, retryAt: Date | null = null) =>
      transact(db, (tx) => conclude(tx, delivery, outcome, { at: now(), retryAt })),
    onAdded: (listener: () => void) => db.onNotification('deliveries', listener),
  };
}

async function enqueue(tx: Tx, { tenantId, subject, event, payload }: NewDelivery, at: Date) {
  if ((await findReceiver(tx, tenantId)) === null) return;
  const isBehind = (await firstWaiting(tx, subject)) !== undefined;
  await tx
    .insert(deliveries)
    .values({
      id: `msg_${newId(at)}`,
      tenantId,
      subject,
      event,
      payload: JSON.stringify(await payload()),
      state: 'waiting',
      attempts: 0,
      nextAttemptAt: isBehind ? null : at,
      fence: 0,
      createdAt: at,
    })
    .run();
  tx.notify('deliveries');
}

async function claimDue(
  { db, now }: Clocked,
  slots: (tenantId: string) => number,
): Promise<readonly Delivery[]> {
  return transact(db, async (tx) => {
    const at = now();
    await tx.update(deliveries).set({ nextAttemptAt: at }).where(isOutOfTime(at)).run();
    const leasedUntil = new Date(at.getTime() + leaseMs);
    const claimed: Delivery[] = [];
    for (const tenantId of await tenantsWithDue(tx, at)) {
      const url = await findReceiver(tx, tenantId);
      const limit = slots(tenantId);
      const rows = await claimForTenant(tx, tenantId, { at, leasedUntil, limit });
      claimed.push(...rows.map((row) => ({ ...row, url })));
    }
    return claimed;
  });
}

async function findNextDue({ db, now }: Clocked, except: readonly string[]): Promise<Date | null> {
  // One index seek per tenant, so the time does not grow with the number of waiting messages.
  const earliest = sql`(SELECT min(${deliveries.nextAttemptAt}) FROM ${deliveries}
    WHERE ${deliveries.tenantId} = ${tenants.id} AND ${isWaiting})`;
  const row = await db
    .select({ at: sql<number | null>`min(${earliest})` })
    .from(tenants)
    .where(notInArray(tenants.id, [...except]))
    .get();
  if (row?.at == null) return null;
  const [at, dueAt] = [now(), new Date(row.at)];
  if (dueAt <= at) return dueAt;
  return (await hasRow(db, deliveries, isOutOfTime(at))) ? at : dueAt;
}

async function conclude(
  tx: Tx,
  delivery: Delivery,
  { kind, detail: lastOutcome }: Outcome,
  { at, retryAt }: { readonly at: Date; readonly retryAt: Date | null },
): Promise<Consequence> {
  const state = kind === 'accepted' ? 'delivered' : 'given_up';
  const end = { state, lastOutcome, settledAt: at, nextAttemptAt: null } as const;
  // The tenant has set another URL since, and it has not been tried yet.
  const isMoved = kind === 'gone' && (await findReceiver(tx, delivery.tenantId)) !== delivery.url;
  const again = isMoved ? at : retryAt;
  const change = again === null ? end : { lastOutcome, nextAttemptAt: again };
  const attempts = delivery.attempts + 1;
  const { seq, fence } = deliveries;
  const isHeld = and(eq(seq, delivery.seq), eq(fence, delivery.fence), isWaiting);
  const held = tx.update(deliveries).set({ ...change, attempts });
  if ((await held.where(isHeld).run()).changes !== 1) return { kind: 'overtaken' };
  if (again === null) await promoteNext(tx, delivery.subject, at);
  if (kind === 'accepted') {
    const wasFailing = and(isSame(delivery), isNotNull(tenants.webhookFailingSince));
    await tx.update(tenants).set({ webhookFailingSince: null }).where(wasFailing).run();
    return { kind: 'delivered' };
  }
  const isHopeless = kind === 'gone' || (await markFailing(tx, delivery, at));
  if (again !== null) return { kind: 'retry', at: again };
  const reason = kind === 'gone' ? kind : 'failing';
  const isClosed = isHopeless && (await close(tx, delivery, end, reason));
  return { kind: isClosed ? 'switched_off' : 'given_up' };
}

type End = Pick<typeof deliveries.$inferSelect, 'state' | 'lastOutcome' | 'nextAttemptAt'> & {
  readonly settledAt: Date;
};

/** Disables the delivery's receiver and abandons all messages waiting for it. Returns false if the URL has changed. */
async function close(tx: Tx, delivery: Delivery, end: End, reason: 'gone' | 'failing') {
  const change = { webhookDisabledAt: end.settledAt, webhookDisabledReason: reason };
  const { changes } = await tx.update(tenants).set(change).where(isSame(delivery)).run();
  if (changes !== 1) return false;
  const isForIt = and(isWaiting, eq(deliveries.tenantId, delivery.tenantId));
  await tx.update(deliveries).set(end).where(isForIt).run();
  return true;
}

const clockStepMs = 60_000;

/** After the clock was set back, the message would wait for a time by the old clock; a lease is earlier than that. */
function isOutOfTime(at: Date) {
  const later = new Date(at.getTime() + clockStepMs);
  const { nextAttemptAt: next, createdAt } = deliveries;
  return and(isWaiting, gt(next, later), gt(createdAt, later), gte(next, createdAt));
}

/** Tenant by tenant, so that one tenant's long queue never delays another's. */
async function tenantsWithDue(tx: Tx, at: Date): Promise<string[]> {
  const due = sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${deliveries.tenantId} = ${tenants.id}
    AND ${isWaiting} AND ${deliveries.nextAttemptAt} <= ${at.getTime()})`;
  const rows = await tx.select({ id: tenants.id }).from(tenants).where(due).all();
  return rows.map(({ id }) => id);
}

async function claimForTenant(
  tx: Tx,
  tenantId: string,
  { at, leasedUntil, limit }: { at: Date; leasedUntil: Date; limit: number },
) {
  if (limit <= 0) return [];
  const due = await tx
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .where(and(isWaiting, eq(deliveries.tenantId, tenantId), lte(deliveries.nextAttemptAt, at)))
    .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.seq))
    .limit(limit)
    .all();
  const seqs = due.map(({ seq }) => seq);
  const which = and(inArray(deliveries.seq, seqs), isNotNull(deliveries.nextAttemptAt));
  const lease = { nextAttemptAt: leasedUntil, fence: sql`${deliveries.fence} + 1` };
  return tx.update(deliveries).set(lease).where(which).returning().all();
}

// A literal rather than a parameter: SQLite uses a partial index only when it sees the index's own condition.
export const isWaiting = sql`${deliveries.state} = 'waiting'`;

async function firstWaiting(tx: Tx, subject: string) {
  return tx
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .where(and(isWaiting, eq(deliveries.subject, subject)))
    .orderBy(asc(deliveries.seq))
    .limit(1)
    .get();
}

export async function hasTurn(tx: Tx, subject: string): Promise<boolean> {
  const holdsIt = isNotNull(deliveries.nextAttemptAt);
  return hasRow(tx, deliveries, and(isWaiting, eq(deliveries.subject, subject), holdsIt));
}

export async function promoteNext(tx: Tx, subject: string, at: Date): Promise<void> {
  const next = await firstWaiting(tx, subject);
  if (next === undefined) return;
  await tx.update(deliveries).set({ nextAttemptAt: at }).where(eq(deliveries.seq, next.seq)).run();
}

/** Longer than an attempt can take, so another process takes over messages only if their process is dead. */
const leaseMs = 30_000;

/** Makes waiting messages due, so that a new URL is tried at once. One being attempted keeps its lease. */
export async function endPauses(tx: Tx, tenantId: string, at: Date): Promise<void> {
  const afterLeases = new Date(at.getTime() + leaseMs);
  const isLater = gt(deliveries.nextAttemptAt, afterLeases);
  const isPaused = and(isWaiting, eq(deliveries.tenantId, tenantId), isLater);
  await tx.update(deliveries).set({ nextAttemptAt: at }).where(isPaused).run();
  tx.notify('deliveries');
}

/** A receiver as it was when an attempt began; the tenant may have set another URL since. */
type Receiver = Pick<Delivery, 'tenantId' | 'url'>;

// Longer than one message is retried (3.2 to 3.8 days): a receiver broken over a weekend stays enabled.
const longestFailureMs = 5 * 24 * 3_600_000;
// A receiver that restarts or moves needs no attention; a receiver that fails for this long does.
const noteworthyMs = 3_600_000;

/** Where the tenant's messages go; null if it has no webhook, or a disabled one. */
export async function findReceiver(reader: Reader, tenantId: string): Promise<string | null> {
  const tenant = await reader.select().from(tenants).where(eq(tenants.id, tenantId)).get();
  return tenant === undefined || tenant.webhookDisabledAt !== null ? null : tenant.webhookUrl;
}

/** Returns true if the receiver has been failing for so long that it should be disabled. */
async function markFailing(tx: Tx, receiver: Receiver, at: Date): Promise<boolean> {
  const isFirst = and(isSame(receiver), isNull(tenants.webhookFailingSince));
  await tx.update(tenants).set({ webhookFailingSince: at }).where(isFirst).run();
  const limit = new Date(at.getTime() - longestFailureMs);
  const isHopeless = and(isSame(receiver), lt(tenants.webhookFailingSince, limit));
  return hasRow(tx, tenants, isHopeless);
}

/** Whether any receiver is disabled, or has been failing for more than an hour. */
export async function hasFailingReceiver(reader: Reader, at: Date): Promise<boolean> {
  const limit = new Date(at.getTime() - noteworthyMs);
  const { webhookDisabledAt, webhookFailingSince } = tenants;
  const isFailing = or(isNotNull(webhookDisabledAt), lt(webhookFailingSince, limit));
  return hasRow(reader, tenants, isFailing);
}

function isSame({ tenantId, url }: Receiver) {
  // An attempt was made, so there was a URL.
  return and(eq(tenants.id, tenantId), eq(tenants.webhookUrl, url ?? ''));
}
