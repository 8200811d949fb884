import { spawn } from 'node:child_process';
import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { setRequester, transact } from '../../../../src/ports/db/database.ts';
import { openPostgres } from '../../../../src/ports/db/postgres.ts';
import { runHere } from '../../../cli/run-cli.ts';
import { freePort } from '../../../fixtures/free-port.ts';
import { createDatabase } from '../../../fixtures/postgres.ts';
import { temporaryFolder, testDb } from './temporary.ts';

test('a requester with many statements leaves connections for others', async () => {
  const db = await testDb();
  const ended: string[] = [];
  const ask = async (name: string, seconds: number) =>
    setRequester(name, async () => {
      await db.values(sql`SELECT 1 FROM pg_sleep(${seconds})`);
      ended.push(name);
    });

  const loud = Array.from({ length: 20 }, async () => ask('loud', 0.1));
  await Promise.all([...loud, ask('quiet', 0)]);

  // Unshared, all ten connections would serve the other requester first.
  expect(ended.indexOf('quiet')).toBeLessThan(7);
  expect(ended).toHaveLength(21);
});

test('requesters that wait for a connection take turns', async () => {
  const db = await testDb();
  const ended: string[] = [];
  const ask = async (name: string) =>
    setRequester(name, async () => {
      await db.values(sql`SELECT 1 FROM pg_sleep(0.05)`);
      ended.push(name);
    });
  const many = (name: string, count: number) =>
    Array.from({ length: count }, async () => ask(name));

  await Promise.all(['a', 'b', 'c', 'd'].flatMap((name) => [...many(name, 12), ask('last')]));

  // In order of arrival the last would be number 52.
  expect(ended.lastIndexOf('last')).toBeLessThan(30);
});

test('a database that can only be read fails its check', async () => {
  const url = await createDatabase(process.env['FORENSICS_TEST_POSTGRES']!);
  const opened = await openPostgres({ url, passwordFile: null });
  onTestFinished(() => opened.close());
  await opened.check();
  const onlyRead = sql`SELECT set_config('default_transaction_read_only', 'on', false), pg_sleep(0.1)::text`;
  await Promise.all(Array.from({ length: 20 }, () => opened.db.values(onlyRead)));

  await expect(opened.check()).rejects.toMatchObject({ code: '25006' });
});

const endOwnConnection = sql`SELECT pg_terminate_backend(pg_backend_pid())`;

test('a snapshot whose connection breaks is taken again once, and then refused in words', async () => {
  const db = await testDb();
  let attempts = 0;
  const readBroken = async (times: number) =>
    db.snapshot(async (reader) => {
      attempts += 1;
      if (attempts <= times) await reader.values(endOwnConnection);
      return reader.values(sql`SELECT 1`);
    });

  expect(await readBroken(1)).toEqual([[1]]);
  expect(attempts).toBe(2);
  await expect(readBroken(4)).rejects.toMatchObject({ code: 'store_unavailable' });
});

const pooler = '/usr/sbin/pgbouncer';

/** Starts a PgBouncer in front of the tests' server. @returns the URL of a new database through it. */
async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
  const url = new URL(await createDatabase(process.env['FORENSICS_TEST_POSTGRES'] ?? ''));
  const port = await freePort();
  const file = join(temporaryFolder(), 'pgbouncer.ini');
  const settings = `[databases]
* = host=127.0.0.1 port=${url.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`;
  writeFileSync(file, settings, { mode: 0o644 });
  // It refuses to run as root.
  const { uid, gid } = statSync(process.getuid?.() === 0 ? '/var/lib/postgresql' : file);
  chownSync(join(file, '..'), uid, gid);
  const child = spawn(pooler, [file], { uid, gid, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => void child.kill('SIGKILL'));
  for await (const line of child.stderr) if (String(line).includes('process up')) break;
  url.port = String(port);
  return url.href;
}

test.skipIf(!existsSync(pooler))(
  'notifications and settings work through a pooler in session mode',
  async () => {
    const place = { url: await startPooler('session'), passwordFile: null };
    const [one, other] = [await openPostgres(place), await openPostgres(place)];
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));

    const notified = new Promise<void>((resolve) => void other.db.onNotification('jobs', resolve));
    const kept = await transact(one.db, async (tx) => {
      tx.notify('jobs');
      return tx.values(sql`SHOW lock_timeout`);
    });

    await notified;
    expect(kept).toEqual([['10s']]);
  },
);

test.skipIf(!existsSync(pooler))(
  'a pooler in transaction mode is refused, and the fix is named',
  async () => {
    const url = await startPooler('transaction');
    const dir = temporaryFolder();
    const config = join(dir, 'config.json');
    writeFileSync(config, JSON.stringify({ databaseUrl: url }));

    await expect(openPostgres({ url, passwordFile: null })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('pool_mode = session'),
    });
    const doctor = ['doctor', '--quick', '--data-dir', dir, '--config', config];
    expect((await runHere(doctor)).stdout).toMatch(
      /^failed +database: The pooler .*\n +Fix: Correct that, then run "forensics doctor" again\.$/m,
    );
  },
);
