import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transact } from '../../../src/ports/db/database.ts';
import { createQueue } from '../../../src/service/jobs/queue.ts';
import { createMetrics, listenForMetrics } from '../../../src/server/metrics.ts';
import { type OpenServer, openServer } from './open-server.ts';

let open: OpenServer;
let listener: Awaited<ReturnType<typeof listenForMetrics>>;
const errors: unknown[] = [];
let endsAt: Date | null = new Date('2027-01-01T00:00:00Z');

beforeAll(async () => {
  const metrics = createMetrics({
    workload: () => open.app.operations.workload(),
    certificateEndsAt: () => endsAt,
    droppedLogLines: () => 3,
  });
  open = await openServer({ metrics });
  listener = await listenForMetrics(
    { host: '127.0.0.1', port: 0 },
    { metrics, onError: (error) => errors.push(error) },
  );
});

afterAll(async () => {
  await listener.close();
  await open.close();
});

async function read(path = '/metrics', method: 'GET' | 'POST' = 'GET') {
  const answer = await request(`http://127.0.0.1:${listener.port}${path}`, { method });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function valueOf(sample: string): Promise<number | null> {
  const { text } = await read();
  const line = text.split('\n').find((it) => it.startsWith(`${sample} `));
  return line === undefined ? null : Number(line.slice(sample.length + 1));
}

async function requestCount(labels: string): Promise<number | null> {
  return valueOf(`forensics_http_request_duration_seconds_count{${labels}}`);
}

test('answers are counted by route, method and status', async () => {
  const { secret } = await open.makeTenant('acme');
  const authorization = `ApiKey ${secret}`;
  await open.server.inject({ url: '/v1/analysis?tenantName=acme', headers: { authorization } });
  await open.server.inject({ url: '/v1/analysis?tenantName=acme' });
  await open.server.inject({ url: '/v1/none/of/this' });

  expect(await requestCount('method="GET",route="/v1/analysis",status="200"')).toBe(1);
  expect(await requestCount('method="GET",route="/v1/analysis",status="403"')).toBe(1);
  expect(await requestCount('method="GET",route="unknown",status="404"')).toBe(1);
});

test('no label or value contains a tenant, a key or a requested address', async () => {
  const { tenant, secret } = await open.makeTenant('very-secret-tenant');
  await open.server.inject({
    url: `/v1/analysis?tenantName=${tenant.name}&searchTerm=classified`,
    headers: { authorization: `ApiKey ${secret}` },
  });
  const { text } = await read();

  for (const word of [tenant.name, tenant.id, secret, 'classified', 'tenantName']) {
    expect(text).not.toContain(word);
  }
});

test('waiting work and the expiry of the certificate are reported', async () => {
  const { db } = open.app.core.database;
  const queue = createQueue({ db, now: () => new Date(0) });
  await transact(db, (tx) => queue.enqueue(tx, 'analysis.run', {}));

  expect(await valueOf('forensics_jobs{kind="analysis.run"}')).toBe(1);
  expect(await valueOf('forensics_queue_age_seconds{kind="analysis.run"}')).toBeGreaterThan(1e9);
  expect(await valueOf('forensics_analyses_completed_total')).toBe(0);
  expect(await valueOf('forensics_database_statements_total')).toBeGreaterThan(10);
  expect(await valueOf('forensics_database_seconds_total')).toBeGreaterThan(0);
  expect(await valueOf('forensics_jobs_in_hand')).toBe(0);
  expect(await valueOf('forensics_children{state="busy"}')).toBe(0);
  expect(await valueOf('forensics_webhook_deliveries_waiting')).toBe(0);
  expect(await valueOf('forensics_certificate_end_timestamp_seconds')).toBe(1_798_761_600);
  expect(await valueOf('forensics_log_lines_dropped_total')).toBe(3);
  expect(await valueOf('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
});

test('GET /metrics is the only page', async () => {
  expect((await read()).headers['content-type']).toContain('text/plain');
  expect((await read('/')).status).toBe(404);
  expect((await read('/v1/ping')).status).toBe(404);
  expect((await read('/metrics', 'POST')).status).toBe(404);
});

test('a metric that cannot be read is a failure, not a wrong number', async () => {
  const broken = await listenForMetrics(
    { host: '127.0.0.1', port: 0 },
    {
      metrics: { text: () => Promise.reject(new Error('disk on fire')), contentType: '' },
      onError: (error) => errors.push(error),
    },
  );
  const answer = await request(`http://127.0.0.1:${broken.port}/metrics`);
  const text = await answer.body.text();
  await broken.close();

  expect([answer.statusCode, text]).toEqual([500, '']);
  expect(String(errors.at(-1))).toContain('disk on fire');
});
