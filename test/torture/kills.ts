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
import { cutOffUpgrade, patienceMs, settle, size, work } from './clients.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { demand, pick, type Proof } from './proof.ts';

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
  const entries = await ledger.judgeRows(async (sql) => Number(db.prepare(sql).pluck().get()));
  counts.set('entries of the audit log', entries);
  db.close();
}
