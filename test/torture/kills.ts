/**
 * A server, its children, workers and commands are killed at random moments while clients create, upload, start, upgrade
 * and delete. Afterwards everything is judged from outside: by what the server had acknowledged, by the messages that the
 * receiver got, and by the database when nobody uses it any more.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { runCli, spawnCli } from '../cli/run-cli.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { startReceiver } from '../journeys/receiver.ts';
import {
  clientOf,
  newDataDir,
  only,
  type Serving,
  spawnServe,
  startServing,
} from '../journeys/serving.ts';
import {
  count,
  environment,
  type Killing,
  killBackup,
  killRestore,
  killRotation,
  leaseSeconds,
} from './kill-commands.ts';
import { killMigration } from './kill-migration.ts';
import { createLedger, type Ledger, type Tier } from './ledger.ts';
import { demand, pick, type Proof } from './proof.ts';

const size = { width: 96, height: 96 };
type Client = ReturnType<typeof clientOf>;

interface Scene extends Proof, Killing {
  readonly ledger: Ledger;
  readonly picture: Buffer;
}

const timesChildrenKilled = 'times that all children were killed';

export async function proveKills(proof: Proof): Promise<void> {
  const dataDir = newDataDir();
  const counts = new Map<string, number>();
  const picture = await sceneJpeg({ ...size, seed: 1 });
  const ledger = createLedger({ childKills: () => counts.get(timesChildrenKilled) ?? 0 });
  const scene: Scene = { ...proof, dataDir, picture, counts, lasts: new Map(), ledger };
  const receiver = await startReceiver();
  const begunMs = performance.now();
  let serving = await startServing(dataDir, environment);
  const apiKey = serving.ready.apiKey ?? '';
  const update = ['tenant', 'update', 'default', '--webhook-url', receiver.url];
  const updated = await runCli([...update, '--data-dir', dataDir], { env: environment });
  demand(updated.code === 0, updated.stderr);
  do {
    serving = await oneRound(scene, serving, apiKey);
  } while (!proof.isOver());
  const kills = [...counts].filter(([what]) => what.startsWith('kills of '));
  const total = kills.reduce((sum, [, many]) => sum + many, 0);
  proof.note('kills', total);
  proof.note('kills a minute', ((60_000 * total) / (performance.now() - begunMs)).toFixed(0));
  const client = clientOf(serving, 'default', apiKey);
  await settle(scene, client);
  await scene.ledger.judgeFromOutside(client, picture);
  await deliverAll(scene);
  await serving.end('SIGTERM');
  scene.ledger.judgeMessages(receiver.calls);
  receiver.close();
  await judgeFolder(scene);
  for (const [what, many] of [...counts, ...scene.ledger.figures()]) proof.note(what, many);
  for (const suffix of ['', '-backups', '-restored']) {
    rmSync(`${dataDir}${suffix}`, { recursive: true, force: true });
  }
}

/** Clients at work, one victim or more; returns the server that is up afterwards. */
async function oneRound(scene: Scene, serving: Serving, apiKey: string): Promise<Serving> {
  const client = clientOf(serving, 'default', apiKey);
  const isEnded = { now: false };
  const clients = [1, 2].map(async () => work(scene, client, isEnded));
  const act = pick(scene.random, acts);
  await act(scene, serving);
  const endsServer = scene.random() < 0.75;
  await setTimeout(scene.random() * 1200);
  isEnded.now = true;
  if (!endsServer) {
    await Promise.all(clients);
    return serving;
  }
  const upgrades = scene.ledger.upgradable().map(async (id) => cutOffUpgrade(scene, client, id));
  await setTimeout(400 * scene.random());
  count(scene, 'kills of the server');
  // First of all: an end in order waits for the answers that are still to come.
  serving.child.kill('SIGKILL');
  await serving.end('SIGKILL');
  await Promise.all([...clients, ...upgrades]);
  if (scene.random() < 0.25) await killRotation(scene);
  if (scene.random() < 0.5) await killStarts(scene);
  return startServing(scene.dataDir, environment);
}

/** One client: whatever it is told goes into the ledger; an answer that never came leaves both possibilities open. */
async function work({ ledger, random, picture }: Scene, client: Client, end: { now: boolean }) {
  while (!end.now) {
    try {
      await doSomething({ ledger, random, picture }, client);
    } catch (error) {
      // A broken connection; what the ledger demanded is not broken off.
      if (error instanceof Error && error.name === 'Fault') throw error;
      await setTimeout(20);
    }
  }
}

async function doSomething(
  { ledger, random, picture }: Pick<Scene, 'ledger' | 'random' | 'picture'>,
  client: Client,
): Promise<void> {
  const dice = random();
  const known = ledger.one(random);
  if (known === null || dice < 0.5) {
    const tier: Tier = random() < 0.8 ? 'flagging' : 'forensicReporting';
    const options = { tier, model: 'trace-1' };
    const made = await ledger.create(async () =>
      client.create({ format: 'jpg', ...size, options }),
    );
    const put = await client.upload(made, picture);
    if (put.status === 200) await ledger.start(made.id, async () => start(client, made.id));
    // Else the queue only grows, and hardly anything is completed that an upgrade could be asked for.
    if (random() < 0.6) {
      await client.until(made.id, ['completed', 'failed']);
      await upgrade(ledger, client, made.id);
    }
  } else if (dice < 0.7) {
    await ledger.start(known, async () => start(client, known));
  } else if (dice < 0.85) {
    await upgrade(ledger, client, known);
  } else if (dice < 0.9) {
    await ledger.remove(known, async () => client.send('DELETE', '', { id: known }));
  } else {
    ledger.look(known, await client.get(known));
  }
  await setTimeout(100 * random());
}

