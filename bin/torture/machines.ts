/**
 * Three servers and two workers on one PostgreSQL and one S3 store. Processes are killed and
 * frozen, connections are cut or used up, PostgreSQL itself is stopped as in a crash and its disk
 * becomes full, and the store answers with errors, while clients create, upload, start, upgrade and
 * delete. Judged as in `kills`. Then one tenant floods a server that is otherwise left alone.
 */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client as Database } from 'pg';
import { fetch } from 'undici';
import { runCli, spawnCli } from '../../test/cli/run-cli.ts';
import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import { type PostgresServer, startPostgres } from '../../test/fixtures/postgres.ts';
import { startReceiver } from '../../test/journeys/receiver.ts';
import { clientOf, newDataDir, type Serving, startServing } from '../../test/journeys/serving.ts';
import { bucket, startS3Server } from '../../test/fixtures/s3-server.ts';
import { type Client, cutOffUpgrade, patienceMs, settle, size, work } from './clients.ts';
import { childrenOf, environment as common, leaseSeconds, sendSignal } from './kill-commands.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { proveFairness } from './load-fairness.ts';
import { fill, mount, unmount } from './own-disk.ts';
import { demand, Fault, pick, type Proof } from './proof.ts';

interface Scene extends Proof {
  readonly ledger: Ledger;
  readonly picture: Buffer;
  readonly counts: Map<string, number>;
  readonly postgres: PostgresServer;
  /** The disk of PostgreSQL; null if it cannot have its own. */
  readonly disk: string | null;
  readonly url: string;
  /** While it is true, the store refuses most requests. */
  readonly store: { isDown: boolean };
  readonly folders: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** One for each folder. */
  readonly servers: Serving[];
  apiKey: string;
  /** Output of servers that exited without being stopped. */
  readonly endedAlone: string[];
  /** What the servers logged. */
  readonly warnings: string[];
}

type Worker = ReturnType<typeof spawnCli>;

export async function proveMachines(proof: Proof): Promise<void> {
  const folders = Array.from({ length: nodes + 2 }, newDataDir);
  const store = { isDown: false };
  const buckets = await startS3Server({
    isDown: () => store.isDown && proof.random() < refusedShare,
  });
  const { postgres, disk, removeDisk } = await startOnOwnDisk();
  if (disk === null) proof.note('a full disk skipped', 'this user may not mount a file system');
  const receiver = await startReceiver();
  const counts = new Map<string, number>();
  const bucketFile = join(folders[0]!, 'bucket.json');
  const s3 = buckets.s3Config(bucket);
  writeFileSync(bucketFile, JSON.stringify({ s3 }), { mode: 0o600 });
  const url = await postgres.createDatabase();
  const scene: Scene = {
    ...proof,
    ledger: createLedger({ refusals: [503, 507] }),
    picture: await sceneJpeg({ ...size, seed: 1 }),
    counts,
    postgres,
    disk,
    url,
    store,
    folders,
    environment: {
      ...common,
      FORENSICS_DATABASE_URL: url,
      FORENSICS_DEFAULT_STORAGE: bucketFile,
      FORENSICS_MASTER_KEY: '2f'.repeat(32),
      FORENSICS_WORKERS: '1',
    },
    servers: [],
    apiKey: '',
    endedAlone: [],
    warnings: [],
  };
  try {
    await prove(scene, receiver.url).catch((error: unknown) => {
      throw withWarnings(error, scene.warnings);
    });
    await Promise.all(scene.servers.map(async (server) => server.end('SIGTERM')));
    scene.ledger.judgeMessages(receiver.calls);
    await judgeDatabase(scene);
    await proveFloods(scene);
  } finally {
    for (const { child } of scene.servers) child.kill('SIGKILL');
    receiver.close();
    await postgres.stop();
    removeDisk();
    await buckets.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
  for (const [what, many] of [...counts, ...scene.ledger.figures()]) proof.note(what, many);
}

/** A fault of a server is explained by what it logged last. */
function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (error instanceof Fault) error.message += `\n${warnings.join('').slice(-4000)}`;
  return error;
}

const nodes = 3;
const refusedShare = 0.7;

/** Fewer connections than all processes and the observers could open at once. */
const mostConnections = 60;

