/**
 * What every room knows of the database: a query builder whose statements are run by an engine, SQLite in the data folder
 * or PostgreSQL, and transactions. Both engines understand the same statements; `dialect.ts` has the exceptions.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { type AnyColumn, count, type SQL, sql, type SQLWrapper } from 'drizzle-orm';
import { type Builder, createBuilder, type Execute } from './builder.ts';

export type EngineName = 'sqlite' | 'postgres';

/** For reading: the database itself, or an open transaction. */
export type Reader = Builder & { readonly engine: EngineName };

/** An open write transaction: what every state change asks for. */
export interface Tx extends Reader {
  /** After the commit, every process that uses the database receives this notification once, this process included. */
  notify(topic: Topic): void;
}

export interface Db extends Reader {
  /** See `transact`. */
  runTransaction<T>(act: (tx: Tx) => Promise<T>, kind: Kind): Promise<T>;
  /** Runs reads that all see the database as it is at one moment. */
  snapshot<T>(act: (reader: Reader) => Promise<T>): Promise<T>;
  /** @returns a function that ends the subscription. */
  onNotification(topic: Topic, listener: () => void): () => void;
}

export type Topic = 'jobs' | 'deliveries';

/**
 * `serialised`: as if no other transaction ran at the same time. `claim`: needs nothing but the row that it takes, and skips
 * rows that others are about to take; a crash of the database may undo it.
 */
export type Kind = 'serialised' | 'claim' | Queued;

/**
 * Serialised, and transactions with the same name run one after the other: those that always conflict, such as all that write
 * to one audit log, would otherwise be run again and again.
 */
interface Queued {
  readonly serializedBy: string;
  /** True where a crash of the database may undo it because it is then repeated. Later transactions make it durable, too. */
  readonly mayBeUndone?: boolean;
}

/** What most services are made of. */
export interface Clocked {
  readonly db: Db;
  readonly now: () => Date;
}

export interface OpenDatabase<D extends Db = Db> {
  readonly db: D;
  /** Null when it was new, or had the present schema. */
  readonly upgrade: Upgrade | null;
  /** Rejects when the database cannot be read. For health checks. */
  check(): Promise<void>;
  /** Waits for the transactions that are under way. */
  close(): Promise<void>;
}

/** What opening did to a database of an earlier version. */
export interface Upgrade {
  /** Versions of the schema. */
  readonly from: number;
  readonly to: number;
  /** The file as it was before; null for PostgreSQL, and when another process upgraded at the same moment and made a copy. */
  readonly copy: string | null;
}

/**
 * Runs one act in one write transaction: what it read is still true when it writes. The act must await nothing but its own
 * statements and change nothing else: it is run again from the start when another transaction interfered.
 *
 * @throws {ForensicsError} what `act` throws; `no_space_left`, `store_unavailable` or `database_damaged` for the database.
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

/**
 * Runs acts of one transaction that do not depend on each other: their statements go to PostgreSQL together. When one fails,
 * the others still end before this does.
 */
export async function pipelined<T extends readonly unknown[]>(
  ...acts: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  await Promise.allSettled(acts);
  const results: unknown = await Promise.all(acts);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the standard type loses the order of the results.
  return results as T;
}

/** A statement outside the open transaction would wait for its end for ever, or not see what it wrote. */
export function assertNoTransaction(): void {
  if (openTransaction.getStore()?.isOpen !== true) return;
  throw new TypeError('a transaction is open: read and write through it');
}

const openTransaction = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Connections to PostgreSQL are shared fairly between requesters: one with many requests does not delay the others. */
export function setRequester<T>(name: string, act: () => T): T {
  return requester.run(name, act);
}

/** Empty for the service's own work. */
export function presentRequester(): string {
  return requester.getStore() ?? '';
}

const requester = new AsyncLocalStorage<string>();

/** Statements of this process, and how long it waited for them. For metrics. */
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

/**
 * A query that is built once for each reader, for short queries that take longer to build than to run. Values that change
 * from one call to the next are placeholders.
 */
export function buildOnce<Q>(build: (reader: Reader) => Q): (reader: Reader) => Q {
  const built = new WeakMap<Reader, Q>();
  return (reader) => {
    const query = built.get(reader) ?? build(reader);
    built.set(reader, query);
    return query;
  };
}

