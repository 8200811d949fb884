/**
 * The database as all modules see it: a query builder whose statements run on SQLite in the data folder or on
 * PostgreSQL, and transactions. Both engines accept the same statements; the functions below cover the exceptions.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { type AnyColumn, count, eq, type SQL, sql, type SQLWrapper } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Builder, createBuilder, type Execute } from './builder.ts';
import { settings } from './schema.ts';

export type EngineName = 'sqlite' | 'postgres';

/** Access for reading: the database itself, or an open transaction. */
export type Reader = Builder & { readonly engine: EngineName };

/** An open write transaction, required for every state change. */
export interface Tx extends Reader {
  /** Every process that uses the database, including this one, receives this notification once, after the commit. */
  notify(topic: Topic): void;
}

export interface Db extends Reader {
  runTransaction<T>(act: (tx: Tx) => Promise<T>, kind: Kind): Promise<T>;
  /**
   * Runs reads that all see the database as it was at one moment; `act` runs again if the connection breaks.
   *
   * @throws {ForensicsError} what `act` throws; `store_unavailable` or `database_damaged` for the database itself.
   */
  snapshot<T>(act: (reader: Reader) => Promise<T>): Promise<T>;
  /** @returns a function that ends the subscription. */
  onNotification(topic: Topic, listener: () => void): () => void;
}

export type Topic = 'jobs' | 'deliveries';

/**
 * `serialised`: behaves as if no other transaction ran at the same time. `claim`: depends only on the row that it
 * claims, and skips rows that others are claiming; it may be undone if the database crashes.
 */
export type Kind = 'serialised' | 'claim' | Queued;

/** Serialised, and one after another by name: those that always conflict, as on one audit log, would retry forever. */
interface Queued {
  readonly serializedBy: string;
  /** True if a database crash may undo it, as it would then be repeated; any later transaction makes it durable too. */
  readonly mayBeUndone?: boolean;
}

export interface Clocked {
  readonly db: Db;
  readonly now: () => Date;
}

export interface OpenDatabase<D extends Db = Db> {
  readonly db: D;
  /** Null if the database was new, or already had the current schema. */
  readonly upgrade: Upgrade | null;
  /** Rejects when the database cannot be read or written to; used in health checks. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface Upgrade {
  readonly from: number;
  readonly to: number;
  /** Copy of the file from before the upgrade; null for PostgreSQL, and if another process has just made one. */
  readonly copy: string | null;
}

/**
 * What `act` reads is still true when it writes. It must await only its own statements and change nothing else, because
 * it is repeated on conflicts.
 *
 * @throws {ForensicsError} also `no_space_left`, `store_unavailable`, `database_damaged`.
 */
export async function transact<T>(
  db: Db,
  act: (tx: Tx) => Promise<T>,
  kind: Kind = 'serialised',
): Promise<T> {
  assertNoTransaction();
  const transaction = { isOpen: true };
  try {
    return await openTransaction.run(transaction, () => db.runTransaction(act, kind));
  } finally {
    transaction.isOpen = false;
  }
}

/** Runs independent operations of one transaction together. If one of them fails, this still waits for the others. */
export async function pipelined<T extends readonly unknown[]>(
  ...acts: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  await Promise.allSettled(acts);
  const results: unknown = await Promise.all(acts);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the standard type loses the order of the results.
  return results as T;
}

/** A statement outside the open transaction would wait for it forever, or would not see what it has written. */
export function assertNoTransaction(): void {
  if (openTransaction.getStore()?.isOpen !== true) return;
  throw new TypeError('a transaction is open: read and write through it');
}

const openTransaction = new AsyncLocalStorage<{ isOpen: boolean }>();

/** The requester of all statements in `act`; PostgreSQL connections are shared fairly between requesters. */
export function setRequester<T>(name: string, act: () => T): T {
  return requester.run(name, act);
}

export function currentRequester(): string {
  return requester.getStore() ?? '';
}

const requester = new AsyncLocalStorage<string>();

/** Writes, reads back and undoes it, for health checks. @throws whatever the database throws. */
export async function probeWriting(db: Db): Promise<void> {
  const undone = new Error('undone');
  const key = `health.${newId()}`;
  const writing = db.runTransaction(async (tx) => {
    await tx.insert(settings).values({ key, value: key }).run();
    const found = await tx.select().from(settings).where(eq(settings.key, key)).get();
    if (found?.value !== key)
      throw new Error('The database returned a different value from the one written.');
    throw undone;
  }, 'claim');
  await writing.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
}

/** For metrics: the number of statements that this process ran, and the time it spent waiting for them. */
export const statementsOfProcess = { count: 0, ms: 0 };

export function createReader(engine: EngineName, execute: Execute): Reader {
  const counted: Execute = async (...statement) => {
    const began = performance.now();
    try {
      return await execute(...statement);
    } finally {
      statementsOfProcess.count += 1;
      statementsOfProcess.ms += performance.now() - began;
    }
  };
  return Object.assign(createBuilder(counted), { engine });
}

/** For short queries that take longer to build than to run. Values that differ between calls must be placeholders. */
export function buildOnce<Q>(build: (reader: Reader) => Q): (reader: Reader) => Q {
  const built = new WeakMap<Reader, Q>();
  return (reader) => {
    const query = built.get(reader) ?? build(reader);
    built.set(reader, query);
    return query;
  };
}

