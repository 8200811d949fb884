/**
 * The audit log: who did what, when and to what. It is append-only, with one hash chain for each
 * tenant and one for the service, and it outlives what it describes. Other rooms call `append` in
 * their own transactions; the log knows none of them.
 */

import { eq, sql } from 'drizzle-orm';
import { buildOnce, type Db, transact, type Tx } from '../../ports/db/database.ts';
import { auditEntries, auditHeads, tenants } from '../../ports/db/schema.ts';
import {
  type EventName,
  noHash,
  type Note,
  type PageOfEntries,
  readLines,
  readPage,
  type Selection,
  service,
  serviceChain,
  toLine,
} from './entry.ts';
import { type Noted, verifyChain } from './verify.ts';

interface Head {
  readonly chain: string;
  readonly count: number;
  /** Hash of the last entry. Record it somewhere that cannot be changed by anyone who can write to the database. */
  readonly hash: string;
}

export type Audit = ReturnType<typeof createAudit>;

export function createAudit({ db, now }: { readonly db: Db; readonly now: () => Date }) {
  return {
    /** Logs an event that is not itself stored in the database. */
    note: async <E extends EventName>(note: Omit<Note<E>, 'at'>) =>
      transact(db, (tx) => append(tx, { ...note, at: now() })),
    /** Oldest first. */
    read: (selection: Selection) => readLines(db, selection),
    page: (page: PageOfEntries) => readPage(db, page),
    async head(chain: string): Promise<Head> {
      const head = await db.select().from(auditHeads).where(eq(auditHeads.chain, chain)).get();
      return head ?? { chain, count: 0, hash: noHash };
    },
    async verify(chain: string, noted: Noted = {}) {
      const isTenant = eq(tenants.id, chain);
      const tenant = await db.select({ id: tenants.id }).from(tenants).where(isTenant).get();
      const isExpected = chain === serviceChain || tenant !== undefined;
      return verifyChain(db, chain, { ...noted, isExpected });
    },
    /** Every chain that exists or must exist, starting with the service's. */
    async chains() {
      const heads = await db.selectDistinct({ id: auditHeads.chain }).from(auditHeads).all();
      const entries = await db.selectDistinct({ id: auditEntries.chain }).from(auditEntries).all();
      const known = await db.select({ id: tenants.id }).from(tenants).all();
      const named = [...known, ...heads, ...entries];
      return [...new Set([{ id: serviceChain }, ...named].map(({ id }) => id))];
    },
  };
}

/** The end of a chain. `append` runs in the transaction of the event itself, so either both are stored or neither. */
interface ChainEnd {
  readonly count: number;
  readonly hash: string;
}

const empty: ChainEnd = { count: 0, hash: noHash };

export async function append<E extends EventName>(tx: Tx, note: Note<E>): Promise<void> {
  const { chain, at, event } = note;
  const head = (await findHead(tx).get({ chain })) ?? empty;
  // Every chain begins with one of these two events, so a chain whose beginning was deleted cannot pass for a new one.
  const isMute = head.count === 0 && event !== 'tenant.created';
  await write(tx, note, isMute ? await begin(tx, chain, at) : head);
}

const findHead = buildOnce((reader) =>
  reader
    .select()
    .from(auditHeads)
    .where(eq(auditHeads.chain, sql.placeholder('chain')))
    .prepare(),
);

/** Records when logging began, in the chains that the migration created. Call it when a database is opened. */
export async function beginChains(db: Db, now: () => Date): Promise<void> {
  const isMute = eq(auditHeads.count, 0);
  if ((await db.select().from(auditHeads).where(isMute).get()) === undefined) return;
  await transact(db, async (tx) => {
    const mute = await tx.select().from(auditHeads).where(isMute).all();
    for (const { chain } of mute) await begin(tx, chain, now());
  });
}

async function begin(tx: Tx, chain: string, at: Date): Promise<ChainEnd> {
  const auditEvent = { event: 'audit.begun', subject: null, details: {} } as const;
  return write(tx, { chain, at, actor: service, ...auditEvent }, empty);
}

/** @returns the new head. */
async function write<E extends EventName>(
  tx: Tx,
  note: Note<E>,
  last: ChainEnd,
): Promise<ChainEnd> {
  const { chain, at } = note;
  const count = last.count + 1;
  const line = toLine({ ...note, at: at.toISOString(), seq: count, previous: last.hash });
  const { hash, text: entry } = line;
  await addEntry(tx).run({ chain, seq: count, entry, hash });
  await putHead(tx).run({ chain, count, hash });
  return { count, hash };
}

const addEntry = buildOnce((tx) =>
  tx
    .insert(auditEntries)
    .values({
      chain: sql.placeholder('chain'),
      seq: sql.placeholder('seq'),
      entry: sql.placeholder('entry'),
      hash: sql.placeholder('hash'),
    })
    .prepare(),
);

const putHead = buildOnce((tx) =>
  tx
    .insert(auditHeads)
    .values({
      chain: sql.placeholder('chain'),
      count: sql.placeholder('count'),
      hash: sql.placeholder('hash'),
    })
    .onConflictDoUpdate({
      target: auditHeads.chain,
      set: { count: sql`excluded.count`, hash: sql`excluded.hash` },
    })
    .prepare(),
);
