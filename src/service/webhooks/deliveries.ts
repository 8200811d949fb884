/** A tenant's messages as an administrator sees them: those waiting, and those of the last 30 days. */

import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, getTableColumns, gt, inArray, lt, sql } from 'drizzle-orm';
import type { DeliveryState } from '../../contract/vocabulary.ts';
import type { Delivery } from '../../contract/webhooks.ts';
import { ForensicsError, conflict } from '../../errors.ts';
import { type Db, type Reader, transact, type Tx } from '../../ports/db/database.ts';
import { deliveries } from '../../ports/db/schema.ts';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import { findReceiver, hasTurn, isWaiting, promoteNext } from './outbox.ts';

interface DeliveryQuery {
  readonly tenantId: string;
  /** Null for all states. */
  readonly state: DeliveryState | null;
  /** Only messages written before the one with this id. */
  readonly before?: string;
  readonly limit: number;
}

/** Newest first. `attempts`: in the current round, if the message was queued again. */
export async function listDeliveries(
  reader: Reader,
  { tenantId, state, before, limit }: DeliveryQuery,
): Promise<readonly Delivery[]> {
  const columns = getTableColumns(deliveries);
  const { seq: _seq, tenantId: _tenant, payload: _payload, fence: _fence, ...shown } = columns;
  const isInState = state === null ? undefined : eq(deliveries.state, state);
  const first = reader.select({ seq: deliveries.seq }).from(deliveries);
  const isBefore =
    before === undefined ? undefined : lt(deliveries.seq, first.where(eq(deliveries.id, before)));
  const rows = await reader
    .select(shown)
    .from(deliveries)
    .where(and(eq(deliveries.tenantId, tenantId), isInState, isBefore))
    .orderBy(desc(deliveries.seq))
    .limit(limit)
    .all();
  return rows.map(({ createdAt, nextAttemptAt, settledAt, ...entry }) => ({
    ...entry,
    createdDate: createdAt.toISOString(),
    nextAttemptDate: nextAttemptAt?.toISOString() ?? null,
    settledDate: settledAt?.toISOString() ?? null,
  }));
}

/** How many messages are waiting, and how many have been abandoned since a given time. */
export async function countBacklog(reader: Reader, since: Date) {
  const isGivenUp = and(eq(deliveries.state, 'given_up'), gt(deliveries.settledAt, since));
  const waiting = await reader.$count(deliveries, isWaiting);
  return { waiting, givenUp: await reader.$count(deliveries, isGivenUp) };
}

// A batch holds the database's only write lock for about 10 ms; others can write between two batches.
const batch = 1000;

/** @param before - messages settled earlier than this are deleted; waiting ones never are. */
export async function purgeDeliveries(db: Db, before: Date, signal?: AbortSignal): Promise<void> {
  const { seq, settledAt } = deliveries;
  const old = db.select({ seq }).from(deliveries).where(lt(settledAt, before)).limit(batch);
  for (;;) {
    const { changes } = await db.delete(deliveries).where(inArray(seq, old)).run();
    if (changes < batch || signal?.aborted === true) return;
    await setImmediate();
  }
}

interface Replay {
  readonly tenantId: string;
  /** One message by its id, or all abandoned messages. */
  readonly which: { readonly id: string } | 'given_up';
  readonly at: Date;
  readonly by: Actor;
}

/**
 * Queues settled messages again. They keep their ids, so that a receiver can recognise a duplicate.
 *
 * Messages about one subject are sent in the order in which they were written. A message whose delivery is in progress
 * keeps its position; requeued messages follow it, ahead of newer ones.
 *
 * @returns the requeued messages, oldest first.
 * @throws {ForensicsError} `conflict` if the tenant has no receiver or the message is still waiting, `not_found`.
 */
export async function replay(db: Db, { tenantId, which, at, by }: Replay) {
  return transact(db, async (tx) => {
    if ((await findReceiver(tx, tenantId)) === null) {
      throw conflict(
        'The tenant has no webhook, or it was switched off; set its URL (again) with "forensics tenant update <name> --webhook-url <url>".',
      );
    }
    const isMeant =
      which === 'given_up' ? eq(deliveries.state, which) : await settled(tx, tenantId, which);
    // A new fence, because an attempt from the previous round may still be running and must not settle this one.
    const round = { ...freshRound, fence: sql`${deliveries.fence} + 1` };
    const isTheirs = and(eq(deliveries.tenantId, tenantId), isMeant);
    const queued = await tx.update(deliveries).set(round).where(isTheirs).returning().all();
    const rows = queued.toSorted((one, other) => one.seq - other.seq);
    for (const subject of new Set(rows.map((row) => row.subject))) {
      if (!(await hasTurn(tx, subject))) await promoteNext(tx, subject, at);
    }
    if (rows.length > 0) {
      const auditEvent = { event: 'webhook.replayed', details: { messages: rows.length } } as const;
      await append(tx, { chain: tenantId, at, actor: by, subject: tenantId, ...auditEvent });
    }
    return rows.map(({ id, event, subject }) => ({ id, event, subject }));
  });
}

const freshRound = {
  state: 'waiting',
  attempts: 0,
  lastOutcome: null,
  settledAt: null,
  nextAttemptAt: null,
} as const;

async function settled(tx: Tx, tenantId: string, { id }: { readonly id: string }) {
  const isIt = and(eq(deliveries.tenantId, tenantId), eq(deliveries.id, id));
  const found = await tx.select({ state: deliveries.state }).from(deliveries).where(isIt).get();
  if (found === undefined) {
    const message = 'Message not found; "forensics webhooks list" shows those of the last 30 days.';
    throw new ForensicsError('not_found', message);
  }
  if (found.state === 'waiting') {
    throw conflict('The message is already waiting for its next attempt.');
  }
  return eq(deliveries.id, id);
}