async function startOnOwnDisk() {
  const disk = mkdtempSync(join(tmpdir(), 'forensics-disk-'));
  // PostgreSQL runs as another user.
  chmodSync(disk, 0o755);
  const isOwn = mount(disk, 'size=600m,mode=755');
  const settings = ['fsync=on', 'max_wal_size=64MB', `max_connections=${mostConnections}`];
  const folder = join(disk, 'postgres');
  mkdirSync(folder);
  return {
    postgres: await startPostgres(settings, folder),
    disk: isOwn ? disk : null,
    removeDisk: () => (isOwn ? unmount(disk) : rmSync(disk, { recursive: true })),
  };
}

async function prove(scene: Scene, webhookUrl: string): Promise<void> {
  for (const folder of scene.folders.slice(0, nodes)) {
    const server = await serve(scene, folder);
    scene.servers.push(server);
    scene.apiKey ||= server.ready.apiKey ?? '';
  }
  const update = ['tenant', 'update', 'default', '--webhook-url', webhookUrl];
  await command(scene, update);
  const workers: Worker[] = [];
  const state = { isStopping: false };
  const supervisors = [0, 1].map(async (at) => {
    while (!state.isStopping) {
      workers[at] = startWorker(scene, nodes + at);
      await workers[at];
    }
  });
  do {
    await oneRound(scene, workers);
  } while (!scene.isOver() && scene.endedAlone.length === 0);
  demand(scene.endedAlone.length === 0, `A server ended by itself. ${scene.endedAlone.join('\n')}`);
  const client = clientAt(scene, 0);
  await settle(scene, client);
  await scene.ledger.judgeFromOutside(client, scene.picture);
  await deliverAll(scene);
  state.isStopping = true;
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(supervisors);
}

async function oneRound(scene: Scene, workers: Worker[]): Promise<void> {
  const isEnded = { now: false };
  const clients = scene.servers.map(async (_, at) => work(scene, clientAt(scene, at), isEnded));
  await Promise.all([pick(scene.random, acts)(scene, workers), killBeside(scene, workers)]);
  await setTimeout(600 * scene.random());
  isEnded.now = true;
  await Promise.all(clients);
}

type Act = (scene: Scene, workers: Worker[]) => Promise<void>;

const acts: readonly Act[] = [
  killServer,
  killServer,
  killServer,
  freezeNode,
  freezeNode,
  breakStore,
  restartDatabase,
  restartDatabase,
  cutConnections,
  cutConnections,
  useUpConnections,
  fillDisk,
];

async function killServer(scene: Scene): Promise<void> {
  const at = Math.floor(nodes * scene.random());
  const client = clientAt(scene, at);
  const upgrades = scene.ledger.upgradable().map(async (id) => cutOffUpgrade(scene, client, id));
  await setTimeout(400 * scene.random());
  tally(scene, 'kills of servers');
  await scene.servers[at]!.end('SIGKILL');
  await Promise.all(upgrades);
  for (;;) {
    try {
      scene.servers[at] = await serve(scene, scene.folders[at]!);
      return;
    } catch {
      // PostgreSQL was just starting; the server's supervisor tries again.
      tally(scene, 'starts of servers tried again');
    }
  }
}

/** Database trouble must not make a server exit. */
async function serve(scene: Scene, folder: string): Promise<Serving> {
  const server = await startServing(folder, scene.environment);
  server.child.stderr.on('data', (bytes: Buffer) => scene.warnings.push(bytes.toString()));
  void server.child.then(({ exitCode, signal, stderr }) => {
    if (exitCode !== 0 && signal !== 'SIGKILL')
      scene.endedAlone.push(`${exitCode ?? signal}: ${stderr.slice(-2000)}`);
  });
  return server;
}

/**
 * Alongside any other act: kills a process that reads pictures for a worker twice, then a worker.
 */
async function killBeside(scene: Scene, workers: Worker[]): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await setTimeout(800 * scene.random());
    for (const pid of childrenOf(pick(scene.random, workers).pid)) {
      tally(scene, 'kills of children');
      sendSignal(pid, 'SIGKILL');
    }
  }
  await killWorker(scene, workers);
}

async function killWorker(scene: Scene, workers: Worker[]): Promise<void> {
  const at = Math.floor(2 * scene.random());
  await setTimeout(1500 * scene.random());
  tally(scene, 'kills of workers');
  workers[at]?.kill('SIGKILL');
}

/** For longer than its lease: the result that it then delivers must not count. */
async function freezeNode(scene: Scene, workers: Worker[]): Promise<void> {
  const node = pick(scene.random, [...workers, ...scene.servers.map(({ child }) => child)]);
  await setTimeout(1000 * scene.random());
  tally(scene, 'nodes frozen beyond their lease');
  node.kill('SIGSTOP');
  await setTimeout((leaseSeconds + 1) * 1000);
  node.kill('SIGCONT');
}

