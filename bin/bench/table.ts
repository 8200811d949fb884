/**
 * (h): list, search and claim on a table with many analyses: of a hundred tenants on PostgreSQL, of
 * one in the SQLite file of a data folder. Names and comments are random syllables; half of the
 * search terms occur in many of them, half in few.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client } from 'pg';
import { createTenants } from '../../src/service/tenants/tenants.ts';
import { findEntries } from '../../src/service/analyses/rows.ts';
import { maxListed } from '../../src/contract/limits.ts';
import { type Db, transact } from '../../src/ports/db/database.ts';
import { openPostgres } from '../../src/ports/db/postgres.ts';
import { openDatabase, type SqliteDb } from '../../src/ports/db/sqlite.ts';
import { createQueue } from '../../src/service/jobs/queue.ts';
import { startPostgres } from '../../test/fixtures/postgres.ts';
import type { Row } from './figures.ts';

const asked = 200;
const letters = 'bcdfghklmnprstvw';
const now = () => new Date();

/** A larger installation should be on PostgreSQL by now; filling a file row by row takes minutes per million. */
const mostInFile = 1_000_000;

export async function benchTable(rows: number): Promise<readonly Row[]> {
  return [...(await benchPostgres(rows)), ...(await benchFile(Math.min(rows, mostInFile)))];
}

async function benchPostgres(rows: number): Promise<readonly Row[]> {
  const postgres = await startPostgres(['maintenance_work_mem=512MB', 'shared_buffers=1GB']);
  const url = await postgres.createDatabase();
  const database = await openPostgres({ url, passwordFile: null });
  const client = new Client(url);
  await client.connect();
  try {
    const tenants = await makeTenants(database.db, 100);
    await fill(client, rows);
    return await measure('PostgreSQL', database.db, { rows, tenants });
  } finally {
    await client.end();
    await database.close();
    await postgres.stop();
  }
}

async function benchFile(rows: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-bench-'));
  const database = openDatabase({ path: join(folder, 'forensics.db') });
  try {
    const tenants = await makeTenants(database.db, 1);
    fillFile(database.db, { rows, tenantId: tenants[0]! });
    return await measure('SQLite', database.db, { rows, tenants });
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}

async function makeTenants(db: Db, count: number): Promise<readonly string[]> {
  const all = createTenants({ db, now });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await all.create({ name: `tenant-${n}` })).id);
  return ids;
}

async function measure(
  engine: string,
  db: Db,
  { rows, tenants }: { readonly rows: number; readonly tenants: readonly string[] },
): Promise<readonly Row[]> {
  const tenantOf = (n: number) => tenants[(n * 37) % tenants.length]!;
  const page = { searchTerm: '', start: 0, limit: 100 };
  const list = await slowest((n) => findEntries(db, tenantOf(n), page));
  const last = Math.max(0, rows / tenants.length - maxListed);
  const deep = await slowest((n) => findEntries(db, tenantOf(n), { ...page, start: last }));
  const search = await slowest((n) =>
    findEntries(db, tenantOf(n), { ...page, searchTerm: termOf(n) }),
  );
  const queue = createQueue({ db, now });
  await transact(db, async (tx) => {
    for (let n = 0; n < 10 * asked; n++)
      await queue.enqueue(tx, 'bench', {}, { owner: tenantOf(n) });
  });
  const claim = await slowest(() =>
    queue.claim({ workerId: 'bench', leaseMs: 600_000, kinds: ['bench'] }),
  );
  return [
    {
      what: `${engine}: list of 100, ${rows} analyses of ${tenants.length}, p95`,
      value: list,
      unit: 'ms',
      atMost: 50,
    },
    { what: 'the last page of a tenant, p95', value: deep, unit: 'ms' },
    { what: 'search, p95', value: search, unit: 'ms', atMost: 300 },
    { what: 'claim, p95', value: claim, unit: 'ms', atMost: 5 },
  ];
}

/** Syllables of 16 letters each: 256 of two letters, 65,536 of four. */
function termOf(n: number): string {
  const letter = (at: number) => letters[(n * 7 + at * 5) % 16]!;
  return n % 2 === 0
    ? letter(0) + letter(1) + letter(2)
    : [0, 1, 2, 3, 4, 5].map((at) => letter(at * n)).join('');
}

/** The time in milliseconds that 95 of 100 calls did not exceed. */
async function slowest(act: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < asked; n++) {
    const began = performance.now();
    await act(n);
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(0.95 * asked)]!;
}

const rowsAtOnce = 250_000;

async function fill(client: Client, rows: number): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; text: string }>(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes
     WHERE tablename = 'analyses' AND indexdef NOT LIKE '%UNIQUE%'`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await client.query(`SET synchronous_commit = off`);
  for (let from = 0; from < rows; from += rowsAtOnce) {
    await client.query(
      `INSERT INTO analyses (id, tenant_id, name, name_folded, comment, comment_folded, tags, format, width, height,
         filename, input_key, model, model_version, decision_strategy, tier, seed, status, status_message, retry_count,
         storage_type, created_at)
       SELECT id, tenant_id, name, name, comment, comment, '[]', 'jpg', 4000, 3000, 'photo.jpg',
         'analyses/' || id || '/input.jpg', 'trace-3', '2.1.0', 'default', 'flagging', 1337, 'completed',
         'The analysis is complete.', 0, 's3', 1700000000000 + n * 1000
       FROM (
         SELECT n, md5('id' || n)::char(24)::text AS id, tenants.id AS tenant_id,
           translate(md5('a' || n), '0123456789abcdef', 'bcdfghklmnprstvw') AS name,
           translate(md5('b' || n) || md5('c' || n), '0123456789abcdef', 'bcdfghklmnprstvw') AS comment
         FROM generate_series($1::bigint, $2::bigint) AS n
         JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS at FROM tenants) AS tenants ON tenants.at = n % 100
       ) AS made`,
      [from, Math.min(rows, from + rowsAtOnce) - 1],
    );
  }
  for (const { text } of indexes) await client.query(text);
  await client.query('VACUUM ANALYZE');
}

function fillFile(
  { $client: client }: SqliteDb,
  { rows, tenantId }: { readonly rows: number; readonly tenantId: string },
): void {
  const insert = client.prepare(
    `INSERT INTO analyses (id, tenant_id, name, name_folded, comment, comment_folded, tags, format, width, height,
       filename, input_key, model, model_version, decision_strategy, tier, seed, status, status_message, retry_count,
       storage_type, created_at)
     VALUES ($id, $tenantId, $name, $name, $comment, $comment, '[]', 'jpg', 4000, 3000, 'photo.jpg',
       'analyses/' || $id || '/input.jpg', 'trace-3', '2.1.0', 'default', 'flagging', 1337, 'completed',
       'The analysis is complete.', 0, 's3', 1700000000000 + $n * 1000)`,
  );
  client.transaction(() => {
    for (let n = 0; n < rows; n++) {
      const [id, name, comment] = ['id', 'a', 'b'].map((kind) => md5(`${kind}${n}`));
      const words = { name: syllables(name!), comment: syllables(comment! + md5(`c${n}`)) };
      insert.run({ id: id!.slice(0, 24), tenantId, ...words, n });
    }
  })();
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Like PostgreSQL's `translate` above. */
function syllables(hex: string): string {
  return hex.replaceAll(/./g, (digit) => letters[Number.parseInt(digit, 16)]!);
}
