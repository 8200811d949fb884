/** Copies the whole database as it is at one moment, while others keep writing; and inspects such a copy. */

import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Db } from './database.ts';
import { toSqliteError } from './errors.ts';
import { readSchema } from './migrations.ts';
import { createSqliteDb, reading, type SqliteDb, syncFile } from './sqlite.ts';

const pagesAtOnce = 1000;

/**
 * @param to - a file that does not exist yet; only its owner will be able to read it, and it needs no file beside it.
 * @param onProgress - receives the share of the pages copied, 0..1, and can stop the copy by throwing.
 * @throws {ForensicsError} `no_space_left`, `store_unavailable`, `database_damaged`; what `onProgress` throws.
 */
export async function takeSnapshot(
  { $client }: SqliteDb,
  to: string,
  onProgress: (share: number) => void,
): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  // One read transaction for the whole copy; otherwise, any write by another process would restart it.
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
    throw toSqliteError(error);
  } finally {
    $client.exec('COMMIT');
  }
  leaveWalMode(to);
  syncFile(to);
}

export function snapshotBytes({ $client }: SqliteDb): number {
  const pages = Number($client.pragma('page_count', { simple: true }));
  return pages * Number($client.pragma('page_size', { simple: true }));
}

/**
 * Reads the whole file without changing it: schema, number of rows in each table, and any problems in sentences.
 *
 * @throws {ForensicsError} `database_damaged` if it is not a database.
 */
export async function inspectDatabase(path: string) {
  return reading(path, async (client) => {
    const problems = [...brokenPages(client), ...brokenReferences(client)];
    return { schema: readSchema(client), rows: countRows(client), problems };
  });
}

/** Runs `act` on a database that is opened read-only and must have the current schema. */
export async function readDatabase<T>(path: string, act: (db: Db) => Promise<T>): Promise<T> {
  return reading(path, (client) => act(createSqliteDb(client)));
}

/** Switches WAL mode off, which the file records: with it, even a reader would have to create a log beside the file. */
function leaveWalMode(path: string): void {
  const client = new Database(path);
  try {
    client.pragma('journal_mode = DELETE');
  } finally {
    client.close();
  }
}

// A damaged file has hundreds of problems; the first few are enough.
const maxProblems = 5;

function brokenPages(client: Database.Database): readonly string[] {
  const check = client.prepare<[], string>(`PRAGMA integrity_check(${maxProblems})`).pluck();
  return check
    .all()
    .filter((text) => text !== 'ok')
    .map((text) => `The database is damaged: ${text.replaceAll(/\s+/g, ' ')}.`);
}

function brokenReferences(client: Database.Database): readonly string[] {
  const check = client.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check');
  const problems = check
    .all()
    .map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that is missing.`);
  return [...new Set(problems)].slice(0, maxProblems);
}

function countRows(client: Database.Database): Record<string, number> {
  // Only tables: the text index is a virtual table.
  const tables = client
    .prepare<[], string>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .pluck();
  return Object.fromEntries(
    tables.all().map((name) => {
      const count = client.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck();
      return [name, count.get() ?? 0];
    }),
  );
}
