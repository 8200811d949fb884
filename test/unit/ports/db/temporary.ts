import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import { openPostgres } from '../../../../src/ports/db/postgres.ts';
import { openDatabase, type SqliteDb } from '../../../../src/ports/db/sqlite.ts';
import { createDatabase } from '../../../fixtures/postgres.ts';

/** A folder that is removed when the current test ends. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A real database file that is open until the current test ends. */
export function temporaryDb(path = join(temporaryFolder(), 'test.db')): SqliteDb {
  const database = openDatabase({ path });
  onTestFinished(() => database.close());
  return database.db;
}

/**
 * The same on the engine of this test run: `npm test -- --mode postgres` uses PostgreSQL. Processes with the same path
 * share a database. Tests that inspect SQLite's own file run only with SQLite.
 */
export async function testDb(path = join(temporaryFolder(), 'test.db')): Promise<SqliteDb> {
  const server = process.env['FORENSICS_TEST_POSTGRES'];
  if (server === undefined) {
    if (!existsSync(path)) writeFileSync(path, await migratedFile(), { mode: 0o600 });
    return temporaryDb(path);
  }
  const known = databases.get(path) ?? createDatabase(server);
  databases.set(path, known);
  const opened = await openPostgres({ url: await known, passwordFile: null });
  onTestFinished(() => opened.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above.
  return opened.db as SqliteDb;
}

let migrated: Promise<Buffer> | null = null;

/** A database file without rows, made once: each step of the schema is a transaction on disk. */
export function migratedFile(): Promise<Buffer> {
  migrated ??= migrate();
  return migrated;
}

async function migrate(): Promise<Buffer> {
  const folder = newFolder();
  const path = join(folder, 'test.db');
  await openDatabase({ path }).close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

const databases = new Map<string, Promise<string>>();

/** For tests of SQLite's own plans and files. */
export const hasPostgres = process.env['FORENSICS_TEST_POSTGRES'] !== undefined;

/** A clock that stands still until it is moved. */
export function steppedClock(start = '2026-03-01T12:00:00.000Z') {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    step: (ms: number) => {
      at += ms;
    },
  };
}
