/**
 * Servers, their child processes, workers and commands are killed at random moments while clients
 * create, upload, start, upgrade and delete. Afterwards everything is judged from outside: by what
 * the server acknowledged, by the messages that the receiver got, and by the database once nothing
 * uses it any more.
 */

import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { runCli, spawnCli } from '../../test/cli/run-cli.ts';
import { createRandom } from '../../test/fixtures/noise.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { startReceiver } from '../../test/journeys/receiver.ts';
import {
  clientOf,
  newDataDir,
  type Serving,
  spawnServe,
  startServing,
} from '../../test/journeys/serving.ts';
import type { Answer } from '../../test/unit/server/open-server.ts';
import { cutOffUpgrade, cutOffUpload, patienceMs, settle, size, work } from './clients.ts';
import {
  childrenOf,
  count,
  environment,
  type Killing,
  killBackup,
  killRestore,
  killRotation,
  leaseSeconds,
  sendSignal,
} from './kill-commands.ts';
import { killMigration } from './kill-migration.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { demand, pick, type Proof } from './proof.ts';

interface Scene extends Proof, Killing {
  readonly ledger: Ledger;
  readonly picture: Buffer;
  /** Child processes of servers that were killed here. */
  readonly killedChildren: Set<number>;
  /** The logs of the folder's servers. */
  readonly log: { text: string };
}

/** While one folder waits, such as for a lease to end, another one is active. */
const sideBySide = availableParallelism() + 1;

export async function proveKills(proof: Proof): Promise<void> {
  const begunMs = performance.now();
  const counts = new Map<string, number>();
  const lasts = new Map<string, number>();
  const folders = Array.from({ length: sideBySide }, async (_, at) =>
    proveFolder({ ...proof, random: createRandom(proof.seed + at) }, { counts, lasts }),
  );
  await Promise.all(folders);
  const kills = [...counts].filter(([what]) => what.startsWith('kills of '));
  const total = kills.reduce((sum, [, many]) => sum + many, 0);
  const minutes = (performance.now() - begunMs) / 60_000;
  proof.note('servers side by side, each with a folder', sideBySide);
  proof.note('kills', total);
  proof.note('minutes, with the judgement at the end', minutes.toFixed(1));
  for (const what of [...counts.keys()].toSorted()) proof.note(what, counts.get(what) ?? 0);
}

async function proveFolder(
  proof: Proof,
  { counts, lasts }: Pick<Scene, 'counts' | 'lasts'>,
): Promise<void> {
  const dataDir = newDataDir();
  const [killedChildren, log] = [new Set<number>(), { text: '' }];
  const isKill = async ({ headers }: Answer) =>
    tellsOfKill({ killedChildren, log }, String(headers['x-request-id']));
  const picture = await sceneJpeg({ ...size, seed: 1 });
  const ledger = createLedger({ isKill });
  const scene = { ...proof, dataDir, picture, counts, lasts, ledger, killedChildren, log };
  const receiver = await startReceiver();
  let serving = await serve(scene);
  const apiKey = serving.ready.apiKey ?? '';
  const update = ['tenant', 'update', 'default', '--webhook-url', receiver.url];
  const updated = await runCli([...update, '--data-dir', dataDir], { env: environment });
  demand(updated.code === 0, updated.stderr);
  do {
    serving = await oneRound(scene, serving, apiKey);
  } while (!proof.isOver());
  const client = clientOf(serving, 'default', apiKey);
  await settle(scene, client);
  await ledger.judgeFromOutside(client, picture);
  await deliverAll(scene);
  await serving.end('SIGTERM');
  ledger.judgeMessages(receiver.calls);
  receiver.close();
  await judgeFolder(scene);
  for (const [what, many] of ledger.figures()) count(scene, what, many);
  for (const suffix of ['', '-backups', '-to-restore', '-restored']) {
    rmSync(`${dataDir}${suffix}`, { recursive: true, force: true });
  }
}

async function serve({ dataDir, log }: Scene): Promise<Serving> {
  const serving = await startServing(dataDir, environment);
  serving.child.stderr.on('data', (bytes: Buffer) => (log.text += bytes.toString('utf8')));
  return serving;
}

/**
 * A server logs a failure before it answers.
 *
 * @returns whether the child process that it names was killed here.
 */
async function tellsOfKill(
  { killedChildren, log }: Pick<Scene, 'killedChildren' | 'log'>,
  requestId: string,
): Promise<boolean> {
  const untilMs = performance.now() + logReadMs;
  for (;;) {
    const line = log.text.split('\n').find((one) => one.includes(requestId));
    const pid = /child (\d+) ended with/.exec(line ?? '')?.[1];
    if (pid !== undefined) return killedChildren.has(Number(pid));
    if (performance.now() > untilMs) return false;
    await setTimeout(20);
  }
}