/**
 * A transaction object that is kept for all transactions on one connection, and the notifications of the present one.
 * `renew` begins the next; while `begun` is under way, the first statement may be, too.
 */
export function createTx(engine: EngineName, execute: Execute) {
  const topics = new Set<Topic>();
  /** Of the first statement that failed: none is run after it, and those under way fail with the same cause. */
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

/** The text of a field of a JSON object that is stored as text, in the form that the indexes on such fields have. */
export function jsonField(
  { engine }: Reader,
  column: AnyColumn,
  field: 'at' | 'event' | 'subject',
): SQL<string> {
  return engine === 'sqlite'
    ? sql`${column} ->> ${sql.raw(`'$.${field}'`)}`
    : sql`(${column}::json ->> ${sql.raw(`'${field}'`)})`;
}

/** Whether a JSON list of texts, stored as text, contains this value. */
export function hasElement({ engine }: Reader, column: AnyColumn, value: string): SQL {
  return engine === 'sqlite'
    ? sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`
    : sql`${column}::jsonb @> ${JSON.stringify([value])}::jsonb`;
}

/** The values of a list of whole numbers as a query with one column, `value`: one parameter, however many there are. */
export function eachNumber({ engine }: Reader, numbers: readonly number[]): SQL {
  const list = JSON.stringify(numbers);
  return engine === 'sqlite'
    ? sql`SELECT value FROM json_each(${list})`
    : sql`SELECT value::bigint AS value FROM jsonb_array_elements_text(${list}::jsonb) AS list(value)`;
}

/** Whether a text contains this part, byte for byte: no character is a wildcard. */
export function contains({ engine }: Reader, column: AnyColumn, part: string): SQL {
  return engine === 'sqlite'
    ? sql`instr(${column}, ${part}) > 0`
    : sql`${column} LIKE ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`}`;
}

/** Ends a query for a row to claim: rows that other transactions are claiming are skipped. */
export function skipLocked({ engine }: Reader): SQL {
  // In SQLite no other transaction writes at the same time.
  return engine === 'sqlite' ? sql`` : sql` FOR UPDATE SKIP LOCKED`;
}

/** Whether a column has one of the values that a query returns; PostgreSQL runs the query first and can then use an index. */
export function isOneOf({ engine }: Reader, column: AnyColumn, query: SQLWrapper): SQL {
  return engine === 'sqlite' ? sql`${column} IN ${query}` : sql`${column} = ANY (ARRAY ${query})`;
}

/** Reading this many rows one by one takes as long as reading 200,000 in order. */
const maxIndexed = 20_000;
/** At least three characters; the index ignores what follows U+0000. */
const isIndexed = /^[^\0]{3}[^\0]*$/u;

/**
 * A condition for analyses whose folded name or comment may contain this part, answered from an index. It must be the first
 * of the query. Null where they are many, the part is too short, or the engine uses its index by itself, as PostgreSQL does.
 */
export async function textSearchCondition(reader: Reader, part: string): Promise<SQL | null> {
  if (reader.engine !== 'sqlite' || !isIndexed.test(part)) return null;
  const phrase = `"${part.replaceAll('"', '""')}"`;
  const found = sql`SELECT rowid FROM analysis_texts WHERE analysis_texts MATCH ${phrase}`;
  const counted = reader.select({ many: count() }).from(sql`(${found} LIMIT ${maxIndexed + 1})`);
  const { many = 0 } = (await counted.get()) ?? {};
  return many > maxIndexed ? null : sql`analyses.text_id IN (${found})`;
}

/**
 * A new id: 24 lower-case hex characters, 4 bytes of seconds since 1970 and 8 random bytes. Ids sort roughly by age; they
 * identify records and are never secrets.
 */
export function newId(at: Date = new Date()): string {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(at.getTime() / 1000) >>> 0);
  return seconds.toString('hex') + randomBytes(8).toString('hex');
}

/**
 * Text as the search compares it: ignores case in all of Unicode ("ÄRGER" and "ärger", "STRASSE" and "Straße") and whether
 * accents are composed or decomposed. Not a full collation: accents themselves count.
 */
export function foldText(text: string): string {
  // To upper case first: only that turns ß into SS. Both lower-case Greek sigmas have one capital, but toLowerCase chooses
  // between them by position, so the final one is replaced.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Length as people and JSON Schema count it: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
