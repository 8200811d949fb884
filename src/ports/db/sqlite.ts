/**
 * SQLite, the engine of the data folder: a file that is opened once, brought to the newest schema, shared by every service
 * of a process and safely by several processes.
 */

import { EventEmitter } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type ErrorCode, ForensicsError } from '../../errors.ts';
import {
  createReader,
  createTx,
  type Db,
  type Execute,
  type Topic,
  type OpenDatabase,
  type Reader,
  assertNoTransaction,
  type Tx,
  type Upgrade,
} from './database.ts';
import { checkedSchema, migrateSqlite, presentSchema } from './migrations.ts';
import { copyBeforeMigration } from './safety-copy.ts';

export interface SqliteDb extends Db {
  readonly $client: Database.Database;
}

interface DatabasePlace {
  readonly path: string;
  readonly isExclusive?: boolean;
  readonly isScratch?: boolean;
  readonly now?: () => Date;
}

// Another process holds the write lock for one short transaction; five seconds means that something is stuck.
const busyTimeoutMs = 5000;
const longestPauseMs = 20;
// Exclusive access waits only for commands that are about to end.
const exclusiveTimeoutMs = 1000;

/**
 * @param path - the database file; it and its folder are made when missing, readable by the owner alone.
 * @param isExclusive - keeps every other process out until it is closed.
 * @param isScratch - a copy that goes away again: no copy is made of it before its schema is changed.
 * @throws {ForensicsError} `schema_newer`, `database_damaged`, `no_space_left`, `store_unavailable`,
 *   `file_not_readable`; `conflict` when it cannot be alone.
 */
export function openDatabase(place: DatabasePlace): OpenDatabase<SqliteDb> {
  const { path, isExclusive = false } = place;
  const client = openPrivateFile(path);
  let upgrade: Upgrade | null = null;
  try {
    client.pragma(`busy_timeout = ${isExclusive ? exclusiveTimeoutMs : busyTimeoutMs}`);
    if (isExclusive) lockOut(client);
    client.pragma('journal_mode = WAL');
    // FULL: what was acknowledged survives a power cut.
    client.pragma('synchronous = FULL');
    client.pragma('foreign_keys = ON');
    upgrade = bringUpToDate(client, place);
    // From now on nobody waits for the lock with the whole process: see `createSqliteDb`.
    client.pragma('busy_timeout = 0');
  } catch (error) {
    client.close();
    throw toDatabaseError(error);
  }
  const db = createSqliteDb(client);
  return {
    db,
    upgrade,
    check: async () => {
      client.prepare('SELECT 1 FROM settings LIMIT 1').get();
    },
    close: () => db.close(),
  };
}

/** @throws {ForensicsError} `usage`: what is asked for is done with files of the data folder. */
export function requireSqlite(db: Db): SqliteDb {
  if (isSqlite(db)) return db;
  throw new ForensicsError(
    'usage',
    'The database is PostgreSQL: back it up with pg_dump, as "forensics help machines" says.',
  );
}

export function isSqlite(db: Db): db is SqliteDb {
  return db.engine === 'sqlite';
}

/**
 * One connection: a statement beside an open transaction of this process waits for its end. For the lock of the file, which
 * another process holds for one short transaction, it waits without keeping this process from other work.
 */
export function createSqliteDb(
  client: Database.Database,
): SqliteDb & { readonly close: () => Promise<void> } {
  const news = new EventEmitter();
  news.setMaxListeners(0);
  let underWay: Promise<void> | null = null;

  /** Runs `act` while no transaction of this process is open; it must not wait for anything. */
  async function alone<T>(act: () => T): Promise<T> {
    const givenUpAt = performance.now() + busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      for (let present = underWay; present !== null; present = underWay) await present;
      try {
        return act();
      } catch (error) {
        const isBusy = codeOf(error, 'SQLITE_').startsWith('SQLITE_BUSY');
        if (!isBusy || performance.now() > givenUpAt) throw error;
      }
      await setTimeout(pauseMs);
    }
  }

  const { tx, announced, renew } = createTx('sqlite', async (...statement) =>
    execute(client, ...statement),
  );
  const reader = createReader('sqlite', async (...statement) => {
    assertNoTransaction();
    try {
      return await alone(() => execute(client, ...statement));
    } catch (error) {
      throw toDatabaseError(error);
    }
  });

  return Object.assign(reader, {
    $client: client,
    async runTransaction<T>(act: (tx: Tx) => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<void>();
      let told: readonly Topic[];
      let result: T;
      try {
        await alone(() => {
          // Immediate: the lock is taken before the first read, so that what was read is still true when it is written.
          client.exec('BEGIN IMMEDIATE');
          underWay = promise;
        });
        try {
          renew();
          result = await act(tx);
          client.exec('COMMIT');
          told = [...announced];
        } catch (error) {
          if (client.inTransaction) client.exec('ROLLBACK');
          throw error;
        } finally {
          underWay = null;
          resolve();
        }
      } catch (error) {
        throw toDatabaseError(error);
      }
      for (const kind of told) news.emit(kind);
      return result;
    },
    async snapshot<T>(act: (reader: Reader) => Promise<T>): Promise<T> {
      const own = new Database(client.name, { readonly: true });
      try {
        own.exec('BEGIN');
        return await act(
          createReader('sqlite', async (...statement) => execute(own, ...statement)),
        );
      } finally {
        own.close();
      }
    },
    onNotification(kind: Topic, listener: () => void) {
      news.on(kind, listener);
      return () => void news.off(kind, listener);
    },
    close: () => alone(() => void client.close()),
  });
}

