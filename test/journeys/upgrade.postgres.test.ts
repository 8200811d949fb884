/**
 * The data of 0.2.0 and of the two releases before this one in PostgreSQL, in the schema of that release: upgraded
 * by a server that starts on it, and downgraded from a dump made before.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { currentSchema, schemaSteps } from '../../src/ports/db/migrations.ts';
import { expectSeen, openUpgraded, restoreRelease } from '../fixtures/old-release.ts';
import { createDatabase, postgresPrograms } from '../fixtures/postgres.ts';

const newDatabase = () => createDatabase(process.env['FORENSICS_TEST_POSTGRES'] ?? '');

test.each([
  ['0.2.0', 14],
  ['0.8.0', 21],
  ['0.9.0', 22],
])(
  'a database of version %s upgrades, and downgrades from its dump',
  { timeout: 120_000 },
  async (version, schema) => {
    const { seen, folder, dataDir, database } = await restoreRelease(version);
    const dump = join(folder, 'dump');
    const databaseUrl = await newDatabase();
    await fill(databaseUrl, database, schema);
    const before = await contentOf(databaseUrl);
    runProgram('pg_dump', '--format=custom', `--file=${dump}`, databaseUrl);

    const open = await openUpgraded(dataDir, { databaseUrl });
    await expectSeen(open, seen);
    const chains = await open.app.core.audit.chains();
    const broken = await Promise.all(
      chains.map(async (chain) => (await open.app.core.audit.verify(chain)).broken),
    );
    await open.close();
    const forward = await contentOf(databaseUrl);
    const backUrl = await newDatabase();
    runProgram('pg_restore', `--dbname=${backUrl}`, dump);

    expect([chains.length, broken.filter((one) => one !== null)]).toEqual([3, []]);
    expect([before.schema, forward.schema]).toEqual([schema, currentSchema('postgres')]);
    expect(await contentOf(backUrl)).toEqual(before);
  },
);

/** Creates the schema up to that version, with the rows that the release wrote to SQLite. */
async function fill(url: string, file: string, schema: number): Promise<void> {
  const [to, from] = [new Client(url), new Database(file, { readonly: true })];
  await to.connect();
  await to.query(
    'CREATE TABLE schema_version (version BIGINT NOT NULL, oldest_program BIGINT NOT NULL)',
  );
  await to.query('INSERT INTO schema_version VALUES ($1, 11)', [schema]);
  for (const step of schemaSteps('postgres')) if (step.version <= schema) await to.query(step.sql);
  // Defers references and triggers until all rows are there.
  await to.query('SET session_replication_role = replica');
  const { rows: tables } = await to.query<{ name: string; columns: string[] }>(
    "SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_version' GROUP BY 1",
  );
  const names = from.prepare<[], string>('SELECT name FROM sqlite_master').pluck().all();
  for (const { name, columns } of tables.filter((table) => names.includes(table.name))) {
    await to.query(`DELETE FROM ${name}`);
    for (const row of from.prepare<[], Record<string, unknown>>(`SELECT * FROM ${name}`).all()) {
      // Columns for full-text search exist only in SQLite.
      const own = Object.keys(row).filter((column) => columns.includes(column));
      const places = own.map((_, at) => `$${at + 1}`);
      const values = own.map((column) => row[column]);
      await to.query(`INSERT INTO ${name} (${own.join()}) VALUES (${places.join()})`, values);
    }
  }
  await to.query(
    "SELECT setval('webhook_deliveries_seq', (SELECT max(seq) FROM webhook_deliveries))",
  );
  from.close();
  await to.end();
}

/** The schema version, the columns and all rows. */
async function contentOf(url: string) {
  const client = new Client(url);
  await client.connect();
  const { rows: columns } = await client.query<{ table: string }>(
    "SELECT table_name AS table, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  );
  const rows: Record<string, string[]> = {};
  for (const name of new Set(columns.map(({ table }) => table))) {
    const found = await client.query<object>(`SELECT * FROM ${name}`);
    rows[name] = found.rows.map((row) => JSON.stringify(row)).toSorted();
  }
  const version = await client.query<{ version: string }>('SELECT version FROM schema_version');
  await client.end();
  return { schema: Number(version.rows[0]?.version), columns, rows };
}

function runProgram(name: string, ...args: string[]): void {
  execFileSync(join(postgresPrograms() ?? '', name), args, { stdio: 'pipe' });
}