const logReadMs = 5000;

/** Runs clients and one or more acts. @returns the server that is up afterwards. */
async function oneRound(scene: Scene, serving: Serving, apiKey: string): Promise<Serving> {
  const client = clientOf(serving, 'default', apiKey);
  const isEnded = { now: false };
  const clients = [1, 2].map(async () => work(scene, client, isEnded));
  await Promise.all(actsAtOnce(scene.random).map(async (act) => act(scene, serving)));
  await setTimeout(600 * scene.random());
  isEnded.now = true;
  if (scene.random() < 0.15) {
    await Promise.all(clients);
    return serving;
  }
  const upgrades = scene.ledger.upgradable().map(async (id) => cutOffUpgrade(scene, client, id));
  const upload = cutOffUpload(scene, client);
  await setTimeout(500 * scene.random());
  count(scene, 'kills of the server');
  // Must come first: an orderly stop would wait for outstanding answers.
  serving.child.kill('SIGKILL');
  await serving.end('SIGKILL');
  await Promise.all([...clients, ...upgrades]);
  if (await upload) count(scene, 'uploads cut off by a kill');
  if (scene.random() < 0.4) await killRotation(scene);
  if (scene.random() < 0.5) await killStarts(scene);
  return serve(scene);
}

type Act = (scene: Scene, serving: Serving) => Promise<void>;

/** Two different ones, so that each start of a server, which takes longest, serves more kills. */
function actsAtOnce(random: () => number): readonly Act[] {
  const one = pick(random, acts);
  return [one, pick(random, acts.toSpliced(acts.indexOf(one), 1))];
}

const acts: readonly Act[] = [
  killChildren,
  killWorker,
  freezeWorker,
  killBackup,
  killRestore,
  killMigrations,
];

/** Servers that are killed before they are ready: while they open, recover and resume. */
async function killStarts(scene: Scene): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const args = ['--data-dir', scene.dataDir, '--port', '0', '--workers', '1'];
    const child = spawnServe(args, environment);
    await setTimeout(200 + 1300 * scene.random());
    count(scene, 'kills of starting servers');
    child.kill('SIGKILL');
    await child;
  }
}

/** On a separate database: one with the current schema has nothing to upgrade. */
async function killMigrations(scene: Scene): Promise<void> {
  const { kills, cutOff } = await killMigration(scene);
  count(scene, 'kills of migrations', kills);
  count(scene, 'migrations cut off by a kill', cutOff);
}

/** Twice, so that the restarted ones are killed too. */
async function killChildren(scene: Scene, { child }: Serving): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const untilMs = performance.now() + 3000;
    while (childrenOf(child.pid).length === 0 && performance.now() < untilMs) await setTimeout(50);
    await setTimeout(800 * scene.random());
    for (const pid of childrenOf(child.pid)) {
      count(scene, 'kills of children');
      scene.killedChildren.add(pid);
      sendSignal(pid, 'SIGKILL');
    }
  }
}

async function killWorker(scene: Scene): Promise<void> {
  const worker = startWorker(scene);
  await setTimeout(3000 * scene.random());
  count(scene, 'kills of workers');
  worker.kill('SIGKILL');
  await worker;
}

/** For longer than its lease: the result that it then delivers must not count. */
async function freezeWorker(scene: Scene): Promise<void> {
  const worker = startWorker(scene);
  await setTimeout(1000 + 2000 * scene.random());
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

async function judgeFolder(scene: Scene): Promise<void> {
  const { dataDir, ledger, killedChildren } = scene;
  const audit = await runCli(['audit', 'verify', '--data-dir', dataDir]);
  demand(audit.code === 0, `The audit log is not intact: ${audit.stdout}${audit.stderr}`);
  const db = new Database(join(dataDir, 'forensics.db'), { readonly: true });
  const verdict = String(db.pragma('integrity_check', { simple: true }));
  demand(verdict === 'ok', `The database is damaged: ${verdict}`);
  const number = async (sql: string) => Number(db.prepare(sql).pluck().get());
  count(scene, 'entries of the audit log', await ledger.judgeRows(number));
  const entriesOf = async (event: string) =>
    number(`SELECT count(*) FROM audit_entries WHERE entry ->> 'event' = '${event}'`);
  const retries = await entriesOf('analysis.retried');
  count(scene, 'runs tried again after the death of their child', retries);
  const isExplained = retries <= killedChildren.size;
  demand(isExplained, `${retries} runs were tried again, ${killedChildren.size} children killed.`);
  db.close();
}
