import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Diagnosis } from '../../src/ops/doctor/diagnosis.ts';
import { ensureLocalTls } from '../../src/server/tls.ts';
import { newDataDir, type Serving, startServing } from '../journeys/serving.ts';
import { newAuthority, newLeaf, openTlsServer } from '../unit/cli/client/tls-server.ts';
import { runHere } from './run-here.ts';

const dataDir = newDataDir();
const keyFile = join(dataDir, 'ci.key');
let server: Serving;

beforeAll(async () => {
  server = await startServing(dataDir);
  writeFileSync(keyFile, server.ready.apiKey ?? '', { mode: 0o600 });
}, 30_000);
afterAll(async () => {
  await server.end('SIGTERM');
  rmSync(dataDir, { recursive: true });
});

async function look(...args: string[]) {
  const { code, stdout } = await runHere(['doctor', '--json', ...args]);
  const { checks }: { checks: Diagnosis[] } = JSON.parse(stdout);
  return { code, checks, states: checks.map(({ name, state }) => [name, state]) };
}

const trusted = () => ['--url', server.ready.url, '--ca', server.ready.caPath];

test('a server that is well, and lets us in, is found well', async () => {
  const { code, states } = await look(
    ...trusted(),
    '--tenant',
    'default',
    '--api-key-file',
    keyFile,
  );

  expect(code).toBe(0);
  expect(states).toEqual([
    ['name', 'ok'],
    ['certificate', 'ok'],
    ['ping', 'ok'],
    ['clock', 'ok'],
    ['health of database', 'ok'],
    ['health of storage', 'ok'],
    ['health of model', 'ok'],
    ['health of queue', 'ok'],
    ['health of webhooks', 'ok'],
    ['health of log', 'ok'],
    ['version', 'ok'],
    ['credentials', 'ok'],
  ]);
});

test('a key that is refused is told with what mends it; the rest is told all the same', async () => {
  const { code, checks } = await look(...trusted(), '--tenant', 'other', '--api-key-file', keyFile);

  expect(code).toBe(1);
  expect(checks.filter(({ state }) => state !== 'ok')).toMatchObject([
    {
      name: 'credentials',
      tenant: 'other',
      state: 'failed',
      fix: expect.stringContaining('--api-key-file'),
    },
  ]);
});

test('a server under an authority that is not trusted is not asked for anything', async () => {
  const { code, checks } = await look('--url', server.ready.url, '--api-key-file', keyFile);

  expect(code).toBe(1);
  expect(checks).toMatchObject([
    { name: 'name', state: 'ok' },
    { name: 'connection', state: 'failed', fix: expect.stringContaining('--ca ca.pem') },
  ]);
});

test('where nobody listens, that is told', async () => {
  const { code, checks } = await look('--url', 'https://127.0.0.1:1');

  expect(code).toBe(1);
  expect(checks).toMatchObject([{}, { name: 'connection', message: /refuses connections/ }]);
});

test('another service, with a clock that is off, is not taken for ours', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-doctor-'));
  const { cert, key, authority } = await ensureLocalTls(folder, [], new Date());
  const other = createServer({ cert, key }, (_request, response) => {
    const off = new Date(Date.now() - 120_000).toUTCString();
    response.writeHead(200, { date: off }).end('<html></html>');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const url = `https://localhost:${typeof address === 'object' ? address?.port : 0}`;

  const { checks } = await look('--url', url, '--ca', authority!.path);
  other.close();

  expect(checks).toMatchObject([
    { name: 'name', state: 'ok' },
    { name: 'certificate', state: 'ok' },
    { name: 'ping', state: 'failed', fix: expect.stringContaining('/v1') },
    { name: 'health', state: 'failed' },
    { name: 'version', state: 'warning' },
    { name: 'credentials', state: 'warning' },
  ]);
});

test('a degraded or older server, and a certificate near its end, are warned about', async () => {
  const authority = await newAuthority('an authority of tests');
  const leaf = await newLeaf(authority, ['localhost'], [-1, 9.5]);
  const health = { success: true, data: { database: 'ok', webhooks: 'degraded' } };
  const answers: Readonly<Record<string, object>> = {
    '/v1/ping': { success: true, data: { message: 'pong' } },
    '/v1/health': health,
    '/v1/schema': { info: { version: '0.0.1' } },
  };
  let status = 200;
  const { url } = await openTlsServer(leaf, [authority], (request, response) => {
    response.statusCode = request.url === '/v1/health' ? status : 200;
    const down = { success: false, message: 'Not healthy: queue.' };
    response.end(JSON.stringify(response.statusCode === 200 ? answers[request.url ?? ''] : down));
  });
  const ca = join(dataDir, 'test-ca.pem');
  writeFileSync(ca, authority.certificate.toString());

  const degraded = await look('--url', url, '--ca', ca);
  status = 503;
  const down = await look('--url', url, '--ca', ca);

  expect(degraded.code).toBe(0);
  expect(degraded.checks.filter(({ state }) => state !== 'ok')).toMatchObject([
    { name: 'certificate', state: 'warning', message: /in 9 days/ },
    { name: 'health of webhooks', state: 'warning' },
    {
      name: 'version',
      state: 'warning',
      message: /^The server is version 0\.0\.1, this program \d/,
    },
    { name: 'credentials', state: 'warning' },
  ]);
  expect(down.code).toBe(1);
  expect(down.checks).toContainEqual(
    expect.objectContaining({ name: 'health', state: 'failed', message: 'Not healthy: queue.' }),
  );
});
