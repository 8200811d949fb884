/**
 * Brings the file of an earlier version to the present schema. Before that it makes a copy: the way back to that version.
 * Copies lie beside the database in `backups/`; the newest three are kept.
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
import { checkedSchema, migrateSqlite, presentSchema, readSchema } from './migrations.ts';

interface UpgradeOptions {
  /** Of the file that `client` has open. */
  readonly path: string;
  /** No copy is made of a file that is itself a temporary copy. */
  readonly isScratch: boolean;
  readonly at: Date;
}

/** @returns null for a new file and for one that has the present schema. */
export function upgradeSqlite(client: Database.Database, options: UpgradeOptions): Upgrade | null {
  const from = checkedSchema(client);
  const to = presentSchema('sqlite');
  if (from === to) return null;
  const isNew = from === 0;
  const copy = isNew || options.isScratch ? null : copyBefore(client, from, options);
  migrateSqlite(client);
  return isNew ? null : { from, to, copy };
}

const keptCopies = 3;
/** With the journal that SQLite keeps beside it. */
const unfinishedPattern = /\.new(?:-journal)?$/;
const abandonedMs = 3_600_000;
const copyPattern = /^forensics-\d+-(?<date>\d{8}T\d{6}Z)\.db$/;

/** @returns null when another process upgraded the file in the meantime: then that process made a copy. */
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
    // SQLite fills an empty file and keeps its mode; a file that it creates itself would be readable by others.
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

/** Of processes that were killed: each is as large as the database. One that was changed recently may still be written. */
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

/** Its contents survive a power cut. */
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
