/**
 * A database with very many analyses behind a server at work: how long reads, creations and searches take, whether a tenant
 * that floods the server makes another wait, whether memory grows, and that who asks too much is told when to come again.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Agent } from 'undici';
import { runCli } from '../cli/run-cli.ts';
import { clientOf, newDataDir, type Serving, startServing } from '../journeys/serving.ts';
import { demand, percentile, type Proof } from './proof.ts';

const connections = 1000;
const size = { width: 96, height: 96 };

export async function proveLoad(proof: Proof): Promise<void> {
  const dataDir = newDataDir();
  const first = await startServing(dataDir);
  const apiKey = first.ready.apiKey ?? '';
  await clientOf(first, 'default', apiKey).create({ format: 'jpg', ...size });
  await first.end('SIGTERM');
  multiply(join(dataDir, 'forensics.db'), proof.analyses);
  proof.note('analyses in the database', proof.analyses);

  const serving = await startServing(dataDir);
  const asked = createAsker(serving, apiKey);
  const shareMs = (proof.minutes * 60_000) / 5;
  const memory = watchMemory(serving.child.pid ?? 0);
  const reads = await many({ forMs: shareMs, atOnce: few(connections, proof) }, async () =>
    asked.get('/v1/analysis?tenantName=default&limit=20'),
  );
  report(proof, 'reads', reads, 'goal: p99 100 ms');
  const creations = await many({ forMs: shareMs, atOnce: 20 }, asked.create);
  report(proof, 'creations', creations, 'goal: 200 a second');
  const searches = await many({ forMs: shareMs, atOnce: 4 }, async () =>
    asked.get(`/v1/analysis?tenantName=default&searchTerm=claim%20${proof.seed}`),
  );
  report(proof, 'searches', searches, 'goal: p95 300 ms');
  await proveFairness(proof, { serving, dataDir, asked, forMs: shareMs });
  proof.note('memory, slope', `${memory.stop().toFixed(1)} MB an hour`);
  await asked.close();
  demand((await serving.end('SIGTERM')) === 0, 'The server did not end cleanly.');
  await proveBackPressure(proof, dataDir, apiKey);
  rmSync(dataDir, { recursive: true, force: true });
}

/** The one analysis that is there, as often as wanted: each with an id, a name and a time of its own. */
function multiply(file: string, times: number): void {
  const db = new Database(file);
  const values: Readonly<Record<string, string>> = {
    id: "printf('%08x%016x', 1700000000 + n, n)",
    name: "'Claim ' || n",
    name_folded: "'claim ' || n",
    created_at: '1700000000000 + n * 1000',
    input_key: "'analyses/' || n || '/input.jpg'",
    status: "'completed'",
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

/** A short form asks over fewer connections: opening one takes longer than asking. */
function few(most: number, { minutes }: Proof): number {
  return minutes < 1 ? most / 20 : most;
}

function createAsker({ ready }: Serving, apiKey: string) {
  const agent = new Agent({
    connect: { ca: readFileSync(ready.caPath), timeout: 60_000 },
    connections,
    headersTimeout: 120_000,
  });
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' };
  const input = { format: 'jpg', version: 'v1', ...size, filename: 'a.jpg', options: {} };
  const body = JSON.stringify({ tenantName: 'default', name: 'A', type: 'image', input });
  async function ask(method: 'GET' | 'POST', path: string): Promise<number> {
    const { origin } = new URL(ready.url);
    const answer = await agent.request({
      origin,
      path,
      method,
      headers,
      body: method === 'POST' ? body : null,
    });
    await answer.body.dump({ limit: 1e9 });
    return answer.statusCode;
  }
  return {
    get: async (path: string) => ask('GET', path),
    create: async () => ask('POST', '/v1/analysis'),
    close: async () => agent.close(),
  };
}

interface Measured {
  readonly ms: readonly number[];
  readonly aSecond: number;
}

async function many(
  { forMs, atOnce }: { readonly forMs: number; readonly atOnce: number },
  ask: () => Promise<number>,
): Promise<Measured> {
  const ms: number[] = [];
  const begun = performance.now();
  const lines = Array.from({ length: atOnce }, async () => {
    while (performance.now() - begun < forMs) {
      const at = performance.now();
      const status = await ask();
      demand(status === 200, `A server under load answered ${status}.`);
      ms.push(performance.now() - at);
    }
  });
  await Promise.all(lines);
  return { ms, aSecond: (1000 * ms.length) / (performance.now() - begun) };
}

function report(proof: Proof, what: string, { ms, aSecond }: Measured, goal: string): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(ms, share).toFixed(0));
  proof.note(
    what,
    `${ms.length}; ${aSecond.toFixed(0)} a second; p50 ${p50}, p95 ${p95}, p99 ${p99} ms (${goal})`,
  );
}

/** What one request at a time takes the quiet tenant, alone and while another asks as fast as it can. */
async function proveFairness(
  proof: Proof,
  {
    serving,
    dataDir,
    asked,
    forMs,
  }: {
    readonly serving: Serving;
    readonly dataDir: string;
    readonly asked: ReturnType<typeof createAsker>;
    readonly forMs: number;
  },
): Promise<void> {
  const made = await runCli(['tenant', 'create', 'quiet', '--data-dir', dataDir]);
  demand(made.code === 0, made.stderr);
  const key = await runCli([
    'keys',
    'create',
    '--name',
    'quiet',
    '--tenant',
    'quiet',
    '--data-dir',
    dataDir,
  ]);
  const secret = /sk-[a-z0-9]+-\w+/.exec(key.stdout)?.[0] ?? '';
  demand(secret !== '', `${key.stdout}${key.stderr}`);
  const quiet = createAsker(serving, secret);
  const one = async () => quiet.get('/v1/analysis?tenantName=quiet');
  const alone = await many({ forMs: forMs / 2, atOnce: 1 }, one);
  const [, beside] = await Promise.all([
    many({ forMs: forMs / 2, atOnce: 50 }, async () =>
      asked.get('/v1/analysis?tenantName=default&limit=20'),
    ),
    many({ forMs: forMs / 2, atOnce: 1 }, one),
  ]);
  await quiet.close();
  const [before, then] = [percentile(alone.ms, 0.5), percentile(beside.ms, 0.5)];
  const said = `${before.toFixed(0)} ms alone, ${then.toFixed(0)} ms beside 50 connections`;
  proof.note('a quiet tenant, median wait', said);
}

/** @returns a stop that answers megabytes an hour, by least squares over the resident memory. */
function watchMemory(pid: number): { stop(): number } {
  const samples: (readonly [hours: number, megabytes: number])[] = [];
  const begun = performance.now();
  const timer = setInterval(() => {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1] ?? 0);
    samples.push([(performance.now() - begun) / 3_600_000, kilobytes / 1024]);
  }, 1000);
  return {
    stop() {
      clearInterval(timer);
      // The first half is warming up.
      const kept = samples.slice(samples.length >> 1);
      const meanX = kept.reduce((sum, [x]) => sum + x, 0) / kept.length;
      const meanY = kept.reduce((sum, [, y]) => sum + y, 0) / kept.length;
      const up = kept.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
      return up / kept.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
    },
  };
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

const limit = 30;

/** Above its limit a caller gets 429 and the seconds after which the next request is answered. */
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
  demand((await ask()).status === 200, 'Who waited as long as told was refused again.');
  proof.note('refused above the limit, with Retry-After', refused.length);
  await serving.end('SIGTERM');
}