async function upgrade(ledger: Ledger, client: Client, id: string): Promise<void> {
  const options = { tier: 'forensicReporting' };
  await ledger.upgrade(id, async () => client.send('POST', '/retry', { id, options }));
}

async function start(client: Client, id: string) {
  return client.send('POST', '/start', { id });
}

const acts = [
  killChildren,
  killWorker,
  freezeWorker,
  killBackup,
  killRestore,
  killMigrations,
  nothing,
];

async function nothing({ random }: Scene): Promise<void> {
  await setTimeout(500 * random());
}

/** Asked for just before the server is killed: the answer may not come. */
async function cutOffUpgrade({ ledger }: Scene, client: Client, id: string): Promise<void> {
  try {
    await upgrade(ledger, client, id);
  } catch (error) {
    if (error instanceof Error && error.name === 'Fault') throw error;
  }
}

/** Servers that are killed before they are ready: while they open, recover and take up what was left. */
async function killStarts(scene: Scene): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const args = ['--data-dir', scene.dataDir, '--port', '0', '--workers', '1'];
    const child = spawnServe(args, environment);
    await setTimeout(300 + 1500 * scene.random());
    count(scene, 'kills of starting servers');
    child.kill('SIGKILL');
    await child;
  }
}

/** On a database of its own: one of the present schema has nothing to bring up to date. */
async function killMigrations(scene: Scene): Promise<void> {
  const { kills, cutOff } = await killMigration(scene);
  count(scene, 'kills of migrations', kills);
  count(scene, 'migrations cut off by a kill', cutOff);
}

async function killChildren(scene: Scene, { child }: Serving): Promise<void> {
  await setTimeout(800 * scene.random());
  count(scene, timesChildrenKilled);
  for (const pid of childrenOf(child.pid)) {
    count(scene, 'kills of children');
    signal(pid, 'SIGKILL');
  }
}

async function killWorker(scene: Scene): Promise<void> {
  const worker = startWorker(scene);
  await setTimeout(4000 * scene.random());
  count(scene, 'kills of workers');
  worker.kill('SIGKILL');
  await worker;
}

/** For longer than its lease: what it then brings must not count. */
async function freezeWorker(scene: Scene): Promise<void> {
  const worker = startWorker(scene);
  await setTimeout(1500 + 2500 * scene.random());
  count(scene, 'workers frozen beyond their lease');
  worker.kill('SIGSTOP');
  await setTimeout((leaseSeconds + 1) * 1000);
  worker.kill('SIGCONT');
  await setTimeout(500);
  worker.kill('SIGKILL');
  await worker;
}

function startWorker({ dataDir }: Scene) {
  const args = ['worker', '--data-dir', dataDir, '--workers', '1'];
  return spawnCli(args, { env: environment });
}

function childrenOf(pid: number | undefined): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in between.
  }
}

// Everything that was started has this long, however much it is, before it counts as stuck.
const patienceMs = 15 * 60_000;

/** Nothing is killed any more: what was acknowledged comes to its end. */
async function settle({ ledger, counts }: Scene, client: Client): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  const retried = new Set<string>();
  for (const id of ledger.started()) {
    for (;;) {
      const answer = await client.get(id);
      if (answer.status === 404) break;
      const { status, statusMessage } = only(answer).inferenceStatus;
      if (status === 'completed') break;
      demand(performance.now() < untilMs, `${id} is stuck: ${status}, ${statusMessage}`);
      // A picture that four children died of is given up; here it was we who killed them.
      if (status === 'failed') {
        demand(!retried.has(id), `${id} failed although nothing was killed: ${statusMessage}`);
        retried.add(id);
        await client.send('POST', '/retry', { id });
      }
      await setTimeout(100);
    }
  }
  counts.set('runs given up after kills of their children', retried.size);
}

async function deliverAll({ dataDir }: Scene): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const db = new Database(join(dataDir, 'forensics.db'), { readonly: true });
    const sql = "SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'";
    const left = Number(db.prepare(sql).pluck().get());
    db.close();
    if (left === 0) return;
    demand(performance.now() < untilMs, `${left} messages are not delivered.`);
    await setTimeout(500);
  }
}

async function judgeFolder({ dataDir, ledger, counts }: Scene): Promise<void> {
  const audit = await runCli(['audit', 'verify', '--data-dir', dataDir]);
  demand(audit.code === 0, `The audit log is not whole: ${audit.stdout}${audit.stderr}`);
  const db = new Database(join(dataDir, 'forensics.db'), { readonly: true });
  const verdict = String(db.pragma('integrity_check', { simple: true }));
  demand(verdict === 'ok', `The database is damaged: ${verdict}`);
  counts.set('entries of the audit log', ledger.judgeRows(db));
  db.close();
}
