import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { ping } from './ping.ts';
import { steppedPace } from './stepped-pace.ts';
import { authorityPem, leaf, openTlsServer } from './tls-server.ts';
import { withRetry } from '../../../../src/cli/client/api.ts';

/** Fails `times` times, then answers. */
async function failingServer(fails: (response: ServerResponse) => void, times: number) {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    if (requests.length <= times) return fails(response);
    response.end(JSON.stringify({ success: true, data: { message: 'pong' } }));
  };
  const { url } = await openTlsServer(leaf, [], listener);
  const { pace, waits } = steppedPace();
  return { requests, waits, ping: (request = {}) => ping(url, authorityPem, request, pace) };
}

const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    void response
      .writeHead(status, headers)
      .end(JSON.stringify({ success: false, message: 'Later.' }));
const hangUp = (response: ServerResponse) => void response.socket?.destroy();

test.each([
  ['is busy (503)', refuse(503)],
  ['limits the rate (429)', refuse(429, { 'retry-after': '1' })],
  ['hangs up', hangUp],
])('a GET request is repeated when the server %s', async (_how, fails) => {
  const server = await failingServer(fails, 2);

  expect(await server.ping()).toBe('pong');
  expect(server.requests).toHaveLength(3);
});

test('a POST request is repeated only with an idempotency key', async () => {
  const keyed = await failingServer(hangUp, 1);
  const bare = await failingServer(hangUp, 1);

  expect(await keyed.ping({ method: 'POST', idempotencyKey: 'once' })).toBe('pong');
  await expect(bare.ping({ method: 'POST' })).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(keyed.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['once', 'once']);
  expect(bare.requests).toHaveLength(1);
});

test.each([
  ['a refusal', refuse(403), 'forbidden'],
  ['a server error', refuse(500), 'server_unexpected'],
  ['a failed health check', refuse(503, { 'x-error-code': 'unhealthy' }), 'unhealthy'],
  ['a Retry-After of a minute', refuse(429, { 'retry-after': '60' }), 'rate_limited'],
])('%s is reported at once', async (_what, fails, code) => {
  const server = await failingServer(fails, 9);

  await expect(server.ping()).rejects.toMatchObject({ code });
  expect(server.requests).toHaveLength(1);
});

test('a server that stays busy gets five requests', async () => {
  const server = await failingServer(refuse(503, { 'retry-after': '3' }), 99);

  await expect(server.ping()).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(server.requests).toHaveLength(5);
  expect(server.waits).toEqual([3000, 3000, 3000, 3000]);
});

/** A long run, such as the analysis of many pictures, outlasts a restart of the server. */
const { signal: longRun } = new AbortController();

test('a long run waits for a restarting server', async () => {
  const server = await failingServer(hangUp, 9);

  expect(await server.ping({ longRun })).toBe('pong');
  expect(server.requests).toHaveLength(10);
  expect(Math.max(...server.waits)).toBe(5000);
});

test('a long run waits out a Retry-After of a minute', async () => {
  const server = await failingServer(refuse(429, { 'retry-after': '60' }), 2);

  expect(await server.ping({ longRun })).toBe('pong');
  expect(server.waits).toEqual([60_000, 60_000]);
});

test('a long run gives up after two and a half minutes', async () => {
  const server = await failingServer(refuse(503, { 'retry-after': '15' }), 99);

  await expect(server.ping({ longRun })).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(server.waits).toEqual(Array(10).fill(15_000));
});

test.each([
  ['a Retry-After of a day', refuse(429, { 'retry-after': '86400' }), 'GET', 'rate_limited'],
  ['a failed POST request without an idempotency key', hangUp, 'POST', 'server_unreachable'],
] as const)('a long run reports %s at once', async (_what, fails, method, code) => {
  const server = await failingServer(fails, 9);

  await expect(server.ping({ method, longRun })).rejects.toMatchObject({ code });
  expect(server.requests).toHaveLength(1);
});

test('waiting ends when its signal is aborted', async () => {
  const busy = new ForensicsError('rate_limited', 'Later.', { retryAfterSeconds: 20 });
  const left = new AbortController();
  const reason = new Error('enough');

  const waiting = withRetry(() => Promise.reject(busy), { tries: () => 5, signal: left.signal });
  left.abort(reason);

  await expect(waiting).rejects.toBe(reason);
});

test('the User-Agent names the program and its version', async () => {
  const server = await failingServer(hangUp, 0);

  await server.ping();

  expect(server.requests[0]?.headers['user-agent']).toBe('forensics/0.0.0');
});
