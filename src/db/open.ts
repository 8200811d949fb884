/**
 * The database file: opened once, brought to the newest schema, shared by every service of a process and safely by
 * several processes. It keeps rows and transactions; it knows no rule of any room.
 */

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database, { type RunResult } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { ForensicsError } from '../errors.ts';
import { migrate } from './migrations.ts';

export type Db = BetterSQLite3Database & { readonly $client: Database.Database };
/** An open write transaction: what every state change asks for. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];
/** Either: what a pure read asks for. */
export type Reader = BaseSQLiteDatabase<'sync', RunResult>;

export interface OpenDatabase {
  readonly db: Db;
  /** Throws when the file cannot be read. For health checks. */
  check(): void;
  close(): void;
}

interface DatabasePlace {
  readonly path: string;
  readonly isAlone?: boolean;
}

// Another process holds the write lock for one short transaction; five seconds means that something is stuck.
const busyTimeoutMs = 5000;
// Who must be alone waits only for commands that are about to end.
const aloneTimeoutMs = 1000;

/**
 * @param path - the database file; it and its folder are made when missing, readable by the owner alone.
 * @param isAlone - keeps every other process out until it is closed.
 * @throws {ForensicsError} `schema_newer`, `database_damaged`, `no_space_left`, `store_unavailable`; `conflict` when it
 *   cannot be alone.
 */
export function openDatabase({ path, isAlone = false }: DatabasePlace): OpenDatabase {
  makePrivateFile(path);
  const client = new Database(path);
  try {
    client.pragma(`busy_timeout = ${isAlone ? aloneTimeoutMs : busyTimeoutMs}`);
    if (isAlone) lockOut(client);
    client.pragma('journal_mode = WAL');
    // FULL: what was acknowledged survives a power cut.
    client.pragma('synchronous = FULL');
    client.pragma('foreign_keys = ON');
    migrate(client);
  } catch (error) {
    client.close();
    throw translate(error);
  }
  return {
    db: drizzle({ client }),
    check: () => {
      client.prepare('SELECT 1 FROM settings LIMIT 1').get();
    },
    close: () => {
      client.close();
    },
  };
}

/**
 * Runs one act in one write transaction. Immediate: the lock is taken before the first read, so that what was read is
 * still true when it is written. Nothing can be awaited inside.
 *
 * @throws {ForensicsError} what `act` throws; `no_space_left` or `store_unavailable` for the file itself.
 */
export function transact<T>(
  db: Db,
  act: (tx: Tx) => T extends PromiseLike<unknown> ? never : T,
): T {
  try {
    return db.transaction<T>(act, { behavior: 'immediate' });
  } catch (error) {
    throw translate(error);
  }
}

/** Every open connection holds a lock, so this also says whether anybody else is at work; a dead process holds none. */
function lockOut(client: Database.Database): void {
  client.pragma('locking_mode = EXCLUSIVE');
  try {
    client.transaction(() => undefined).exclusive();
  } catch (error) {
    if (!sqliteCode(error).startsWith('SQLITE_BUSY')) throw error;
    throw new ForensicsError(
      'conflict',
      'A server, a worker or another command uses this data folder; stop it first.',
      { cause: error },
    );
  }
}

/**
 * Writes the file anew, so that nothing can be read from it which was overwritten or deleted. For a database that was
 * opened alone. Needs as much space again.
 *
 * @throws {ForensicsError} `no_space_left`: then the file is as it was.
 */
export function wipeFreeSpace({ $client }: Db): void {
  try {
    $client.exec('VACUUM');
    $client.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    throw translate(error);
  }
}

/** SQLite's file takes the mode of its first opening, and its side files take the mode of the file. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** The troubles a caller can do something about; everything else passes as it is. */
function translate(error: unknown): unknown {
  if (error instanceof ForensicsError) return error;
  const code = sqliteCode(error);
  if (code.startsWith('SQLITE_FULL')) {
    return new ForensicsError('no_space_left', 'The disk of the database is full; make room.', {
      cause: error,
    });
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new ForensicsError('store_unavailable', 'The database is busy; try again.', {
      cause: error,
    });
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return new ForensicsError(
      'database_damaged',
      'The database file is damaged; put back a backup of it.',
      { cause: error },
    );
  }
  return error;
}

/** The driver's error may be wrapped by the query builder. */
function sqliteCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && at.code.startsWith('SQLITE_'))
      return at.code;
  }
  return '';
}
