/** SQLite, the engine of the data folder: one file, shared by a process's services and safely by several processes. */

import { EventEmitter } from 'node:events';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { conflict, hasCode, usageError } from '../../contract/errors.ts';
import type { Execute } from './builder.ts';
import {
  assertNoTransaction,
  createReader,
  probeWriting,
  createTx,
  type Db,
  type OpenDatabase,
  type Reader,
  type Topic,
  type Tx,
  type Upgrade,
} from './database.ts';
import { isBusy, toOpeningError, toSqliteError } from './errors.ts';
import {
  checkedSchema,
  currentSchema,
  migrateSqlite,
  readSchema,
  schemaSteps,
} from './migrations.ts';

export interface SqliteDb extends Db {
  readonly $client: Database.Database;
}

interface DatabasePlace {
  readonly path: string;
  readonly isExclusive?: boolean;
  readonly isScratch?: boolean;
  readonly now?: () => Date;
}

// Other processes hold the write lock only for one short transaction, so after five seconds something is stuck.
const busyTimeoutMs = 5000;
const maxPauseMs = 20;
// Exclusive access only has to wait for commands that are about to finish.
const exclusiveTimeoutMs = 1000;

/**
 * @param path - the database file; if the file or its folder is missing, it is created with access only for the owner.
 * @param isExclusive - keeps every other process out until closed.
 * @param isScratch - a temporary copy, which is not itself copied before its schema is upgraded.
 * @throws {ForensicsError} `schema_newer`, `database_damaged`, `no_space_left`, `store_unavailable`,
 *   `file_not_readable`; `conflict` if exclusive access is impossible.
 */
export function openDatabase(place: DatabasePlace): OpenDatabase<SqliteDb> {
  try {
    return openSqlite(place);
  } catch (error) {
    // With exclusive access, SQLite needs no file beside the database, so a full disk can still be read and backed up.
    if (place.isExclusive === true || !hasCode(error, 'no_space_left')) throw error;
    return openSqlite({ ...place, isExclusive: true });
  }
}

function openSqlite(place: DatabasePlace): OpenDatabase<SqliteDb> {
  const { path, isExclusive = false, isScratch = false, now = () => new Date() } = place;
  const client = openPrivateFile(path);
  let upgrade: OpenDatabase['upgrade'];
  try {
    client.pragma(`busy_timeout = ${isExclusive ? exclusiveTimeoutMs : busyTimeoutMs}`);
    if (isExclusive) lockOut(client);
    client.pragma('journal_mode = WAL');
    // FULL: acknowledged transactions survive a power cut.
    client.pragma('synchronous = FULL');
    client.pragma('foreign_keys = ON');
    upgrade = upgradeSqlite(client, { path, isScratch, now });
    // From now on, `createSqliteDb` waits for locks, without blocking the process.
    client.pragma('busy_timeout = 0');
  } catch (error) {
    client.close();
    throw toSqliteError(error);
  }
  const db = createSqliteDb(client);
  return { db, upgrade, check: () => probeWriting(db), close: () => db.close() };
}

/** SQLite keeps the mode with which the file is created, and uses the same mode for its side files. */
function openPrivateFile(path: string): Database.Database {
  try {
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Skipped if the file exists: this process may have it open, and closing it here would release SQLite's locks.
    if (!fs.existsSync(path)) fs.closeSync(fs.openSync(path, 'a', 0o600));
    return new Database(path);
  } catch (error) {
    throw toOpeningError(error);
  }
}

/** Each open connection holds a lock, so this fails while another process uses the file. */
function lockOut(client: Database.Database): void {
  client.pragma('locking_mode = EXCLUSIVE');
  try {
    client.transaction(() => undefined).exclusive();
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw conflict(
      'A server, a worker or another command is using this data folder; stop it first.',
      { cause: error },
    );
  }
}

