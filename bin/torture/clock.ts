/**
 * The clock of a busy server is moved forward and back by a day, in the middle of runs and
 * deliveries. What was started must be completed and billed once, every webhook must be delivered,
 * and nothing may wait for a day that does not come.
 */

import { setTimeout } from 'node:timers/promises';
import { requireSqlite } from '../../src/ports/db/sqlite.ts';
import { runCli } from '../../test/cli/run-cli.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { startReceiver } from '../../test/journeys/receiver.ts';
import { clientOf } from '../../test/journeys/serving.ts';
import { openServer } from '../../test/unit/server/open-server.ts';
import { demand, pick, type Proof } from './proof.ts';

const dayMs = 24 * 3_600_000;
const size = { width: 96, height: 96 };
const patienceMs = 180_000;

export async function proveClock(proof: Proof): Promise<void> {
  let offsetMs = 0;
  const receiver = await startReceiver();
  const flags = { webhookAllow: '127.0.0.0/8' };
  const open = await openServer({ flags, now: () => new Date(Date.now() + offsetMs) });
  const { tenant, secret } = await open.makeTenant('acme', 30 * dayMs);
  await open.app.core.tenants.update(tenant.id, { webhookUrl: receiver.url });
  const client = clientOf({ ask: await open.listen() }, 'acme', secret);
  const picture = await sceneJpeg({ ...size, seed: 1 });
  const { $client } = requireSqlite(open.app.core.database.db);
  const number = (sql: string): number => Number($client.prepare(sql).pluck().get());
  open.app.operations.start();
  const started: string[] = [];
  let steps = 0;

  async function startOne(): Promise<void> {
    const made = await client.create({ format: 'jpg', ...size, options: { model: 'trace-3' } });
    const put = await client.upload(made, picture);
    demand(put.status === 200, `An upload was answered ${put.status}.`);
    const answer = await client.send('POST', '/start', { id: made.id });
    demand(answer.status === 200, `A start was answered ${answer.body.toString()}`);
    started.push(made.id);
  }

  do {
    await startOne();
    await startOne();
    for (const goal of [pick(proof.random, [dayMs, -dayMs]), 0]) {
      await setTimeout(1000 * proof.random());
      offsetMs = goal;
      steps += 1;
      await startOne();
    }
    await until(
      () => undone(started, number) === 0,
      () => `Of ${started.length} analyses ${undone(started, number)} are stuck.`,
    );
    const waiting = () => number("SELECT count(*) FROM webhook_deliveries WHERE state = 'waiting'");
    await until(
      () => waiting() === 0,
      () => `${waiting()} messages are stuck.`,
    );
  } while (!proof.isOver());
  const billed = number("SELECT sum(amount) FROM usage_counters WHERE counter = 'billed.flagging'");
  demand(billed === started.length, `${billed} billed, ${started.length} started.`);
  const audit = await runCli(['audit', 'verify', '--data-dir', open.dataDir]);
  demand(audit.code === 0, `The audit log is not intact: ${audit.stderr}`);
  await open.close();
  receiver.close();
  proof.note('steps of the clock by a day', steps);
  proof.note('analyses completed and billed once', billed);
}

function undone(started: readonly string[], number: (sql: string) => number): number {
  return started.length - number("SELECT count(*) FROM analyses WHERE status = 'completed'");
}

async function until(holds: () => boolean, otherwise: () => string): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!holds()) {
    demand(performance.now() < endMs, otherwise());
    await setTimeout(100);
  }
}
