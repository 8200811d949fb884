/**
 * The audit log: who did what, when and to what. It is append-only, with one hash chain for each
 * tenant and one for the service, and it outlives what it describes. Other modules call `append` in
 * their own transactions; the log knows nothing about them.
 */

import { eq, sql } from 'drizzle-orm';
import { jsonOrNull } from '../../contract/common.ts';
import {
  type Clocked,
  buildOnce,
  type Db,
  hasRow,
  transact,
  type Tx,
} from '../../ports/db/database.ts';
import { auditEntries, auditHeads, tenants } from '../../ports/db/schema.ts';
import {
  type EventName,
  hashText,
  type Link,
  noHash,
  type Note,
  readLines,
  readLinks,
  type Selection,
  service,
  serviceChain,
  toLine,
} from './entry.ts';

/** Record `hash` somewhere that cannot be changed by anyone who can write to the database. */
export type Head = Readonly<typeof auditHeads.$inferSelect>;

export type Audit = ReturnType<typeof createAudit>;

export function createAudit({ db, now }: Clocked) {
  return {
    /** Logs an event that is not itself stored in the database. */
    note: async <E extends EventName>(note: Omit<Note<E>, 'at'>) =>
      transact(db, (tx) => append(tx, { ...note, at: now() })),
    read: (selection: Selection) => readLines(db, selection),
    async head(chain: string): Promise<Head> {
      const head = await db.select().from(auditHeads).where(eq(auditHeads.chain, chain)).get();
      return head ?? { chain, count: 0, hash: noHash };
    },
    async verify(chain: string, noted: Noted = {}) {
      const isTenant = eq(tenants.id, chain);
      const isExpected = chain === serviceChain || (await hasRow(db, tenants, isTenant));
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
type ChainEnd = Pick<Head, 'count' | 'hash'>;

const empty: ChainEnd = { count: 0, hash: noHash };

export async function append<E extends EventName>(tx: Tx, note: Note<E>): Promise<void> {
  const { chain, at, event } = note;
  const head = (await findHead(tx).get({ chain })) ?? empty;
  // Every chain begins with one of two events, so a chain whose beginning was deleted cannot pass for a new one.
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
  if (!(await hasRow(db, auditHeads, isMute))) return;
  await transact(db, async (tx) => {
    const mute = await tx.select().from(auditHeads).where(isMute).all();
    for (const { chain } of mute) await begin(tx, chain, now());
  });
}

async function begin(tx: Tx, chain: string, at: Date): Promise<ChainEnd> {
  const auditEvent = { event: 'audit.begun', subject: null, details: {} } as const;
  return write(tx, { chain, at, actor: service, ...auditEvent }, empty);
}

async function write<E extends EventName>(tx: Tx, note: Note<E>, last: ChainEnd) {
  const { chain, at } = note;
  const count = last.count + 1;
  const line = toLine({ ...note, at: at.toISOString(), seq: count, previous: last.hash });
  const { hash, text: entry } = line;
  await addEntry(tx).run({ chain, seq: count, entry, hash });
  await putHead(tx).run({ chain, count, hash });
  return { count, hash };
}

const [ofChain, itsHash] = [sql.placeholder('chain'), sql.placeholder('hash')];

const addEntry = buildOnce((tx) => {
  const [seq, entry] = [sql.placeholder('seq'), sql.placeholder('entry')];
  return tx.insert(auditEntries).values({ chain: ofChain, seq, entry, hash: itsHash }).prepare();
});

const putHead = buildOnce((tx) => {
  const set = { count: sql`excluded.count`, hash: sql`excluded.hash` };
  return tx
    .insert(auditHeads)
    .values({ chain: ofChain, count: sql.placeholder('count'), hash: itsHash })
    .onConflictDoUpdate({ target: auditHeads.chain, set })
    .prepare();
});

type Fault = 'changed' | 'missing' | 'out_of_order' | 'cut_off' | 'added' | 'not_there';

/** The first entry that is no longer as it was written. */
interface Break {
  /** Null if the whole chain is at fault, or if the entry is known only by the recorded hash. */
  readonly seq: number | null;
  readonly fault: Fault;
  readonly explanation: string;
}

export interface Verification {
  readonly chain: string;
  /** Number of valid entries: all of them, or those before the break. */
  readonly count: number;
  /** Hash of the last entry; null if the chain is broken. */
  readonly head: string | null;
  readonly broken: Break | null;
  /** Number of the entry whose hash was recorded; null if no hash was recorded, or if that entry is missing. */
  readonly notedSeq: number | null;
}

export interface Noted {
  /** Hash of an entry, recorded outside the database. */
  readonly head?: string;
}

/**
 * Verifies that a chain is as it was written. This proves that nobody has changed, removed,
 * reordered or inserted an entry without rewriting everything after it. It does not prove more: a
 * user with write access to the database can rewrite the chain and the record of its last hash.
 * Only a hash recorded elsewhere detects that, and only up to the entry with that hash.
 *
 * @param isExpected - whether the chain must exist, as every tenant's does.
 */
export async function verifyChain(
  db: Db,
  chain: string,
  { head, isExpected }: Noted & { readonly isExpected: boolean },
): Promise<Verification> {
  // A snapshot, so that no other process appends between reading the entries and their recorded number.
  return db.snapshot(async (reader) => {
    const isOfChain = eq(auditHeads.chain, chain);
    const recorded = (await reader.select().from(auditHeads).where(isOfChain).get()) ?? null;
    const walk = await walkLinks(chain, readLinks(reader, chain), head);
    const broken =
      walk.broken ?? breakAtEnd(walk, recorded, isExpected) ?? breakOfNoted(walk, head);
    if (broken === null) return { ...walk, broken };
    const held = broken.seq === null ? walk.count : Math.max(0, broken.seq - 1);
    return { ...walk, broken, count: Math.min(walk.count, held), head: null };
  });
}

async function walkLinks(chain: string, links: AsyncIterable<Link>, noted?: string) {
  let [count, head]: [number, string] = [0, noHash];
  let notedSeq: number | null = noted === noHash ? 0 : null;
  for await (const link of links) {
    const broken = breakAt(link, { chain, count, head });
    if (broken !== null) return { chain, count, head, broken, notedSeq };
    [count, head] = [link.seq, link.hash];
    if (head === noted) notedSeq = count;
  }
  return { chain, count, head, broken: null, notedSeq };
}

type Walk = Awaited<ReturnType<typeof walkLinks>>;
type Before = Pick<Walk, 'chain' | 'count' | 'head'>;

function breakAt({ seq, text, hash }: Link, { chain, count, head }: Before): Break | null {
  const next = count + 1;
  if (seq > next) return found(next, 'missing', `Entry ${next} is missing; entry ${seq} follows.`);
  if (seq < next) return found(seq, 'out_of_order', `Entry ${seq} cannot follow entry ${count}.`);
  const entry = entryText(text);
  if (hash !== hashText(text) || entry === null) {
    return found(seq, 'changed', `Entry ${seq} was changed: its text does not match its hash.`);
  }
  if (entry.chain !== chain) {
    return found(seq, 'out_of_order', `Entry ${seq} belongs to a different chain.`);
  }
  if (entry.seq !== seq) {
    return found(seq, 'out_of_order', `Entry ${seq} was replaced by entry ${entry.seq}.`);
  }
  if (entry.previous === head) return null;
  const changed = Math.max(1, count);
  const what = `Entry ${changed} was changed: entry ${seq} has a different hash for it.`;
  return found(changed, 'changed', what);
}

/** The text that links an entry into the chain; null if it is not an entry. */
function entryText(text: string) {
  const entry = jsonOrNull(text);
  if (typeof entry !== 'object' || entry === null) return null;
  const { chain, seq, previous }: Record<string, unknown> = { ...entry };
  if (typeof chain !== 'string' || typeof seq !== 'number') return null;
  return { chain, seq, previous };
}

function breakAtEnd(
  { count, head }: Before,
  recorded: Pick<Head, 'count' | 'hash'> | null,
  isExpected: boolean,
): Break | null {
  if (recorded === null) {
    if (count === 0 && !isExpected) return null;
    const what =
      count === 0 ? 'The whole log is missing.' : 'The record of its last entry is missing.';
    return found(null, 'cut_off', what);
  }
  if (recorded.count > count) {
    const next = count + 1;
    const what = `${recorded.count} entries were written; those from ${next} on are missing.`;
    return found(next, 'cut_off', what);
  }
  if (recorded.count < count) {
    const next = recorded.count + 1;
    return found(
      next,
      'added',
      `Only ${recorded.count} entries were actually written to the log; those from ${next} onwards were inserted by other means.`,
    );
  }
  if (recorded.hash === head) return null;
  const what = `Entry ${count} was changed: the last entry had a different hash.`;
  return found(count, 'changed', what);
}

function breakOfNoted({ notedSeq }: Walk, noted?: string): Break | null {
  if (noted === undefined || notedSeq !== null) return null;
  const what =
    'No entry has the hash you recorded: the log up to that entry was rewritten or truncated.';
  return found(null, 'not_there', what);
}

function found(seq: number | null, fault: Fault, explanation: string): Break {
  return { seq, fault, explanation };
}
