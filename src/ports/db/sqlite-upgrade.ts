/**
 * Upgrades a file from an earlier version to the current schema. First it makes a copy, so that it is possible to go
 * back to that version. Copies are stored in `backups/` beside the database; the newest three are kept.
 */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Upgrade } from './database.ts';
import { checkedSchema, migrateSqlite, currentSchema, readSchema } from './migrations.ts';

interface UpgradeOptions {
  /** Path of the file opened by `client`. */
  readonly path: string;
  /** Whether the file is a temporary copy that needs no copy itself. */
  readonly isScratch: boolean;
  readonly at: Date;
}

/** @returns null for a new file and for one with the current schema. */
export function upgradeSqlite(client: Database.Database, options: UpgradeOptions): Upgrade | null {
  const from = checkedSchema(client);
  const to = currentSchema('sqlite');
  if (from === to) return null;
  const isNew = from === 0;
  const copy = isNew || options.isScratch ? null : copyBefore(client, from, options);
  migrateSqlite(client);
  return isNew ? null : { from, to, copy };
}

const keptCopies = 3;
/** Including SQLite's journal beside it. */
const unfinishedPattern = /\.new(?:-journal)?$/;
const abandonedMs = 3_600_000;
const copyPattern = /^forensics-\d+-(?<date>\d{8}T\d{6}Z)\.db$/;

/** @returns null if another process has upgraded the file in the meantime, and so made a copy. */
function copyBefore(
  client: Database.Database,
  schema: number,
  { path, at }: UpgradeOptions,
): string | null {
  const folder = join(dirname(path), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeUnfinished(folder, at);
  const stamp = at.toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
  const copy = join(folder, `forensics-${schema}-${stamp}.db`);
  const temporary = `${copy}.${process.pid}.new`;
  try {
    // SQLite keeps the mode of an existing empty file; a file that it creates itself would be readable by others.
    closeSync(openSync(temporary, 'wx', 0o600));
    client.prepare('VACUUM INTO ?').run(temporary);
    if (schemaIn(temporary) !== schema) return null;
    syncFile(temporary);
    renameSync(temporary, copy);
  } finally {
    rmSync(temporary, { force: true });
  }
  removeOldest(folder);
  return copy;
}

/** Removes the copies of killed processes, which are as large as the database. Recent ones may be in progress. */
function removeUnfinished(folder: string, at: Date): void {
  for (const name of readdirSync(folder).filter((one) => unfinishedPattern.test(one))) {
    const file = join(folder, name);
    const age = at.getTime() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > abandonedMs) rmSync(file, { force: true });
  }
}

function schemaIn(path: string): number {
  const client = new Database(path, { readonly: true });
  try {
    return readSchema(client);
  } finally {
    client.close();
  }
}

/** Makes the file's contents survive a power cut. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeOldest(folder: string): void {
  const copies = readdirSync(folder).filter((name) => copyPattern.test(name));
  const newestFirst = copies.toSorted((one, other) => (dateIn(one) < dateIn(other) ? 1 : -1));
  for (const name of newestFirst.slice(keptCopies)) rmSync(join(folder, name), { force: true });
}

function dateIn(name: string): string {
  return copyPattern.exec(name)?.groups?.['date'] ?? '';
}
