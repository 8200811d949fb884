/** Puts settled messages back in line. They keep their ids, so that a receiver can tell a repetition. */

import { and, eq, sql } from 'drizzle-orm';
import { type Db, transact, type Tx } from '../db/open.ts';
import { deliveries } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { hasTurn, promoteNext } from './order.ts';
import { receiverOf } from './receivers.ts';

export interface Replay {
  readonly tenantId: string;
  /** One message by its id, or all that were given up. */
  readonly which: { readonly id: string } | 'given_up';
  readonly at: Date;
}

export interface Replayed {
  readonly id: string;
  readonly event: string;
  readonly subject: string;
}

/**
 * Messages about one subject leave in the order in which they were written. One that is having its attempts keeps its turn;
 * what is put back comes after it, before the younger ones.
 *
 * @returns what was put back, oldest first.
 * @throws {ForensicsError} `conflict` when the tenant has no receiver or the message waits anyway, `not_found`.
 */
export function replay(db: Db, { tenantId, which, at }: Replay): readonly Replayed[] {
  return transact(db, (tx) => {
    if (receiverOf(tx, tenantId) === null) throw noReceiver();
    const isMeant =
      which === 'given_up' ? eq(deliveries.state, which) : settled(tx, tenantId, which);
    const rows = tx
      .update(deliveries)
      // Another fence: an attempt of the round before may still be under way, and must not settle this one.
      .set({ ...freshRound, fence: sql`${deliveries.fence} + 1` })
      .where(and(eq(deliveries.tenantId, tenantId), isMeant))
      .returning(columns)
      .all()
      .toSorted((one, other) => one.seq - other.seq);
    for (const subject of new Set(rows.map((row) => row.subject))) {
      if (!hasTurn(tx, subject)) promoteNext(tx, subject, at);
    }
    return rows.map(({ id, event, subject }) => ({ id, event, subject }));
  });
}

const columns = {
  seq: deliveries.seq,
  id: deliveries.id,
  event: deliveries.event,
  subject: deliveries.subject,
};

const freshRound = {
  state: 'waiting',
  attempts: 0,
  lastOutcome: null,
  settledAt: null,
  nextAttemptAt: null,
} as const;

function settled(tx: Tx, tenantId: string, { id }: { readonly id: string }) {
  const isIt = and(eq(deliveries.tenantId, tenantId), eq(deliveries.id, id));
  const found = tx.select({ state: deliveries.state }).from(deliveries).where(isIt).get();
  if (found === undefined) {
    throw new ForensicsError(
      'not_found',
      'There is no such message; "forensics webhooks list" shows those of the last 30 days.',
    );
  }
  if (found.state === 'waiting') {
    throw new ForensicsError('conflict', 'The message waits for its next attempt already.');
  }
  return eq(deliveries.id, id);
}

function noReceiver(): ForensicsError {
  return new ForensicsError(
    'conflict',
    'The tenant has no webhook, or it was switched off; set its URL (again) with "forensics tenant update <name> --webhook-url <url>".',
  );
}
