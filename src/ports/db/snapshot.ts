/** Inspects a copy of the database. */

import type Database from 'better-sqlite3';
import type { Db } from './database.ts';
import { readSchema } from './migrations.ts';
import { createSqliteDb, reading, type SqliteDb } from './sqlite.ts';

export function snapshotBytes({ $client }: SqliteDb): number {
  const pages = Number($client.pragma('page_count', { simple: true }));
  return pages * Number($client.pragma('page_size', { simple: true }));
}

/** Schema, rows in each table, and problems in sentences. @throws {ForensicsError} `database_damaged`. */
export async function inspectDatabase(path: string) {
  return reading(path, async (client) => {
    return { schema: readSchema(client), rows: countRows(client), problems: problemsIn(client) };
  });
}

/** Runs `act` on a database that is opened read-only and must have the current schema. */
export async function readDatabase<T>(path: string, act: (db: Db) => Promise<T>): Promise<T> {
  return reading(path, (client) => act(createSqliteDb(client)));
}

// A damaged file has hundreds of problems; the first few are enough.
const maxProblems = 5;

/** Damaged pages and rows without the row that they refer to, in sentences. */
export function problemsIn(client: Database.Database): readonly string[] {
  const pages = client.prepare<[], string>(`PRAGMA integrity_check(${maxProblems})`).pluck();
  const rows = client.prepare<[], { table: string; parent: string }>('PRAGMA foreign_key_check');
  const broken = pages.all().filter((text) => text !== 'ok');
  const orphans = rows
    .all()
    .map(({ table, parent }) => `A row of ${table} refers to a row of ${parent} that is missing.`);
  return [
    ...broken.map((text) => `The database is damaged: ${text.replaceAll(/\s+/g, ' ')}.`),
    ...[...new Set(orphans)].slice(0, maxProblems),
  ];
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
