/**
 * (e): two API requests, compared with a bare Fastify route that returns the same
 * bytes, each in its own process. A new analysis is acknowledged once it is on disk, so it is also
 * compared with a bare route that stores one row.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'undici';
import { newDataDir, startServing } from '../../test/journeys/serving.ts';
import { interleaved, type Row } from './figures.ts';

const listed = 50;
const requestsARound = 100;

export async function benchHttp(rounds: number): Promise<readonly Row[]> {
  const dataDir = newDataDir();
  const serving = await startServing(dataDir);
  const { url, caPath, tenantName, apiKey } = serving.ready;
  const connect = { ca: readFileSync(caPath) };
  const client = new Client(url, { connect });
  const headers = { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' };
  const list = {
    method: 'GET',
    path: `/v1/analysis?tenantName=${tenantName}&limit=${listed}`,
    headers,
  } as const;
  const create = {
    method: 'POST',
    path: '/v1/analysis',
    headers,
    body: bodyOf(tenantName),
  } as const;
  for (let n = 1; n < listed; n++) await ask(client, create);

  const created = join(dataDir, 'created.json');
  const listing = join(dataDir, 'listing.json');
  writeFileSync(created, await ask(client, create));
  writeFileSync(listing, await ask(client, list));
  const bare = await startBare([dataDir, created, listing]);
  const bareClient = new Client(bare.url, { connect });
  const acts = [
    many(client, list),
    many(bareClient, list),
    many(client, create),
    many(bareClient, create),
    many(bareClient, { ...create, path: '/stored' }),
  ];
  const [listMs = 0, bareListMs = 0, createMs = 0, bareCreateMs = 0, storedMs = 0] =
    await interleaved(rounds, acts);
  await Promise.all([client.close(), bareClient.close()]);
  bare.stop();
  await serving.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
  return [
    { what: `GET of ${listed} analyses`, value: listMs / requestsARound, unit: 'ms' },
    { what: '(e) GET / bare route', value: listMs / bareListMs, unit: 'x', atMost: 2 },
    { what: 'create', value: createMs / requestsARound, unit: 'ms' },
    { what: '(e) create / bare route', value: createMs / bareCreateMs, unit: 'x', atMost: 4 },
    { what: 'create / bare route, one durable row', value: createMs / storedMs, unit: 'x' },
  ];
}

function bodyOf(tenantName: string | null): string {
  const input = {
    format: 'jpg',
    version: 'v1',
    width: 640,
    height: 480,
    filename: 'a.jpg',
    options: {},
  };
  return JSON.stringify({ name: 'bench', type: 'image', input, tenantName });
}

type Asked = Parameters<Client['request']>[0];

async function ask(client: Client, question: Asked): Promise<string> {
  const { statusCode, body } = await client.request(question);
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${question.path} answered ${statusCode}: ${text}`);
  return text;
}

/**
 * One after the other on one connection: measures the time of a request, not the length of a queue.
 */
function many(client: Client, question: Asked): () => Promise<void> {
  return async () => {
    for (let n = 0; n < requestsARound; n++) await ask(client, question);
  };
}

async function startBare(args: readonly string[]) {
  const child = fork(new URL('./bare-route.ts', import.meta.url), args);
  const early = once(child, 'exit').then(() => Promise.reject(new Error('The bare route ended.')));
  const [url]: unknown[] = await Promise.race([once(child, 'message'), early]);
  early.catch(() => undefined);
  return { url: String(url), stop: () => child.kill() };
}
