/**
 * The database file: opened once, brought to the newest schema, shared by every service of a process and safely by
 * several processes. It keeps rows and transactions; it knows no rule of any room.
 */

import { closeSync, copyFileSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database, { type RunResult } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { type ErrorCode, ForensicsError } from '../errors.ts';
import { knownSchemaOf, migrate, migrations } from './migrations.ts';
import { copyBeforeMigration } from './safety-copy.ts';
import { countLostCommits } from './wal-damage.ts';

export type Db = BetterSQLite3Database & { readonly $client: Database.Database };
/** An open write transaction: what every state change asks for. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];
/** Either: what a pure read asks for. */
export type Reader = BaseSQLiteDatabase<'sync', RunResult>;

export interface OpenDatabase {
  readonly db: Db;
  /** Null when the file was new, or of the present schema. */
  readonly upgrade: Upgrade | null;
  /** Null when everything that was committed is there. */
  readonly loss: Loss | null;
  /** Throws when the file cannot be read. For health checks. */
  check(): void;
  close(): void;
}

/** What opening did to a file of an earlier version. */
interface Upgrade {
  /** Versions of the schema. */
  readonly from: number;
  readonly to: number;
  /** The file as it was before; null when another process upgrades at the same moment, and made one. */
  readonly copy: string | null;
}

/** What damage to the write-ahead log cost. */
export interface Loss {
  /** Committed transactions that could not be read any more; at least so many. */
  readonly commits: number;
  /** The damaged log, kept for those who would get something out of it. */
  readonly copy: string;
}

interface DatabasePlace {
  readonly path: string;
  readonly isAlone?: boolean;
  readonly isScratch?: boolean;
  readonly now?: () => Date;
}

// Another process holds the write lock for one short transaction; five seconds means that something is stuck.
const busyTimeoutMs = 5000;
// Exclusive access waits only for commands that are about to end.
const aloneTimeoutMs = 1000;

/**
 * @param path - the database file; it and its folder are made when missing, readable by the owner alone.
 * @param isAlone - keeps every other process out until it is closed.
 * @param isScratch - a copy that goes away again: no copy is made of it before its schema is changed.
 * @throws {ForensicsError} `schema_newer`, `database_damaged`, `no_space_left`, `store_unavailable`,
 *   `file_not_readable`; `conflict` when it cannot be alone.
 */
export function openDatabase(place: DatabasePlace): OpenDatabase {
  const { path, isAlone = false } = place;
  const loss = keepDamagedLog(path);
  const client = openPrivateFile(path);
  let upgrade: Upgrade | null = null;
  try {
    client.pragma(`busy_timeout = ${isAlone ? aloneTimeoutMs : busyTimeoutMs}`);
    if (isAlone) lockOut(client);
    client.pragma('journal_mode = WAL');
    // FULL: what was acknowledged survives a power cut.
    client.pragma('synchronous = FULL');
    client.pragma('foreign_keys = ON');
    if (loss !== null) dropDamagedLog(client);
    upgrade = bringUpToDate(client, place);
  } catch (error) {
    client.close();
    throw toDatabaseError(error);
  }
  return {
    db: drizzle({ client }),
    upgrade,
    loss,
    check: () => {
      client.prepare('SELECT 1 FROM settings LIMIT 1').get();
    },
    close: () => {
      client.close();
    },
  };
}

/** To be called before SQLite opens the file: it recovers what it can at once. */
function keepDamagedLog(path: string): Loss | null {
  try {
    const commits = countLostCommits(path);
    if (commits === 0) return null;
    const copy = `${path}-wal-damaged`;
    copyFileSync(`${path}-wal`, copy);
    return { commits, copy };
  } catch (error) {
    throw toTrouble(error, codeOf(error, ''));
  }
}

/** What recovery reached goes into the file; the rest of the log would be taken for a new loss later. */
function dropDamagedLog(client: Database.Database): void {
  client.pragma('wal_checkpoint(TRUNCATE)');
  if (client.pragma('quick_check(1)', { simple: true }) === 'ok') return;
  throw new ForensicsError('database_damaged', damagedMessage);
}

function bringUpToDate(
  client: Database.Database,
  { path, isScratch = false, now = () => new Date() }: DatabasePlace,
): Upgrade | null {
  const from = knownSchemaOf(client);
  const to = migrations.length;
  if (from === to) return null;
  const isNew = from === 0;
  const copy =
    isNew || isScratch ? null : copyBeforeMigration(client, { path, schema: from, at: now() });
  migrate(client);
  return isNew ? null : { from, to, copy };
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
    throw toDatabaseError(error);
  }
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
export function refuseIfInUse(path: string): void {
  if (!existsSync(path)) return;
  const client = new Database(path);
  try {
    client.pragma(`busy_timeout = ${aloneTimeoutMs}`);
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
export function wipeFreeSpace({ $client }: Db): void {
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
    closeSync(openSync(path, 'a', 0o600));
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

const damagedMessage = 'The database file is damaged; put back a backup of it.';

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
    message: damagedMessage,
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
