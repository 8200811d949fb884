/**
 * What every room knows of the database: a query builder whose statements are run by an engine, SQLite in the data folder
 * or PostgreSQL, and transactions. Both engines understand the same statements; where they do not, `dialect.ts` knows both.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BaseSQLiteDatabase, SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import { type AsyncRemoteCallback, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy';
import { createRowMapper } from './row-mapper.ts';

export type EngineName = 'sqlite' | 'postgres';

export interface RunResult {
  /** Rows that were inserted, changed or deleted. */
  readonly changes: number;
}

/** What reads ask for: the database itself, or an open transaction. */
export type Reader = Builder & { readonly engine: EngineName };

type Builder = BaseSQLiteDatabase<'async', RunResult>;
/** An open write transaction: what every state change asks for. */
export interface Tx extends Reader {
  /** Tells every process that uses the database, this one too, that there is news of this kind; once, after the commit. */
  notify(topic: Topic): void;
}

export interface Db extends Reader {
  /** See `transact`. */
  runTransaction<T>(act: (tx: Tx) => Promise<T>, kind: Kind): Promise<T>;
  /** Runs reads that all see the database as it is at one moment. */
  snapshot<T>(act: (reader: Reader) => Promise<T>): Promise<T>;
  /** Calls back on such news; returns the way to stop that. */
  onNotification(topic: Topic, listener: () => void): () => void;
}

export type Topic = 'jobs' | 'deliveries';

/**
 * `serialised`: as if no other transaction ran beside it. `claim`: needs nothing but the row that it takes, and passes over those
 * that others are about to take; a crash of the database may undo it.
 */
export type Kind = 'serialised' | 'claim' | Turn;

/**
 * Serialised, and one of a name begins when the one before it has ended: those that are bound to meet, such as all that write in
 * one audit log, would otherwise be run again and again.
 */
interface Turn {
  readonly serializedBy: string;
  /** True where a crash of the database may undo it, because it is then done again. Every later transaction keeps it, too. */
  readonly mayBeUndone?: boolean;
}

export interface OpenDatabase<D extends Db = Db> {
  readonly db: D;
  /** Null when it was new, or of the present schema. */
  readonly upgrade: Upgrade | null;
  /** Rejects when the database cannot be read. For health checks. */
  check(): Promise<void>;
  /** After the transactions that are under way. */
  close(): Promise<void>;
}

/** What opening did to a database of an earlier version. */
export interface Upgrade {
  /** Versions of the schema. */
  readonly from: number;
  readonly to: number;
  /** The file as it was before; null when another process upgrades at the same moment, and made one, and for PostgreSQL. */
  readonly copy: string | null;
}

/**
 * Runs one act in one write transaction: what it read is still true when it writes. It awaits nothing but its own
 * statements and changes nothing else: where another transaction came between it is run again from its beginning.
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
    return await present.run(transaction, () => db.runTransaction(act, kind));
  } finally {
    transaction.isOpen = false;
  }
}

/**
 * Acts of one transaction that need nothing of each other: their statements go to PostgreSQL together. Where one fails, all have ended
 * before the transaction does.
 */
export async function pipelined<T extends readonly unknown[]>(
  ...acts: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  await Promise.allSettled(acts);
  const results: unknown = await Promise.all(acts);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the standard type forgets which result is whose.
  return results as T;
}

/** A statement beside the transaction that is open would wait for its end for ever, or miss what it wrote. */
export function assertNoTransaction(): void {
  if (present.getStore()?.isOpen !== true) return;
  throw new TypeError('a transaction is open: read and write through it');
}

const present = new AsyncLocalStorage<{ isOpen: boolean }>();

/** Those for whom much is asked at once do not keep others from a connection to PostgreSQL: the names take turns. */
export function setRequester<T>(name: string, act: () => T): T {
  return sender.run(name, act);
}

/** Empty for what the service does by itself. */
export function presentRequester(): string {
  return sender.getStore() ?? '';
}

const sender = new AsyncLocalStorage<string>();

type Method = 'run' | 'all' | 'get' | 'values';

/** @returns rows as arrays of columns: all of them, for `get` the first one or undefined. */
export type Execute = (
  sql: string,
  params: unknown[],
  method: Method,
) => Promise<{ rows?: unknown; changes?: number }>;

/** Statements of this process, and how long it waited for them. For metrics. */
export const statementsOfProcess = { count: 0, ms: 0 };

function counted(execute: Execute): Execute {
  return async (...asked) => {
    const began = performance.now();
    try {
      return await execute(...asked);
    } finally {
      statementsOfProcess.count += 1;
      statementsOfProcess.ms += performance.now() - began;
    }
  };
}

const dialect = new SQLiteAsyncDialect();

export function createReader(engine: EngineName, execute: Execute): Reader {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the builder's own type demands rows where there are none.
  const callback = counted(execute) as AsyncRemoteCallback;
  const session = new Session(callback, dialect, undefined, undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run` resolves to what the engine answers.
  const reader = new BaseSQLiteDatabase('async', dialect, session, undefined) as unknown as Builder;
  return Object.assign(reader, { engine });
}

/**
 * A query that is built once for each reader: for a short one that takes longer than asking it. What changes from one call to
 * the next are place-holders.
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
 * What has happened in a transaction and is made known after it. To be kept for the next one on the same connection, which
 * `renew` begins; while `begun` is under way, the first statement may be, too.
 */
export function createTx(engine: EngineName, execute: Execute) {
  const announced = new Set<Topic>();
  /** Of the first statement that failed: no other is run after it, and those under way fail because of it. */
  let failure: { readonly cause: unknown } | null = null;
  const reader = createReader(engine, async (...asked) => {
    try {
      if (failure !== null) throw failure.cause;
      return await execute(...asked);
    } catch (error) {
      failure ??= { cause: error };
      throw failure.cause;
    }
  });
  const tx: Tx = Object.assign(reader, {
    notify: (topic: Topic) => void announced.add(topic),
  });
  const renew = (begun?: Promise<unknown>) => {
    announced.clear();
    failure = null;
    begun?.catch((cause: unknown) => (failure ??= { cause }));
  };
  return { tx, announced, renew };
}

/**
 * Errors of the engine as they are: the query builder would put the statement's values into their messages, and so into logs.
 * Rows become objects by a mapper of ours, which is faster.
 */
class Session extends SQLiteRemoteSession<Record<string, never>, Record<string, never>> {
  override prepareQuery: SQLiteRemoteSession<
    Record<string, never>,
    Record<string, never>
  >['prepareQuery'] = (...query) => {
    const prepared = super.prepareQuery(...query);
    const [, fields] = query;
    const mapAll = prepared.mapAllResult.bind(prepared);
    const mapOne = prepared.mapGetResult.bind(prepared);
    let mapper: ReturnType<typeof createRowMapper> | undefined;
    /** The builder tells which tables may have no row only after this function. */
    const mapRow = () => {
      if (fields === undefined) return null;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the builder sets it, but does not declare it.
      const { joinsNotNullableMap } = prepared as JoinedQuery;
      return (mapper ??= createRowMapper(fields, joinsNotNullableMap));
    };
    return Object.assign(prepared, {
      queryWithCache: (_sql: string, _params: unknown[], run: () => Promise<unknown>) => run(),
      mapAllResult(rows: unknown[][]) {
        const map = mapRow();
        return map === null ? mapAll(rows) : rows.map(map);
      },
      mapGetResult(row: unknown[] | undefined) {
        const map = mapRow();
        if (map === null) return mapOne(row);
        return row === undefined ? undefined : map(row);
      },
    });
  };
}

interface JoinedQuery {
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
}
