/**
 * A database with very many analyses behind a busy server: how long reads, new analyses and searches
 * take, whether a tenant that floods the server makes another wait, whether memory has grown when
 * the first reads are repeated at the end, and whether a caller over its limit is told when to
 * retry.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { runCli } from '../../test/cli/run-cli.ts';
import { clientOf, newDataDir, startServing } from '../../test/journeys/serving.ts';
import { proveFairness } from './load-fairness.ts';
import { connections, createAsker, many, type Measured, size } from './load-requests.ts';
import { demand, percentile, type Proof } from './proof.ts';

export async function proveLoad(proof: Proof): Promise<void> {
  const dataDir = newDataDir();
  const first = await startServing(dataDir);
  const apiKey = first.ready.apiKey ?? '';
  await clientOf(first, 'default', apiKey).create({ format: 'jpg', ...size });
  await first.end('SIGTERM');
  multiply(join(dataDir, 'forensics.db'), proof.analyses);
  proof.note('analyses in the database', proof.analyses);

  const serving = await startServing(dataDir, {}, { shell: logToNobody });
  const asked = createAsker(serving, apiKey);
  const shareMs = (proof.minutes * 60_000) / 5;
  const memory = watchMemory(serving.child.pid ?? 0);
  const read = async () => asked.get('/v1/analysis?tenantName=default&limit=20');
  const atOnce = few(connections, proof);
  // Opening a connection costs more than a request over it.
  await many({ forMs: 1, atOnce }, read);
  const work = watchWork(serving.child.pid ?? 0);
  const began = performance.now();
  const reads = await many({ forMs: shareMs / 2, atOnce }, read);
  report(proof, `reads, ${atOnce} connections without a pause`, reads, work.stop());
  const atFirst = { mb: memory.lately(shareMs / 4), at: performance.now() };
  const rate = { forMs: shareMs / 2, atOnce, everyMs: (1000 * atOnce) / readsASecond };
  const pacedWork = watchWork(serving.child.pid ?? 0);
  const paced = await many(rate, read);
  const what = `reads, ${atOnce} connections, ${readsASecond} a second`;
  report(proof, what, paced, `goal: p99 100 ms; ${pacedWork.stop()}`);
  const creations = await many({ forMs: shareMs, atOnce: 20 }, asked.create);
  report(proof, 'new analyses', creations, 'goal: 200 a second');
  const searches = await many({ forMs: shareMs, atOnce: 4 }, async () =>
    asked.get(`/v1/analysis?tenantName=default&searchTerm=claim%20${proof.seed}&limit=20`),
  );
  report(proof, 'searches', searches, 'goal: p95 300 ms');
  await proveFairness(proof, {
    serving,
    apiKey,
    forMs: shareMs,
    command: async (args) => {
      const { code, stdout, stderr } = await runCli([...args, '--data-dir', dataDir]);
      demand(code === 0, stderr);
      return stdout;
    },
    clientFor: (tenantName, key) => clientOf(serving, tenantName, key),
  });
  const leftMs = proof.minutes * 60_000 - (performance.now() - began);
  await many({ forMs: Math.max(shareMs / 2, leftMs), atOnce }, read);
  const atLast = { mb: memory.lately(shareMs / 4), at: performance.now() };
  proof.note('memory', `${memory.stop()} MB at most; ${growth(atFirst, atLast)}`);
  await asked.close();
  demand((await serving.end('SIGTERM')) === 0, 'The server did not end cleanly.');
  await proveBackPressure(proof, dataDir, apiKey);
  rmSync(dataDir, { recursive: true, force: true });
}

/** The runner here keeps a program's output, and stops the program after 100 MB: some minutes of requests. */
const logToNobody = 'exec "$@" 2>/dev/null';

