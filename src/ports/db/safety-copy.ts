/**
 * A copy of the database as an earlier version left it, made before its schema is changed: the way back to that version.
 * Copies lie beside the database in `backups/`, the newest three are kept.
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
import { readSchema } from './migrations.ts';

const keptCopies = 3;
/** With the journal that SQLite keeps beside it. */
const unfinishedPattern = /\.new(?:-journal)?$/;
const abandonedMs = 3_600_000;
const copyPattern = /^forensics-\d+-(?<date>\d{8}T\d{6}Z)\.db$/;

/**
 * Needs as much space as the database.
 *
 * @param schema - the version that `client` was found at.
 * @returns the copy; null when another process has changed the schema meanwhile: then that one made a copy.
 */
export function copyBeforeMigration(
  client: Database.Database,
  { path, schema, at }: { readonly path: string; readonly schema: number; readonly at: Date },
): string | null {
  const folder = join(dirname(path), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeUnfinished(folder, at);
  const copy = join(folder, `forensics-${schema}-${stampOf(at)}.db`);
  const temporary = `${copy}.${process.pid}.new`;
  try {
    // SQLite fills an empty file and leaves it its mode; one that it made itself others could read.
    closeSync(openSync(temporary, 'wx', 0o600));
    client.prepare('VACUUM INTO ?').run(temporary);
    if (schemaIn(temporary) !== schema) return null;
    sync(temporary);
    renameSync(temporary, copy);
  } finally {
    rmSync(temporary, { force: true });
  }
  removeOldest(folder);
  return copy;
}

/** Of processes that were killed: each is as large as the database. One that was written to lately may still grow. */
function removeUnfinished(folder: string, at: Date): void {
  for (const name of readdirSync(folder).filter((one) => unfinishedPattern.test(one))) {
    const file = join(folder, name);
    const age = at.getTime() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > abandonedMs) rmSync(file, { force: true });
  }
}

function stampOf(at: Date): string {
  return at.toISOString().replace(/\.\d+/, '').replaceAll(/[:-]/g, '');
}

function schemaIn(path: string): number {
  const client = new Database(path, { readonly: true });
  try {
    return readSchema(client);
  } finally {
    client.close();
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeOldest(folder: string): void {
  const copies = readdirSync(folder).filter((name) => copyPattern.test(name));
  const newestFirst = copies.toSorted((one, other) => (dateOf(one) < dateOf(other) ? 1 : -1));
  for (const name of newestFirst.slice(keptCopies)) rmSync(join(folder, name), { force: true });
}

function dateOf(name: string): string {
  return copyPattern.exec(name)?.groups?.['date'] ?? '';
}
