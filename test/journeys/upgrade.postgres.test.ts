/**
 * The data of 0.2.0 and of the two releases before this one in PostgreSQL, in the schema of that release: upgraded
 * by a server that starts on it, and downgraded from a dump made before.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { Analysis } from '../../src/contract/analysis.ts';
import { currentSchema, schemaSteps } from '../../src/ports/db/migrations.ts';
import { emptyFolder, runHere } from '../cli/run-cli.ts';
import { createDatabase, postgresPrograms } from '../fixtures/postgres.ts';
import type { Seen } from '../fixtures/write-old-backup.ts';
import { openServer } from '../unit/server/open-server.ts';

/** The keys of the releases are valid for a year. */
const now = () => new Date('2026-12-01T12:00:00Z');
const newDatabase = () => createDatabase(process.env['FORENSICS_TEST_POSTGRES'] ?? '');

test.each([
  ['0.2.0', 14],
  ['0.8.0', 21],
  ['0.9.0', 22],
])(
  'a database of version %s upgrades, and downgrades from its dump',
  { timeout: 120_000 },
  async (version, schema) => {
    const old = new URL(`../fixtures/old/${version}`, import.meta.url).pathname;
    const seen: Seen = JSON.parse(readFileSync(`${old}.json`, 'utf8'));
    const folder = await emptyFolder();
    const [backup, dataDir, dump] = ['backup.tar', 'data', 'dump'].map((name) =>
      join(folder, name),
    );
    writeFileSync(backup!, brotliDecompressSync(readFileSync(`${old}.tar.br`)));
    await runHere(['restore', backup!, '--data-dir', dataDir!]);
    const databaseUrl = await newDatabase();
    await fill(databaseUrl, join(dataDir!, 'forensics.db'), schema);
    const before = await contentOf(databaseUrl);
    runProgram('pg_dump', '--format=custom', `--file=${dump}`, databaseUrl);

    const open = await openServer({ dataDir: dataDir!, now, flags: { databaseUrl } });
    const headers = { authorization: `ApiKey ${seen.apiKey}` };
    const list = await open.server.inject({ url: '/v1/analysis?tenantName=default', headers });
    const login = await open.server.inject({
      method: 'POST',
      url: '/v1/auth/login',
      body: { email: 'examiner@example.org', password: seen.password },
    });
    const chains = await open.app.core.audit.chains();
    const broken = await Promise.all(
      chains.map(async (chain) => (await open.app.core.audit.verify(chain)).broken),
    );
    await open.close();
    const forward = await contentOf(databaseUrl);
    const backUrl = await newDatabase();
    runProgram('pg_restore', `--dbname=${backUrl}`, dump!);

    const analyses = list.json<{ data: Analysis[] }>().data.toReversed();
    expect(
      analyses.map(({ id, inferenceStatus: { status, result } }) => ({
        id,
        status,
        predictions: result?.predictions ?? null,
      })),
    ).toEqual(seen.analyses);
    expect(login.statusCode).toBe(200);
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
