/** Translates those errors of both engines that a caller can act on; all others are passed on unchanged. */

import { causeCode, type ErrorCode, ForensicsError } from '../../contract/errors.ts';

/** Each of the codes, separated by spaces, is the start of an error code of the engine or of the operating system. */
type Translation = readonly [codes: string, code: ErrorCode, message: string];

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

// serialization_failure, deadlock_detected, unique_violation: another transaction may have inserted the row.
const conflictCodes = ['40001', '40P01', '23505'];

function translate(error: unknown, code: string, translations: readonly Translation[]): unknown {
  if (error instanceof ForensicsError) return error;
  const found = translations.find(([codes]) =>
    codes.split(' ').some((begin) => code.startsWith(begin)),
  );
  return found === undefined ? error : new ForensicsError(found[1], found[2], { cause: error });
}

/** For lost connections, the driver has no codes. */
function readPostgresCode(error: unknown): string {
  const lost = /connection terminated|connection error|timeout exceeded|client was closed/i;
  const isLost = error instanceof Error && lost.test(error.message);
  return causeCode(error) || (isLost ? 'ECONN' : '');
}

const ofSqlite: readonly Translation[] = [
  [
    // SHMSIZE: the shared-memory file beside the database, which readers also need, cannot grow.
    'SQLITE_FULL SQLITE_IOERR_SHMSIZE ENOSPC EDQUOT',
    'no_space_left',
    'The disk that holds the database is full; free some space.',
  ],
  ['SQLITE_BUSY', 'store_unavailable', 'The database is busy; try again.'],
  [
    'SQLITE_IOERR',
    'store_unavailable',
    'The disk that holds the database is failing; check the disk and its mount, then try again.',
  ],
  ['SQLITE_NOTADB', 'database_damaged', 'The database file is damaged; restore it from a backup.'],
  [
    // SQLite reports an unreadable page and a page with wrong contents in the same way.
    'SQLITE_CORRUPT',
    'database_damaged',
    'The database cannot be read: its disk is failing, or the file is damaged. Check the disk first; if there is nothing wrong with it, restore a backup.',
  ],
  [
    'SQLITE_CANTOPEN SQLITE_READONLY EACCES EPERM EROFS',
    'file_not_readable',
    'The database cannot be written to: another user owns it, or its disk is mounted read-only. Run as that user, for example with sudo -u forensics, or mount the disk for writing.',
  ],
];

export const needsSessions =
  'The pooler in front of PostgreSQL lends its connections for only one transaction at a time; set it to session mode (in PgBouncer, pool_mode = session).';

const ofPostgres: readonly Translation[] = [
  ['53100', 'no_space_left', 'The disk that holds the database is full; free some space.'],
  [
    '28 3D000 42501 3F000',
    'config_invalid',
    'PostgreSQL refused the connection; check the user, password and database in databaseUrl, and that the user may create tables there.',
  ],
  [
    '58P01 0A000',
    'config_invalid',
    'PostgreSQL lacks the pg_trgm and btree_gin extensions; install its postgresql-contrib package.',
  ],
  // A pooler lent a different session: a prepared statement is missing in it, or already exists there.
  ['26000 42P05', 'config_invalid', needsSessions],
  ['XX001 XX002', 'database_damaged', 'The database is damaged; restore it from a backup.'],
  [
    // Connections, resources, shutdowns, lock timeouts, conflicts, idle transactions; then operating system codes.
    '08 53 57 55P03 40 25P03 ECONN ENOTFOUND EAI_AGAIN ETIMEDOUT EPIPE EHOST ENET',
    'store_unavailable',
    'The database is not responding; check that PostgreSQL is running at the address in databaseUrl, then try again.',
  ],
];
