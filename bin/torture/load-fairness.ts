/** How long one tenant waits for an answer and for a run, alone and while another sends all the requests it can. */

import { sceneJpeg } from '../../test/fixtures/pictures.ts';
import type { Serving } from '../../test/journeys/serving.ts';
import type { Client } from './clients.ts';
import { createAsker, many, size } from './load-requests.ts';
import { demand, percentile, type Proof } from './proof.ts';

interface Flood {
  readonly serving: Serving;
  /** Of the flooding tenant, which has the many analyses. */
  readonly apiKey: string;
  readonly forMs: number;
  /** Runs a command of the program. @returns what it printed. */
  readonly command: (args: readonly string[]) => Promise<string>;
  readonly clientFor: (tenantName: string, apiKey: string) => Client;
}

export async function proveFairness(proof: Proof, flood: Flood): Promise<void> {
  const secret = await makeTenant('quiet', flood.command);
  await proveRequests(proof, flood, secret);
  await proveRuns(proof, flood, secret);
}

const floodAtOnce = 50;
/**
 * Requests of the other tenant that an answer may wait for: the one in progress, the next one in
 * turn, and some overhead of the machine.
 */
const mostWaitedFor = 5;

async function proveRequests(proof: Proof, flood: Flood, secret: string): Promise<void> {
  const { serving, apiKey } = flood;
  const forMs = flood.forMs / 2;
  const [loud, quiet] = [createAsker(serving, apiKey), createAsker(serving, secret, 'quiet')];
  const one = async () => quiet.get('/v1/analysis?tenantName=quiet');
  const alone = await many({ forMs, atOnce: 1 }, one);
  const [flooding, beside] = await Promise.all([
    many({ forMs, atOnce: floodAtOnce }, async () =>
      loud.get('/v1/analysis?tenantName=default&limit=20'),
    ),
    many({ forMs, atOnce: 1 }, one),
  ]);
  await Promise.all([loud.close(), quiet.close()]);
  const [before, then] = [percentile(alone.ms, 0.5), percentile(beside.ms, 0.5)];
  const eachMs = 1000 / flooding.aSecond;
  const said = `${before.toFixed(1)} ms alone, ${then.toFixed(1)} ms beside ${floodAtOnce} connections, ${percentile(beside.ms, 0.95).toFixed(0)} ms at p95`;
  proof.note('a quiet tenant waits for an answer', `${said} (goal: 20% more)`);
  proof.note('a request of the flood takes, ms', eachMs.toFixed(1));
  demand(
    then <= before + mostWaitedFor * eachMs,
    `A quiet tenant waited ${then.toFixed(0)} ms beside requests of ${eachMs.toFixed(0)} ms each.`,
  );
}

const queued = 20;
const measuredRuns = 5;
/** Its own run, the one in progress, and one that was claimed at the same moment. */
const mostRuns = 3;

async function proveRuns(proof: Proof, flood: Flood, secret: string): Promise<void> {
  const [loud, quiet] = [
    flood.clientFor('default', flood.apiKey),
    flood.clientFor('quiet', secret),
  ];
  const picture = await sceneJpeg({ ...size, seed: 1 });
  await timeRuns(quiet, picture, 1);
  const alone = await timeRuns(quiet, picture, measuredRuns);
  const waiting = Array.from({ length: queued }, async () => startOne(loud, picture));
  const ids = await Promise.all(waiting);
  const beside = await timeRuns(quiet, picture, measuredRuns);
  await Promise.all(ids.map(async (id) => loud.until(id, ['completed'])));
  const [before, then] = [percentile(alone, 0.5), percentile(beside, 0.5)];
  const said = `${before.toFixed(0)} ms alone, ${then.toFixed(0)} ms beside a queue of ${queued} runs`;
  proof.note('a quiet tenant waits for a run', `${said} (goal: 20% more)`);
  demand(
    then <= mostRuns * before,
    `A quiet tenant waited ${then.toFixed(0)} ms for a run of ${before.toFixed(0)} ms.`,
  );
}

async function startOne(client: Client, picture: Buffer): Promise<string> {
  const made = await client.create({ format: 'jpg', ...size, options: { model: 'trace-3' } });
  const put = await client.upload(made, picture);
  demand(put.status === 200, `An upload was answered ${put.status}.`);
  const started = await client.send('POST', '/start', { id: made.id });
  demand(started.status === 200, `A start was answered ${started.body.toString()}`);
  return made.id;
}

/** @returns ms from each start to its end, one after the other. */
async function timeRuns(client: Client, picture: Buffer, times: number): Promise<number[]> {
  const ms: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    await client.until(await startOne(client, picture), ['completed']);
    ms.push(performance.now() - begun);
  }
  return ms;
}

/** @returns its key. */
async function makeTenant(name: string, command: Flood['command']): Promise<string> {
  await command(['tenant', 'create', name]);
  const said = await command(['keys', 'create', '--name', name, '--tenant', name]);
  const secret = /sk-[a-z0-9]+-\w+/.exec(said)?.[0] ?? '';
  demand(secret !== '', said);
  return secret;
}
