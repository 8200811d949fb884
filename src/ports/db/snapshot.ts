/** The whole database in one file as it was at one moment, while others go on writing; and a look into such a file. */

import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { readSchema } from './migrations.ts';
import type { Db } from './database.ts';
import { createSqliteDb, type SqliteDb, toDatabaseError } from './sqlite.ts';

const pagesAtOnce = 1000;

/**
 * @param to - a file that is not there yet; it is made for its owner's eyes alone, and needs no other file beside it.
 * @param onProgress - hears which share of the pages is copied, 0..1, and ends it by throwing.
 * @throws {ForensicsError} `no_space_left`, `store_unavailable`, `database_damaged`; what `onProgress` throws.
 */
export async function takeSnapshot(
  { $client }: SqliteDb,
  to: string,
  onProgress: (share: number) => void,
): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  // One reader's view from beginning to end: without it every write of another process would begin the copy anew.
  $client.exec('BEGIN');
  try {
    $client.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get();
    await $client.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
        return pagesAtOnce;
      },
    });
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    $client.exec('COMMIT');
  }
  makeSelfContained(to);
  await sync(to);
}

/** Bytes that a snapshot has. */
export function snapshotBytes({ $client }: SqliteDb): number {
  const pages = Number($client.pragma('page_count', { simple: true }));
  return pages * Number($client.pragma('page_size', { simple: true }));
}

interface Inspection {
  readonly schema: number;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Sentences; none for a file that is in order. */
  readonly problems: readonly string[];
}

/** Reads the whole file and changes nothing. @throws {ForensicsError} `database_damaged` when it is no database. */
export async function inspectDatabase(path: string): Promise<Inspection> {
  return reading(path, async (client) => {
    const problems = [...brokenPages(client), ...brokenReferences(client)];
    return { schema: readSchema(client), rows: countRows(client), problems };
  });
}

/** Runs `act` on a database that is only read, and has the present schema. */
export async function readDatabase<T>(path: string, act: (db: Db) => Promise<T>): Promise<T> {
  return reading(path, (client) => act(createSqliteDb(client)));
}

async function reading<T>(
  path: string,
  act: (client: Database.Database) => Promise<T>,
): Promise<T> {
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { readonly: true, fileMustExist: true });
    return await act(client);
  } catch (error) {
    throw toDatabaseError(error);
  } finally {
    client?.close();
  }
}

/** The mode of a write-ahead log is written in the file; a reader would have to make such a log first. */
function makeSelfContained(path: string): void {
  const client = new Database(path);
  try {
    client.pragma('journal_mode = DELETE');
  } finally {
    client.close();
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// A damaged file has hundreds of complaints; the first ones are enough.
const complaints = 5;

function brokenPages(client: Database.Database): readonly string[] {
  const found = client.prepare<[], { integrity_check: string }>(
    `PRAGMA integrity_check(${complaints})`,
  );
  const told = found.all().map((row) => row.integrity_check);
  return told
    .filter((text) => text !== 'ok')
    .map((text) => `The database is damaged: ${text.replaceAll(/\s+/g, ' ')}.`);
}

function brokenReferences(client: Database.Database): readonly string[] {
  const found = client.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check');
  const told = found
    .all()
    .map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that is missing.`);
  return [...new Set(told)].slice(0, complaints);
}

function countRows(client: Database.Database): Record<string, number> {
  const tables = client
    .prepare<[], { name: string }>(
      // Of tables alone: an index of texts counts no rows.
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => {
      const quoted = `"${name.replaceAll('"', '""')}"`;
      return [
        name,
        client.prepare<[], number>(`SELECT count(*) FROM ${quoted}`).pluck().get() ?? 0,
      ];
    }),
  );
}
