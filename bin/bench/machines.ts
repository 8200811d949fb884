/**
 * (g): how many analyses a second 1 to 8 machines finish on one PostgreSQL if an analysis is a
 * pause of 50 ms, what an analysis costs the database from start to end, and how long a tenant
 * waits for one while another has many in the queue.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { Caller } from '../../src/service/analyses/context.ts';
import { startPostgres } from '../../test/fixtures/postgres.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { median, type Row, timed } from './figures.ts';
import { type Machine, openMachine, taskMs } from './machine.ts';

const program = fileURLToPath(new URL('./machine.ts', import.meta.url));
const [width, height] = [96, 80];
/** The same number for each machine: the queue never runs short, and start-up counts little. */
const tasksOfAMachine = 250;
const tenants = 4;

const waitsMeasured = 21;
/** Enough that no machine runs out of work while the waits are measured. */
const queuedOfAMachine = 80;

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
    const callers: Caller[] = [];
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
        // Waiting for a lock uses no CPU.
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
    const quiet = await addTenant(machine, 'quiet');
    for (const machines of [1, 8]) {
      const waits = async (queued: number) => {
        await start(machine, callers, queued);
        return waitOf({ url, folder, machines, machine, quiet, client });
      };
      const [alone, beside] = [await waits(0), await waits(machines * queuedOfAMachine)];
      rows.push(
        { what: `(g) wait for an analysis, ${machines} machines`, value: alone, unit: 'ms' },
        {
          what: "beside another tenant's queue / alone",
          value: beside / alone,
          unit: 'x',
          ...(machines > 1 && { atMost: 1.2 }),
        },
      );
      // The rest of the queue is not needed.
      await client.query('DELETE FROM jobs');
    }
    return rows;
  } finally {
    await machine.database.close();
    await client.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Almost all of them because of a conflicting transaction. */
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
    await machine.analyses.start(caller, await upload(machine, caller, picture));
  }
}

/** @returns the id of an analysis that may be started. */
async function upload(machine: Machine, caller: Caller, picture: Buffer): Promise<string> {
  const input = { format: 'jpg', version: 'v1', width, height, filename: 'a.jpg', options: {} };
  const { id, input: made } = await machine.analyses.create(caller, {
    name: 'A photograph',
    type: 'image',
    input: { ...input, format: 'jpg', version: 'v1' },
  });
  await machine.storeOf(caller.tenant.id).put(made.storageUrls.objectKey, picture);
  return id;
}

interface Machines {
  readonly url: string;
  readonly folder: string;
  readonly machines: number;
}

/** @returns analyses a second while all machines are busy. */
async function work({ tasks, ...all }: Machines & { readonly tasks: number }): Promise<number> {
  const children = await begin(all);
  const times = (await Promise.all(children.map(lineOf))).map(Number);
  await Promise.all(children.map(ended));
  return (tasks * 1000) / Math.max(...times);
}

interface Quiet extends Machines {
  readonly machine: Machine;
  readonly quiet: Caller;
  readonly client: Client;
}

/** @returns median ms from the start of an analysis to its end, of several that are started one after the other. */
async function waitOf({ machine, quiet, client, ...all }: Quiet): Promise<number> {
  const picture = await sceneJpeg({ width, height, seed: 1 });
  const children = await begin(all, 'stays');
  const waits: number[] = [];
  for (let n = 0; n < waitsMeasured; n++) {
    const id = await upload(machine, quiet, picture);
    // At a varying distance from the end of another run.
    await setTimeout(taskMs * ((n * 0.618) % 1));
    const wait = await timed(async () => {
      await machine.analyses.start(quiet, id);
      while (!(await isCompleted(client, id))) await setTimeout(1);
    });
    waits.push(wait);
  }
  for (const child of children) child.stdin.end();
  await Promise.all(children.map(ended));
  return median(waits);
}

async function isCompleted(client: Client, id: string): Promise<boolean> {
  const { rows } = await client.query('SELECT status FROM analyses WHERE id = $1', [id]);
  return rows[0]?.status === 'completed';
}

/** Starts the machines, all at once when all are ready. @param args - see `machine.ts`. */
async function begin({ url, folder, machines }: Machines, ...args: string[]) {
  const children = Array.from({ length: machines }, () =>
    spawn(process.execPath, [program, url, folder, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(children.map(lineOf));
  for (const child of children) child.stdin.write('go\n');
  return children;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await once(child, 'exit');
}

async function lineOf(child: ChildProcess): Promise<string> {
  const [data]: unknown[] = await once(child.stdout!, 'data');
  return String(data).trim();
}