/** @throws {ForensicsError} `usage` with PostgreSQL, because the command works on files in the data folder. */
export function requireSqlite(db: Db): SqliteDb {
  if (isSqlite(db)) return db;
  throw usageError(
    'The database is PostgreSQL: back it up with pg_dump, as "forensics help machines" explains.',
  );
}

export function isSqlite(db: Db): db is SqliteDb {
  return db.engine === 'sqlite';
}

/** One connection: statements wait for an open transaction and, without blocking, for the locks of other processes. */
export function createSqliteDb(
  client: Database.Database,
): SqliteDb & { readonly close: () => Promise<void> } {
  const notifications = new EventEmitter();
  notifications.setMaxListeners(0);
  const turns = createTurns();
  const { tx, topics, renew } = createTx('sqlite', async (...statement) =>
    execute(client, ...statement),
  );

  async function runTransaction<T>(act: (tx: Tx) => Promise<T>): Promise<T> {
    // Immediate: takes the lock before the first read, so that what was read is still true at the time of the write.
    const end = await turns.begin(() => void client.exec('BEGIN IMMEDIATE'));
    let committed: readonly Topic[];
    let result: T;
    try {
      renew();
      result = await act(tx);
      client.exec('COMMIT');
      committed = [...topics];
    } catch (error) {
      if (client.inTransaction) client.exec('ROLLBACK');
      throw toSqliteError(error);
    } finally {
      end();
    }
    for (const topic of committed) notifications.emit(topic);
    return result;
  }

  const reader = createReader('sqlite', async (...statement) => {
    assertNoTransaction();
    return turns.between(() => execute(client, ...statement));
  });
  return Object.assign(reader, {
    $client: client,
    runTransaction,
    snapshot: <T>(act: (reader: Reader) => Promise<T>) =>
      reading(client.name, (copy) => {
        copy.exec('BEGIN');
        return act(createReader('sqlite', async (...statement) => execute(copy, ...statement)));
      }),
    onNotification(topic: Topic, listener: () => void) {
      notifications.on(topic, listener);
      return () => void notifications.off(topic, listener);
    },
    close: () => turns.between(() => void client.close()),
  });
}

/** Runs one transaction at a time, and other statements between transactions. */
function createTurns() {
  let transaction: Promise<void> | null = null;

  /** Runs `act`, which must be synchronous, while no transaction of this process is open. */
  async function between<T>(act: () => T): Promise<T> {
    const deadline = performance.now() + busyTimeoutMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      for (let open = transaction; open !== null; open = transaction) await open;
      try {
        return act();
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw toSqliteError(error);
      }
      await setTimeout(pauseMs);
    }
  }

  return {
    between,
    /** @returns a function that ends the transaction. */
    async begin(act: () => void): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      await between(() => {
        act();
        transaction = promise;
      });
      return () => {
        transaction = null;
        resolve();
      };
    },
  };
}

/** Runs `act` on a file opened read-only. */
export async function reading<T>(
  path: string,
  act: (client: Database.Database) => Promise<T>,
): Promise<T> {
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { readonly: true, fileMustExist: true });
    return await act(client);
  } catch (error) {
    throw toOpeningError(error);
  } finally {
    client?.close();
  }
}

function execute(
  client: Database.Database,
  ...[sql, params, method]: Parameters<Execute>
): Awaited<ReturnType<Execute>> {
  const statement = prepare(client, sql);
  if (method === 'run') return { changes: statement.run(...params).changes };
  statement.raw();
  return { rows: method === 'get' ? statement.get(...params) : statement.all(...params) };
}

// More statements than the program has; only id lists of different lengths add to their number.
const maxPrepared = 500;
const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** Once per connection, because this takes longer than running a short statement. SQLite plans again by itself. */
function prepare(client: Database.Database, sql: string): Database.Statement {
  const known = prepared.get(client) ?? new Map<string, Database.Statement>();
  prepared.set(client, known);
  const statement = known.get(sql) ?? client.prepare(sql);
  // Moves it to the end, so that the first entry is the least recently used one.
  known.delete(sql);
  known.set(sql, statement);
  const [oldest] = known.keys();
  if (known.size > maxPrepared && oldest !== undefined) known.delete(oldest);
  return statement;
}