function execute(
  client: Database.Database,
  ...[sql, params, method]: Parameters<Execute>
): Awaited<ReturnType<Execute>> {
  const statement = preparedOf(client, sql);
  if (method === 'run') return { changes: statement.run(...params).changes };
  statement.raw();
  return { rows: method === 'get' ? statement.get(...params) : statement.all(...params) };
}

// Above what the program asks; only lists of ids of ever new lengths add to that.
const mostPrepared = 500;
const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/**
 * Parsed and planned once a connection: for short statements that takes longer than their work. After a change of the
 * schema SQLite plans them anew by itself.
 */
function preparedOf(client: Database.Database, sql: string): Database.Statement {
  const known = prepared.get(client) ?? new Map<string, Database.Statement>();
  prepared.set(client, known);
  const statement = known.get(sql) ?? client.prepare(sql);
  // The one that was used last comes last.
  known.delete(sql);
  known.set(sql, statement);
  const [oldest] = known.keys();
  if (known.size > mostPrepared && oldest !== undefined) known.delete(oldest);
  return statement;
}

function bringUpToDate(
  client: Database.Database,
  { path, isScratch = false, now = () => new Date() }: DatabasePlace,
): Upgrade | null {
  const from = checkedSchema(client);
  const to = presentSchema('sqlite');
  if (from === to) return null;
  const isNew = from === 0;
  const copy =
    isNew || isScratch ? null : copyBeforeMigration(client, { path, schema: from, at: now() });
  migrateSqlite(client);
  return isNew ? null : { from, to, copy };
}

/** Every open connection holds a lock, so this also says whether anybody else is at work; a dead process holds none. */
function lockOut(client: Database.Database): void {
  client.pragma('locking_mode = EXCLUSIVE');
  try {
    client.transaction(() => undefined).exclusive();
  } catch (error) {
    if (!codeOf(error, 'SQLITE_').startsWith('SQLITE_BUSY')) throw error;
    throw new ForensicsError(
      'conflict',
      'A server, a worker or another command uses this data folder; stop it first.',
      { cause: error },
    );
  }
}

/**
 * For callers that are about to replace the file. A file that is missing or no database is not in use.
 *
 * @throws {ForensicsError} `conflict`.
 */
export function assertNotInUse(path: string): void {
  if (!existsSync(path)) return;
  const client = new Database(path);
  try {
    client.pragma(`busy_timeout = ${exclusiveTimeoutMs}`);
    lockOut(client);
  } catch (error) {
    // Whatever else is wrong with it may be why it is to be replaced.
    if (error instanceof ForensicsError) throw error;
  } finally {
    client.close();
  }
}

/**
 * Writes the file anew, so that nothing can be read from it which was overwritten or deleted. For a database that was
 * opened alone. Needs as much space again.
 *
 * @throws {ForensicsError} `no_space_left`: then the file is as it was.
 */
export function wipeFreeSpace({ $client }: SqliteDb): void {
  try {
    $client.exec('VACUUM');
    $client.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** SQLite's file takes the mode of its first opening, and its side files take the mode of the file. */
function openPrivateFile(path: string): Database.Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // One that exists may be open here: closing it would drop SQLite's locks on it.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    return new Database(path);
  } catch (error) {
    throw toTrouble(error, codeOf(error, ''));
  }
}

/** The troubles a caller can do something about; everything else passes as it is. */
export function toDatabaseError(error: unknown): unknown {
  return toTrouble(error, codeOf(error, 'SQLITE_'));
}

function toTrouble(error: unknown, code: string): unknown {
  if (error instanceof ForensicsError) return error;
  const trouble = troubles.find(({ codes }) => codes.some((begin) => code.startsWith(begin)));
  if (trouble === undefined) return error;
  return new ForensicsError(trouble.is, trouble.message, { cause: error });
}

/** By the beginnings of the codes of SQLite and of the system. */
const troubles: readonly {
  readonly codes: readonly string[];
  readonly is: ErrorCode;
  readonly message: string;
}[] = [
  {
    // SHMSIZE: the file beside the database that readers need, too, cannot grow.
    codes: ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'],
    is: 'no_space_left',
    message: 'The disk of the database is full; make room.',
  },
  {
    codes: ['SQLITE_BUSY'],
    is: 'store_unavailable',
    message: 'The database is busy; try again.',
  },
  {
    codes: ['SQLITE_IOERR'],
    is: 'store_unavailable',
    message: 'The disk of the database fails; look at the disk and its mount, then try again.',
  },
  {
    codes: ['SQLITE_NOTADB'],
    is: 'database_damaged',
    message: 'The database file is damaged; put back a backup of it.',
  },
  {
    // SQLite says the same of a page that the disk could not read as of one whose content is wrong.
    codes: ['SQLITE_CORRUPT'],
    is: 'database_damaged',
    message:
      'The database cannot be read: its disk fails, or the file is damaged. Check the disk first; if that is in order, put back a backup.',
  },
  {
    codes: ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'EACCES', 'EPERM', 'EROFS'],
    is: 'file_not_readable',
    message:
      'The database cannot be opened for writing; run as the user who owns the data folder, such as sudo -u forensics.',
  },
];

/** The driver's error may be wrapped by the query builder. */
function codeOf(error: unknown, begin: string): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && at.code.startsWith(begin)) return at.code;
  }
  return '';
}

/** Loads the native module and asks it. @returns the version of SQLite, such as `3.50.1`. */
export function engineVersion(): string {
  const client = new Database(':memory:');
  try {
    return String(client.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    client.close();
  }
}
