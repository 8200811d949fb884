/**
 * The manual's compose files, with each service run as a local process: with the command, settings,
 * secrets and health checks of the file. PostgreSQL and the bucket are those of the tests.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { Agent, fetch } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { newFolder } from '../fixtures/folder.ts';
import { entry, spawnCli } from '../cli/run-cli.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { freePort } from '../fixtures/free-port.ts';
import { megabytesOf } from '../fixtures/megabytes-of.ts';
import { postgresPrograms, startPostgres } from '../fixtures/postgres.ts';
import { bucket, startS3Server } from '../fixtures/s3-server.ts';
import { clientOf } from '../journeys/serving.ts';
import { asker } from '../unit/server/open-server.ts';
import { blockNamed, readManual } from '../../bin/manual/manual.ts';

interface Service {
  readonly command?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: string | readonly string[] };
}

const servicesOf = (name: string): Readonly<Record<string, Service>> =>
  parse(blockNamed(readManual(), name).text).services;

const size = { width: 640, height: 480 };
const picture = await sceneJpeg({ ...size, seed: 1 });
const mostSeconds = 60;
const mostMegabytes = 300;

type Environment = Readonly<Record<string, string>>;

/** Repeats the file's health check until it passes. */
async function healthy({ healthcheck }: Service, program: string, env: Environment) {
  const [, ...args] =
    typeof healthcheck.test === 'string' ? healthcheck.test.split(' ') : healthcheck.test.slice(1);
  const command = program === 'node' ? [entry, ...args] : args;
  const file = program === 'node' ? process.execPath : program;
  for (;;) {
    const child = spawn(file, command, { env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code === 0) return;
    await setTimeout(200);
  }
}

/** One node, once it is healthy. */
async function startNode(service: Service, changes: Environment) {
  const dataDir = newFolder();
  const port = String(await freePort());
  const env = {
    ...service.environment,
    ...changes,
    FORENSICS_DATA_DIR: dataDir,
    FORENSICS_PORT: port,
    PATH: process.env['PATH'] ?? '',
    XDG_CONFIG_HOME: dataDir,
  };
  const child = spawnCli(service.command ?? ['serve'], { env });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString('utf8')));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await child;
  });
  const ended = child.then(({ stderr }) => Promise.reject(new Error(`the node ended: ${stderr}`)));
  await Promise.race([healthy(service, 'node', env), ended]);
  ended.catch(() => {});
  const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'tls/ca.pem')) } });
  onTestFinished(() => agent.close());
  return {
    ask: asker(`https://127.0.0.1:${port}`, agent),
    apiKey: () => /API key: +(\S+)/.exec(output)?.[1],
    megabytes: () => megabytesOf(child.pid ?? 0),
  };
}

type Node = Awaited<ReturnType<typeof startNode>>;

async function examineOn(node: Node, apiKey: string, upload: 'own' | 'bucket') {
  const client = clientOf(node, 'default', apiKey);
  const made = await client.create({ format: 'jpg', ...size });
  if (upload === 'own') await client.upload(made, picture);
  else await fetch(made.input.storageUrls.putUrl, { method: 'PUT', body: picture });
  await client.send('POST', '/start', { id: made.id });
  return client.until(made.id, ['completed', 'failed']);
}

test('the one-machine Compose file runs a service that reaches a verdict', {
  timeout: 300_000,
}, async () => {
  const { server } = servicesOf('compose-one');
  const begun = performance.now();
  const node = await startNode(server!, {});
  const idle = node.megabytes();

  const { inferenceStatus } = await examineOn(node, node.apiKey() ?? '', 'own');

  const seconds = (performance.now() - begun) / 1000;
  console.log(`${seconds.toFixed(1)} s to a verdict, ${idle.toFixed(0)} MB before`);
  expect(inferenceStatus.status).toBe('completed');
  expect(idle).toBeLessThanOrEqual(mostMegabytes);
  expect(seconds).toBeLessThanOrEqual(mostSeconds);
});

test('with three nodes, one examines and another shows the result', {
  timeout: 300_000,
}, async () => {
  const { database, node: service } = servicesOf('compose');
  const secrets = newFolder();
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const { port } = new URL(postgres.url);
  const { POSTGRES_USER: user = '', POSTGRES_DB: name = '' } = database!.environment;
  const administrator = new Client(postgres.url);
  await administrator.connect();
  await administrator.query(`CREATE USER ${user} SUPERUSER`);
  await administrator.query(`CREATE DATABASE ${name} OWNER ${user}`);
  await administrator.end();
  const s3 = await startS3Server();
  onTestFinished(() => s3.close());
  writeFileSync(join(secrets, 'database-password'), 'any');
  writeFileSync(join(secrets, 'bucket'), JSON.stringify({ s3: s3.s3Config(bucket) }), {
    mode: 0o600,
  });
  const begun = performance.now();
  const reached = { PGHOST: '127.0.0.1', PGPORT: port };
  await healthy(database!, join(postgresPrograms()!, 'pg_isready'), reached);
  const here = Object.entries(service!.environment).map(([key, value]) => [
    key,
    value.replace('@database/', `@127.0.0.1:${port}/`).replace('/run/secrets', secrets),
  ]);
  const shared = { ...Object.fromEntries(here), FORENSICS_MASTER_KEY: '0a'.repeat(32) };

  const nodes = await Promise.all(
    Array.from({ length: service!.deploy?.replicas ?? 0 }, () => startNode(service!, shared)),
  );
  const idle = Math.max(...nodes.map((node) => node.megabytes()));
  const apiKey = nodes.map((node) => node.apiKey()).find((key) => key !== undefined) ?? '';
  const { id, inferenceStatus } = await examineOn(nodes[0]!, apiKey, 'bucket');
  const seconds = (performance.now() - begun) / 1000;
  const shown = await clientOf(nodes[2]!, 'default', apiKey).until(id, ['completed', 'failed']);

  console.log(`${seconds.toFixed(1)} s to a verdict, at most ${idle.toFixed(0)} MB before`);
  expect(nodes).toHaveLength(3);
  expect(inferenceStatus.status).toBe('completed');
  expect(shown.inferenceStatus.result).toEqual(inferenceStatus.result);
  expect(idle).toBeLessThanOrEqual(mostMegabytes);
  expect(seconds).toBeLessThanOrEqual(mostSeconds);
});
