/**
 * The audit log: who did what, when, to what. Append-only; one chain of hashes for each tenant, one for the service. It
 * outlives what it tells of. Rooms that act write in it with `append`, in their own transactions; it knows none of them.
 */

import { eq } from 'drizzle-orm';
import { type Db, transact } from '../db/open.ts';
import { auditEntries, auditHeads, tenants } from '../db/schema.ts';
import { append } from './append.ts';
import { type Line, noHash, type Note, serviceChain } from './entry.ts';
import type { EventName } from './events.ts';
import { linksOf, readLines, type Selection } from './read.ts';
import { type Noted, type Verification, verifyChain } from './verify.ts';

export interface Head {
  readonly chain: string;
  readonly count: number;
  /** Of the last entry; to be noted where nobody who can write to the database can write. */
  readonly hash: string;
}

export interface Audit {
  /** For an act that is not in the database. */
  note<E extends EventName>(note: Omit<Note<E>, 'at'>): void;
  /** The whole chain, line by line, as it is hashed. */
  lines(chain: string): Iterable<Line>;
  /** Oldest first. */
  read(selection: Selection): readonly Line[];
  head(chain: string): Head;
  verify(chain: string, noted?: Noted): Verification;
  /** Every chain that there is or must be, that of the service first. */
  chains(): readonly string[];
}

export function createAudit({ db, now }: { readonly db: Db; readonly now: () => Date }): Audit {
  const tenantIds = () => db.select({ id: tenants.id }).from(tenants).all();
  const hasTenant = (id: string) =>
    db.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, id)).get() !== undefined;

  return {
    note: (note) => transact(db, (tx) => append(tx, { ...note, at: now() })),
    lines: (chain) => linksOf(db, chain),
    read: (selection) => readLines(db, selection),
    head(chain) {
      const head = db.select().from(auditHeads).where(eq(auditHeads.chain, chain)).get();
      return head ?? { chain, count: 0, hash: noHash };
    },
    verify: (chain, noted = {}) =>
      verifyChain(db, chain, {
        ...noted,
        isExpected: chain === serviceChain || hasTenant(chain),
      }),
    chains() {
      const named = [auditHeads, auditEntries].flatMap((table) =>
        db.selectDistinct({ id: table.chain }).from(table).all(),
      );
      return [...new Set([{ id: serviceChain }, ...tenantIds(), ...named].map(({ id }) => id))];
    },
  };
}
