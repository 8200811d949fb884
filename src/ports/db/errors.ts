/** Translates those errors of both engines that a caller can act on; all others are passed on unchanged. */

import { causeCode, type ErrorCode, ForensicsError } from '../../errors.ts';

/** Each entry matches the start of an error code of the engine or of the operating system. */
interface Translation {
  readonly codes: readonly string[];
  readonly code: ErrorCode;
  readonly message: string;
}

export function toSqliteError(error: unknown): unknown {
  return translate(error, causeCode(error, 'SQLITE_'), ofSqlite);
}

/** Translates an error from opening the file, which may also have an operating system's code. */
export function toOpeningError(error: unknown): unknown {
  return translate(error, causeCode(error), ofSqlite);
}

export function toPostgresError(error: unknown): unknown {
  return translate(error, readPostgresCode(error), ofPostgres);
}

export function isBusy(error: unknown): boolean {
  return causeCode(error, 'SQLITE_').startsWith('SQLITE_BUSY');
}

/** Whether a transaction failed because of a concurrent one, so that a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return conflictCodes.includes(causeCode(error));
}

// serialization_failure, deadlock_detected; and unique_violation, because a concurrent transaction
// may have inserted the row since our check.
const conflictCodes = ['40001', '40P01', '23505'];

function translate(error: unknown, code: string, translations: readonly Translation[]): unknown {
  if (error instanceof ForensicsError) return error;
  const found = translations.find(({ codes }) => codes.some((begin) => code.startsWith(begin)));
  return found === undefined
    ? error
    : new ForensicsError(found.code, found.message, { cause: error });
}

/** For lost connections, the driver has no codes. */
function readPostgresCode(error: unknown): string {
  const isLost =
    error instanceof Error &&
    /connection terminated|connection error|timeout exceeded|client was closed/i.test(
      error.message,
    );
  return causeCode(error) || (isLost ? 'ECONN' : '');
}

const ofSqlite: readonly Translation[] = [
  {
    // SHMSIZE: the shared-memory file beside the database, which readers also need, cannot grow.
    codes: ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'],
    code: 'no_space_left',
    message: 'The disk that holds the database is full; free some space.',
  },
  {
    codes: ['SQLITE_BUSY'],
    code: 'store_unavailable',
    message: 'The database is busy; try again.',
  },
  {
    codes: ['SQLITE_IOERR'],
    code: 'store_unavailable',
    message:
      'The disk that holds the database is failing; check the disk and its mount, then try again.',
  },
  {
    codes: ['SQLITE_NOTADB'],
    code: 'database_damaged',
    message: 'The database file is damaged; restore it from a backup.',
  },
  {
    // SQLite reports an unreadable page and a page with wrong contents in the same way.
    codes: ['SQLITE_CORRUPT'],
    code: 'database_damaged',
    message:
      'The database cannot be read: its disk is failing, or the file is damaged. Check the disk first; if there is nothing wrong with it, restore a backup.',
  },
  {
    codes: ['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'EACCES', 'EPERM', 'EROFS'],
    code: 'file_not_readable',
    message:
      'The database cannot be written to: another user owns it, or its disk is mounted read-only. Run as that user, for example with sudo -u forensics, or mount the disk for writing.',
  },
];

/** Connections, resources, shutdowns, lock timeouts, conflicts, idle transactions; then operating system codes. */
const unavailableCodes =
  '08 53 57 55P03 40 25P03 ECONN ENOTFOUND EAI_AGAIN ETIMEDOUT EPIPE EHOST ENET'.split(' ');

export const needsSessions =
  'The pooler in front of PostgreSQL lends its connections for only one transaction at a time; set it to session mode (in PgBouncer, pool_mode = session).';

const ofPostgres: readonly Translation[] = [
  {
    codes: ['53100'],
    code: 'no_space_left',
    message: 'The disk that holds the database is full; free some space.',
  },
  {
    codes: ['28', '3D000', '42501', '3F000'],
    code: 'config_invalid',
    message:
      'PostgreSQL refused the connection; check the user, password and database in databaseUrl, and that the user may create tables there.',
  },
  {
    codes: ['58P01', '0A000'],
    code: 'config_invalid',
    message:
      'PostgreSQL lacks the pg_trgm and btree_gin extensions; install its postgresql-contrib package.',
  },
  {
    // A pooler lent a different session: a prepared statement is missing in it, or already exists there.
    codes: ['26000', '42P05'],
    code: 'config_invalid',
    message: needsSessions,
  },
  {
    codes: ['XX001', 'XX002'],
    code: 'database_damaged',
    message: 'The database is damaged; restore it from a backup.',
  },
  {
    codes: unavailableCodes,
    code: 'store_unavailable',
    message:
      'The database is not responding; check that PostgreSQL is running at the address in databaseUrl, then try again.',
  },
];