/**
 * Copies the database as it is at one moment, while other processes keep writing. Blocks this process.
 *
 * @param to - a file that does not exist yet; only its owner will be able to read it, and it needs no file beside it.
 * @throws {ForensicsError} `no_space_left`, `store_unavailable`, `database_damaged`.
 */
export function copyDatabase(client: Database.Database, to: string): void {
  // SQLite keeps the mode of an existing empty file; others could read a file that it creates itself.
  const file = fs.openSync(to, 'wx+', 0o600);
  try {
    client.prepare('VACUUM INTO ?').run(to);
    fs.fsyncSync(file);
  } catch (error) {
    throw toSqliteError(error);
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Rewrites the file so that deleted or overwritten data can no longer be read from it. Needs exclusive access, and as
 * much free space as the file itself.
 *
 * @throws {ForensicsError} `no_space_left`; the file is then unchanged.
 */
export function wipeFreeSpace({ $client }: SqliteDb): void {
  try {
    $client.exec('VACUUM');
    $client.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw toSqliteError(error);
  }
}

/**
 * Upgrades a file from an earlier version to the current schema. Makes a copy first, with which it is possible to go
 * back to that version. The newest three copies are kept, in `backups/` beside the database.
 *
 * @returns null for a new file, and for one that already has the current schema.
 */
function upgradeSqlite(
  client: Database.Database,
  { path, isScratch, now }: Required<Omit<DatabasePlace, 'isExclusive'>>,
): Upgrade | null {
  const from = checkedSchema(client);
  const to = currentSchema('sqlite');
  if (from === to) return null;
  const isNew = from === 0;
  const copy = isNew || isScratch ? null : copyBefore(client, from, path, now());
  migrateSqlite(client, schemaSteps('sqlite'));
  return isNew ? null : { from, to, copy };
}

const keptCopies = 3;
/** Includes SQLite's journal of the copy. */
const unfinishedPattern = /\.new(?:-journal)?$/;
const abandonedMs = 3_600_000;
const copyPattern = /^forensics-\d+-(?<date>\d{8}T\d{6}Z)\.db$/;

/** @returns null if another process has upgraded the file in the meantime, and therefore made a copy. */
function copyBefore(
  client: Database.Database,
  schema: number,
  path: string,
  at: Date,
): string | null {
  const folder = join(dirname(path), 'backups');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeUnfinished(folder, at);
  const stamp = at.toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
  const copy = join(folder, `forensics-${schema}-${stamp}.db`);
  const temporary = `${copy}.${process.pid}.new`;
  try {
    copyDatabase(client, temporary);
    if (schemaIn(temporary) !== schema) return null;
    fs.renameSync(temporary, copy);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  removeOldest(folder);
  return copy;
}

/** Removes copies that killed processes left behind, each as large as the database. Recent ones may be in progress. */
function removeUnfinished(folder: string, at: Date): void {
  for (const name of fs.readdirSync(folder).filter((one) => unfinishedPattern.test(one))) {
    const file = join(folder, name);
    const age = at.getTime() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > abandonedMs) fs.rmSync(file, { force: true });
  }
}

const dateIn = (name: string) => copyPattern.exec(name)?.groups?.['date'] ?? '';

function schemaIn(path: string): number {
  const client = new Database(path, { readonly: true });
  try {
    return readSchema(client);
  } finally {
    client.close();
  }
}

function removeOldest(folder: string): void {
  const copies = fs.readdirSync(folder).filter((name) => copyPattern.test(name));
  const newestFirst = copies.toSorted((one, other) => (dateIn(one) < dateIn(other) ? 1 : -1));
  for (const name of newestFirst.slice(keptCopies)) fs.rmSync(join(folder, name), { force: true });
}