/** For all transactions on one connection. `renew` starts the next; a statement may run while `begun` is pending. */
export function createTx(engine: EngineName, execute: Execute) {
  const topics = new Set<Topic>();
  /** Error of the first failed statement: later statements do not run, and pending ones fail with the same cause. */
  let failure: { readonly cause: unknown } | null = null;
  const reader = createReader(engine, async (...statement) => {
    try {
      if (failure !== null) throw failure.cause;
      return await execute(...statement);
    } catch (error) {
      failure ??= { cause: error };
      throw failure.cause;
    }
  });
  const tx: Tx = Object.assign(reader, { notify: (topic: Topic) => void topics.add(topic) });
  const renew = (begun?: Promise<unknown>) => {
    topics.clear();
    failure = null;
    begun?.catch((cause: unknown) => (failure ??= { cause }));
  };
  return { tx, topics, renew };
}

export async function hasRow(reader: Reader, table: SQLiteTable, which?: SQL): Promise<boolean> {
  const found = reader.select({ one: sql`1` }).from(table).where(which).limit(1);
  return (await found.get()) !== undefined;
}

/** A text field of a JSON object stored as text, in the form that the indexes on such fields use. */
export function jsonField(
  { engine }: Reader,
  column: AnyColumn,
  field: 'at' | 'event' | 'subject',
): SQL<string> {
  return engine === 'sqlite'
    ? sql`${column} ->> ${sql.raw(`'$.${field}'`)}`
    : sql`(${column}::json ->> ${sql.raw(`'${field}'`)})`;
}

export function hasElement({ engine }: Reader, column: AnyColumn, value: string): SQL {
  return engine === 'sqlite'
    ? sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`
    : // Compared as JSON text, because PostgreSQL cannot convert an escaped U+0000.
      sql`EXISTS (SELECT 1 FROM json_array_elements(${column}::json) AS list(value)
        WHERE value::text = ${JSON.stringify(value)})`;
}

/** The values of a list of integers, as a query with one column, `value`: one parameter, however long the list. */
export function eachNumber({ engine }: Reader, numbers: readonly number[]): SQL {
  const list = JSON.stringify(numbers);
  return engine === 'sqlite'
    ? sql`SELECT value FROM json_each(${list})`
    : sql`SELECT value::bigint AS value FROM jsonb_array_elements_text(${list}::jsonb) AS list(value)`;
}

/** Whether text contains this substring, byte for byte and without wildcards. */
export function contains({ engine }: Reader, column: AnyColumn, part: string): SQL {
  return engine === 'sqlite'
    ? sql`instr(${column}, ${part}) > 0`
    : sql`${column} LIKE ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`}`;
}

/** The end of a query that claims a row: skips rows that other transactions are claiming. */
export function skipLocked({ engine }: Reader): SQL {
  // SQLite has only one write transaction at a time.
  return engine === 'sqlite' ? sql`` : sql` FOR UPDATE SKIP LOCKED`;
}

/** Whether a column has one of a query's values. PostgreSQL runs the query first, so that it can use an index. */
export function isOneOf({ engine }: Reader, column: AnyColumn, query: SQLWrapper): SQL {
  return engine === 'sqlite' ? sql`${column} IN ${query}` : sql`${column} = ANY (ARRAY ${query})`;
}

/** With more rows than this, reading them one by one takes as long as reading 200,000 in order. */
const maxIndexed = 20_000;
/** At least three characters, because the index stores groups of three; it ignores everything after U+0000. */
const isIndexed = /^[^\0]{3}[^\0]*$/u;

/**
 * A condition for analyses whose folded name or comment may contain this text, answered from an index. It must be the
 * first condition of the query. Null if there are too many such analyses, if the text is too short, or if the engine
 * uses its index without help, as PostgreSQL does.
 */
export async function textSearchCondition(reader: Reader, part: string): Promise<SQL | null> {
  if (reader.engine !== 'sqlite' || !isIndexed.test(part)) return null;
  const phrase = `"${part.replaceAll('"', '""')}"`;
  const found = sql`SELECT rowid FROM analysis_texts WHERE analysis_texts MATCH ${phrase}`;
  const counted = reader.select({ many: count() }).from(sql`(${found} LIMIT ${maxIndexed + 1})`);
  const { many = 0 } = (await counted.get()) ?? {};
  return many > maxIndexed ? null : sql`analyses.text_id IN (${found})`;
}

/** 24 lower-case hex characters: 4 bytes of seconds since 1970, then 8 random ones. Sorts roughly by age. */
export function newId(at: Date = new Date()): string {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(at.getTime() / 1000) >>> 0);
  return seconds.toString('hex') + randomBytes(8).toString('hex');
}

/**
 * Folds text for searching: differences in case, throughout Unicode ("ÄRGER" and "ärger", "STRASSE" and "Straße"), and
 * between composed and decomposed accents disappear. This is not a full collation: the accents themselves matter.
 */
export function foldText(text: string): string {
  // First to upper case, because only that turns ß into SS. toLowerCase chooses one of the two
  // lower-case sigmas by position, so the final form is replaced.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Length in code points, as in JSON Schema, not in UTF-16 units. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