/** Copies the only analysis as often as needed, each with its own id, name and time. */
function multiply(file: string, times: number): void {
  const db = new Database(file);
  const values: Readonly<Record<string, string>> = {
    id: "printf('%08x%016x', 1700000000 + n, n)",
    name: "'Claim ' || n",
    name_folded: "'claim ' || n",
    created_at: '1700000000000 + n * 1000',
    input_key: "'analyses/' || n || '/input.jpg'",
    status: "'completed'",
    // Each copy gets a new one.
    text_id: 'NULL',
  };
  const sql = "SELECT name FROM pragma_table_info('analyses')";
  const names = db.prepare<[], string>(sql).pluck().all();
  const selected = names.map((name) => values[name] ?? `a.${name}`).join(', ');
  db.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${times})
    INSERT INTO analyses (${names.join(', ')})
    SELECT ${selected} FROM numbers, (SELECT * FROM analyses LIMIT 1) AS a`);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Of all connections together: some thousand users with an open list each. */
const readsASecond = 200;

/** A short run uses fewer connections: opening one takes longer than a request. */
function few(most: number, { minutes }: Proof): number {
  return minutes < 1 ? most / 20 : most;
}

function report(proof: Proof, what: string, { ms, aSecond }: Measured, goal: string): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(ms, share).toFixed(0));
  proof.note(
    what,
    `${ms.length}; ${aSecond.toFixed(0)} a second; p50 ${p50}, p95 ${p95}, p99 ${p99} ms (${goal})`,
  );
}

/** Resident memory of a process, sampled once a second, in MB. Linux only. */
function watchMemory(pid: number) {
  const samples: number[] = [];
  const timer = setInterval(() => {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(procFile(pid, 'status'))?.[1] ?? 0);
    samples.push(kilobytes / 1024);
  }, 1000);
  return {
    /** Median over the last `ms` milliseconds. */
    lately: (ms: number) => percentile(samples.slice(-Math.ceil(ms / 1000)), 0.5),
    /** @returns the maximum. */
    stop(): string {
      clearInterval(timer);
      return Math.max(...samples).toFixed(0);
    },
  };
}

interface Moment {
  readonly mb: number;
  readonly at: number;
}

/** Under the same load at both times, because each kind of request has its own heap size. */
function growth(first: Moment, last: Moment): string {
  const hours = (last.at - first.at) / 3_600_000;
  const from = `${first.mb.toFixed(0)} MB during the first reads, ${last.mb.toFixed(0)} during the same reads`;
  if (60 * hours < leastSlopeMinutes) return `${from} at the end; too short for a slope`;
  const slope = ((last.mb - first.mb) / hours).toFixed(1);
  return `${from} ${(60 * hours).toFixed(0)} minutes later: ${slope} MB an hour`;
}

// A shorter run only shows the steps of the garbage collector.
const leastSlopeMinutes = 10;

const ticksASecond = 100;

/**
 * Share of one core that the server used, and the clients, which have the other core. Linux only.
 */
function watchWork(pid: number) {
  const seconds = () => {
    const [user = 0, system = 0] =
      procFile(pid, 'stat').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
    return (user + system) / ticksASecond;
  };
  const began = { at: performance.now(), server: seconds(), clients: process.cpuUsage() };
  return {
    stop(): string {
      const passed = (performance.now() - began.at) / 1000;
      const { user, system } = process.cpuUsage(began.clients);
      const [server, clients] = [seconds() - began.server, (user + system) / 1e6];
      const share = (used: number) => `${((100 * used) / passed).toFixed(0)}%`;
      return `of one core the server used ${share(server)}, the clients ${share(clients)}`;
    },
  };
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

const limit = 30;

/** Above its limit a caller gets 429 and the number of seconds after which the next request is accepted. */
async function proveBackPressure(proof: Proof, dataDir: string, apiKey: string): Promise<void> {
  const serving = await startServing(dataDir, { FORENSICS_RATE_LIMIT_PER_MINUTE: String(limit) });
  const ask = async () =>
    serving.ask({
      method: 'GET',
      path: '/v1/analysis?tenantName=default&limit=1',
      headers: { authorization: `ApiKey ${apiKey}` },
    });
  const answers = await Promise.all(Array.from({ length: 2 * limit }, ask));
  const refused = answers.filter(({ status }) => status === 429);
  demand(refused.length >= limit, `Of ${2 * limit} requests ${refused.length} were refused.`);
  const seconds = refused.map(({ headers }) => Number(headers['retry-after']));
  const areSeconds = seconds.every((one) => Number.isInteger(one) && one >= 1 && one <= 60);
  demand(areSeconds, `Retry-After was ${seconds[0]}.`);
  await setTimeout(1000 * Math.max(...seconds) + 500);
  demand(
    (await ask()).status === 200,
    'A caller that waited as long as it was told was refused again.',
  );
  proof.note('refused above the limit, with Retry-After', refused.length);
  await serving.end('SIGTERM');
}
