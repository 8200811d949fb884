/** Allows only one server for a data folder: a lock of SQLite, which the system releases however its process ends. */

import { existsSync, rmSync, statSync } from 'node:fs';
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
  const inode = inodeOf(file);
  const failure = attemptLock(lock);
  const holder = isBusy(failure) ? Number(lock.pragma('user_version', { simple: true })) : null;
  // Its last holder may have removed the file meanwhile; another server would then lock another file.
  const isReplaced = inodeOf(file) !== inode;
  if (failure !== null || isReplaced) lock.close();
  if (holder !== null) {
    throw conflict(
      `Another server is already using this data folder (process ${holder}); stop it, or choose another folder with --data-dir.`,
    );
  }
  if (isReplaced) return lockForServing(dataDir);
  if (failure !== null) throw toOpeningError(failure);
  return () => {
    // Windows cannot remove an open file.
    if (process.platform !== 'win32') rmSync(file, { force: true });
    lock.close();
  };
}

/** Null if it succeeds. */
function attemptLock(lock: Database.Database): unknown {
  try {
    // Others can read it while the lock is held.
    lock.pragma(`user_version = ${process.pid}`);
    lock.exec('BEGIN IMMEDIATE');
    return null;
  } catch (error) {
    return error;
  }
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

/** NaN, which equals nothing, if there is no such file. */
function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? Number.NaN;
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'serve.lock.db');
}
