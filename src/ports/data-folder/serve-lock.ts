/** Allows only one server for a data folder: a lock of SQLite, which the system releases however its process ends. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { conflict } from '../../contract/errors.ts';
import { isBusy, toOpeningError } from '../db/errors.ts';

// Longer than `isServed` holds the lock.
const waitMs = 500;

/** Returns a function that releases the lock. @throws {ForensicsError} `conflict`, `no_space_left`, `file_not_readable`. */
export function lockForServing(dataDir: string): () => void {
  const file = lockFile(dataDir);
  const lock = open(file);
  try {
    // Others can read it while the lock is held.
    lock.pragma(`user_version = ${process.pid}`);
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    const holder = isBusy(error) ? Number(lock.pragma('user_version', { simple: true })) : null;
    lock.close();
    if (holder === null) throw toOpeningError(error);
    throw conflict(
      `Another server is already using this data folder (process ${holder}); stop it, or choose another folder with --data-dir.`,
    );
  }
  // The file stays: a server that is waiting for a lock on it would not see that of the next one on another file.
  return () => void lock.close();
}

export function isServed(dataDir: string): boolean {
  const file = lockFile(dataDir);
  if (!existsSync(file)) return false;
  const lock = open(file);
  try {
    lock.exec('BEGIN IMMEDIATE');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock.close();
  }
}

function open(file: string): Database.Database {
  try {
    return new Database(file, { timeout: waitMs });
  } catch (error) {
    throw toOpeningError(error);
  }
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'serve.lock.db');
}
