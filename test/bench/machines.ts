/**
 * (g): how many analyses a second 1 to 8 machines finish on one PostgreSQL when an analysis is a pause of 50 ms, and what an
 * analysis costs the database from its start to its end.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { Caller } from '../../src/analyses/analyses.ts';
import { startPostgres } from '../fixtures/postgres.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import type { Row } from './figures.ts';
import { type Machine, openMachine } from './machine.ts';

const program = fileURLToPath(new URL('./machine.ts', import.meta.url));
const [width, height] = [96, 80];
/** As many for each machine: the queue is never short, and what a process does first counts little. */
const tasksOfAMachine = 250;
const tenants = 4;

export async function benchMachines(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-bench-'));
  const postgres = await startPostgres([
    'shared_preload_libraries=pg_stat_statements',
    'pg_stat_statements.track_planning=on',
  ]);
  const url = await postgres.createDatabase();
  const client = new Client(url);
  await client.connect();
  await client.query('CREATE EXTENSION pg_stat_statements');
  const machine = await openMachine(url, folder);
  try {
    const callers = [];
    for (let n = 0; n < tenants; n++) callers.push(await addTenant(machine, `tenant-${n}`));
    const rows: Row[] = [];
    let one = 0;
    for (const machines of [1, 2, 4, 8]) {
      const tasks = machines * tasksOfAMachine;
      await start(machine, callers, tasks);
      await client.query('SELECT pg_stat_statements_reset()');
      const before = await rolledBack(client);
      const perSecond = await work({ url, folder, machines, tasks });
      const { rows: told } = await client.query(
        // Who waits for a turn uses nothing.
        `SELECT sum(total_exec_time + total_plan_time) AS ms FROM pg_stat_statements
         WHERE query NOT LIKE 'SELECT pg_advisory_lock(%'`,
      );
      if (machines === 1) one = perSecond;
      rows.push(
        { what: `(g) ${machines} machines`, value: perSecond, unit: 'analyses/s' },
        { what: `${machines} machines / 1`, value: perSecond / one, unit: 'x' },
        {
          what: 'database time of an analysis',
          value: Number(told[0]?.ms) / tasks,
          unit: 'ms',
          atMost: 3,
        },
        {
          what: 'transactions run again',
          value: ((await rolledBack(client)) - before) / tasks,
          unit: 'an analysis',
        },
      );
    }
    return rows;
  } finally {
    await machine.database.close();
    await client.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Almost all of them because another transaction came between. */
async function rolledBack(client: Client): Promise<number> {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    'SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.n);
}

async function addTenant({ tenants: all }: Machine, name: string): Promise<Caller> {
  const tenant = await all.create({ name });
  const principal: Caller['principal'] = {
    type: 'api',
    id: name,
    tenantIds: [tenant.id],
    scopes: [],
    userType: null,
    sessionId: null,
  };
  return { principal, tenant };
}

async function start(machine: Machine, callers: readonly Caller[], tasks: number): Promise<void> {
  const picture = await sceneJpeg({ width, height, seed: 1 });
  for (let n = 0; n < tasks; n++) {
    const caller = callers[n % callers.length]!;
    const input = { format: 'jpg', version: 'v1', width, height, filename: 'a.jpg', options: {} };
    const { id, input: made } = await machine.analyses.create(caller, {
      name: 'A photograph',
      type: 'image',
      input: { ...input, format: 'jpg', version: 'v1' },
    });
    await machine.storeOf(caller.tenant.id).put(made.storageUrls.objectKey, picture);
    await machine.analyses.start(caller, id);
  }
}

/** @returns analyses a second, while all machines have something to do. */
async function work({
  url,
  folder,
  machines,
  tasks,
}: {
  readonly url: string;
  readonly folder: string;
  readonly machines: number;
  readonly tasks: number;
}): Promise<number> {
  const children = Array.from({ length: machines }, () =>
    spawn(process.execPath, [program, url, folder], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(children.map((child) => lineOf(child)));
  const lines = children.map((child) => lineOf(child));
  for (const child of children) child.stdin.write('go\n');
  const times = (await Promise.all(lines)).map(Number);
  await Promise.all(children.map(async (child) => child.exitCode ?? once(child, 'exit')));
  return (tasks * 1000) / Math.max(...times);
}

async function lineOf(child: ChildProcess): Promise<string> {
  const [data]: unknown[] = await once(child.stdout!, 'data');
  return String(data).trim();
}
