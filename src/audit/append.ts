/** Adds to the log, in the transaction of the act itself: either both are there or neither. */

import { eq } from 'drizzle-orm';
import { type Db, transact, type Tx } from '../db/open.ts';
import { auditEntries, auditHeads } from '../db/schema.ts';
import { lineOf, noHash, type Note, service } from './entry.ts';
import type { EventName } from './events.ts';

interface Head {
  readonly count: number;
  readonly hash: string;
}

const empty: Head = { count: 0, hash: noHash };

export function append<E extends EventName>(tx: Tx, note: Note<E>): void {
  const { chain, at, event } = note;
  const head = tx.select().from(auditHeads).where(eq(auditHeads.chain, chain)).get() ?? empty;
  // Every chain begins with one of the two: one that was removed altogether cannot go on as if it had always been so short.
  const isMute = head.count === 0 && event !== 'tenant.created';
  write(tx, note, isMute ? begin(tx, chain, at) : head);
}

/** The chains that the step of the schema made say from when on acts are logged. To be called when a database is opened. */
export function beginChains(db: Db, now: () => Date): void {
  const isMute = eq(auditHeads.count, 0);
  if (db.select().from(auditHeads).where(isMute).get() === undefined) return;
  transact(db, (tx) => {
    const mute = tx.select().from(auditHeads).where(isMute).all();
    for (const { chain } of mute) begin(tx, chain, now());
  });
}

function begin(tx: Tx, chain: string, at: Date): Head {
  const told = { event: 'audit.begun', subject: null, details: {} } as const;
  return write(tx, { chain, at, actor: service, ...told }, empty);
}

/** @returns the new head. */
function write<E extends EventName>(tx: Tx, note: Note<E>, last: Head): Head {
  const { chain, at } = note;
  const count = last.count + 1;
  const line = lineOf({ ...note, at: at.toISOString(), seq: count, previous: last.hash });
  const head = { count, hash: line.hash };
  tx.insert(auditEntries).values({ chain, seq: count, entry: line.text, hash: line.hash }).run();
  tx.insert(auditHeads)
    .values({ chain, ...head })
    .onConflictDoUpdate({ target: auditHeads.chain, set: head })
    .run();
  return head;
}
