import { setTimeout } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { transact } from '../../src/ports/db/database.ts';
import { openPostgres } from '../../src/ports/db/postgres.ts';
import { checkPostgres } from '../../src/ops/doctor/installation.ts';
import { createDatabase, startPostgres } from '../fixtures/postgres.ts';
import { openServer } from '../unit/server/open-server.ts';

/** Two machines with separate data folders, but one database and one master key. */
async function openMachines({ rateLimitPerMinute = 0 } = {}) {
  const databaseUrl = await createDatabase(process.env['FORENSICS_TEST_POSTGRES']!);
  const flags = { databaseUrl, masterKey: '07'.repeat(32) };
  const machines = [
    await openServer({ flags, rateLimitPerMinute }),
    await openServer({ flags, rateLimitPerMinute }),
  ] as const;
  onTestFinished(async () => {
    for (const machine of machines) await machine.close();
  });
  return machines;
}

test.each([
  ['of a key', 5, true, [200, 200, 200, 200, 200, 429]],
  ['of wrong keys', 4, false, [401, 401, 401, 401, 401, 429]],
])('servers that share a database share the limit %s', async (_what, limit, isKnown, wanted) => {
  const machines = await openMachines({ rateLimitPerMinute: limit });
  const { secret } = await machines[0].makeTenant('acme');
  const headers = { authorization: `ApiKey ${isKnown ? secret : 'no'}` };

  const states: number[] = [];
  for (let i = 0; i < 6; i++) {
    const { server } = machines[i % 2]!;
    const answer = await server.inject({ url: '/v1/analysis?tenantName=acme', headers });
    states.push(answer.statusCode);
  }

  expect(states).toEqual(wanted);
});

test('the doctor checks a shared database and reports fsync being off', async () => {
  const [one] = await openMachines();
  const { db } = one.app.core.database;

  // The test database does not wait for the disk.
  expect(await checkPostgres(db)).toMatchObject({
    name: 'database',
    state: 'failed',
    message: 'A power cut could lose committed data: fsync is off.',
  });
});

test('a machine whose clock is 30 s off uses that of the database', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 });
  onTestFinished(() => void vi.useRealTimers());
  const url = await createDatabase(process.env['FORENSICS_TEST_POSTGRES']!);
  const wrong = await openPostgres({ url, passwordFile: null });
  onTestFinished(() => wrong.close());
  const aheadMs = wrong.now().getTime() - (Date.now() - 30_000);

  expect(Math.abs(aheadMs)).toBeLessThan(1000);
});

test('after a database restart, a process still listens on one connection', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const url = await postgres.createDatabase();
  const opened = await openPostgres({ url, passwordFile: null });
  onTestFinished(() => opened.close());
  const listeners = async () =>
    opened.db.values<[number]>(
      sql`SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`,
    );
  await postgres.restart('SIGQUIT', 2500);
  await vi.waitFor(async () => expect(await listeners()).toEqual([[1]]), { timeout: 10_000 });
  await setTimeout(2500);

  expect(await listeners()).toEqual([[1]]);
}, 30_000);

test('a connection lost in a transaction ends the transaction, not the process', async () => {
  const url = await createDatabase(process.env['FORENSICS_TEST_POSTGRES']!);
  const opened = await openPostgres({ url, passwordFile: null });
  onTestFinished(() => opened.close());
  const { db } = opened;
  const killing = transact(db, async (tx) => {
    const [row] = await tx.values<[number]>(sql`SELECT pg_backend_pid()`);
    await onAnotherConnection(url, `SELECT pg_terminate_backend(${row![0]})`);
    await setTimeout(200);
    return tx.values(sql`SELECT 1`);
  });

  await expect(killing).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await db.values(sql`SELECT 1`)).toEqual([[1]]);
});

async function onAnotherConnection(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}