async function breakStore(scene: Scene): Promise<void> {
  await setTimeout(800 * scene.random());
  tally(scene, 'times the store answered with errors');
  scene.store.isDown = true;
  await setTimeout(3000 * scene.random());
  scene.store.isDown = false;
}

async function restartDatabase(scene: Scene): Promise<void> {
  await setTimeout(800 * scene.random());
  const how = scene.random() < 0.7 ? 'SIGQUIT' : 'SIGINT';
  tally(scene, how === 'SIGQUIT' ? 'crashes of PostgreSQL' : 'restarts of PostgreSQL');
  await scene.postgres.restart(how);
}

async function cutConnections(scene: Scene): Promise<void> {
  await setTimeout(800 * scene.random());
  const cut = await asked(
    scene,
    'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  tally(scene, 'connections cut', cut);
}

/** All connections are cut, and every connection of PostgreSQL is taken for a while. */
async function useUpConnections(scene: Scene): Promise<void> {
  const taken: Database[] = [];
  await cutConnections(scene);
  for (let n = 0; n < mostConnections; n++) {
    const one = new Database(scene.url);
    one.on('error', () => undefined);
    try {
      await one.connect();
      taken.push(one);
    } catch {
      break;
    }
  }
  tally(scene, 'times no connection was left');
  await setTimeout(1500 * scene.random());
  await Promise.all(taken.map(async (one) => one.end()));
}

/** PostgreSQL may stop; its supervisor frees space and restarts it. */
async function fillDisk(scene: Scene): Promise<void> {
  if (scene.disk === null) return;
  const ballast = join(scene.disk, 'ballast');
  tally(scene, 'times the disk of PostgreSQL was full');
  fill(ballast);
  await setTimeout(2000 * scene.random());
  rmSync(ballast);
  await scene.postgres.restart('SIGINT');
}

function tally({ counts }: Scene, what: string, many = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + many);
}

function startWorker({ folders, environment }: Scene, at: number): Worker {
  const args = ['worker', '--data-dir', folders[at]!, '--workers', '1', '--quiet'];
  return spawnCli(args, { env: environment });
}

const nothing = () => JSON.parse('null');

/** Pictures go to the bucket, not through the server. */
function clientAt(scene: Scene, at: number, tenantName = 'default', apiKey = scene.apiKey): Client {
  const ask: Serving['ask'] = async (question) => scene.servers[at]!.ask(question);
  const client = clientOf({ ask }, tenantName, apiKey);
  return {
    ...client,
    async upload({ input }, bytes) {
      const { status } = await fetch(input.storageUrls.putUrl, { method: 'PUT', body: bytes });
      return { status, headers: {}, body: Buffer.alloc(0), json: nothing, data: nothing };
    },
    download: async (url) => Buffer.from(await (await fetch(url)).arrayBuffer()),
  };
}

async function asked({ url }: Scene, sql: string): Promise<number> {
  const database = new Database(url);
  await database.connect();
  try {
    const { rows } = await database.query({ text: sql, rowMode: 'array' });
    return Number(rows[0]?.[0]);
  } finally {
    await database.end();
  }
}

async function deliverAll(scene: Scene): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const left = await asked(
      scene,
      "SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'",
    );
    if (left === 0) return;
    demand(performance.now() < untilMs, `${left} messages are not delivered.`);
    await setTimeout(500);
  }
}

async function judgeDatabase(scene: Scene): Promise<void> {
  await command(scene, ['audit', 'verify']);
  const entries = await scene.ledger.judgeRows(async (sql) => asked(scene, sql));
  scene.counts.set('entries of the audit log', entries);
}

/** @returns what it printed. */
async function command({ folders, environment }: Scene, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli([...args, '--data-dir', folders[0]!], {
    env: environment,
  });
  demand(code === 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const floodMs = 4000;

/** After everything is judged, because what follows makes its own analyses. */
async function proveFloods(scene: Scene): Promise<void> {
  scene.servers[0] = await serve(scene, scene.folders[0]!);
  const worker = startWorker(scene, nodes);
  await proveFairness(scene, {
    serving: scene.servers[0],
    apiKey: scene.apiKey,
    forMs: floodMs,
    command: async (args) => command(scene, args),
    clientFor: (tenantName, key) => clientAt(scene, 0, tenantName, key),
  });
  worker.kill('SIGTERM');
  await worker;
  await scene.servers[0].end('SIGTERM');
}
