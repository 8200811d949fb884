import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { ForensicsError } from '../../../../src/errors.ts';
import type { Issued } from '../../../../src/server/certificate.ts';
import { ping } from './ping.ts';
import { steppedPace } from './stepped-pace.ts';
import { newAuthority, newLeaf, openTlsServer } from './tls-server.ts';
import { withRetry } from '../../../../src/cli/client/api.ts';

let authority: Issued;
let leaf: Issued;
beforeAll(async () => {
  authority = await newAuthority('an authority of tests');
  leaf = await newLeaf(authority);
});

/** Fails so often, and then answers. */
async function serverThat(fails: (response: ServerResponse) => void, times: number) {
  const asked: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request);
    if (asked.length <= times) return fails(response);
    response.end(JSON.stringify({ success: true, data: { message: 'pong' } }));
  };
  const { url } = await openTlsServer(leaf, [], listener);
  const trust = { by: 'authority', pem: authority.certificate.toString() } as const;
  const { pace, waits } = steppedPace();
  return { asked, waits, ping: (request = {}) => ping(url, trust, request, pace) };
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
  ['asks for patience (429)', refuse(429, { 'retry-after': '1' })],
  ['hangs up', hangUp],
])('reading is repeated when the server %s', async (_how, fails) => {
  const server = await serverThat(fails, 2);

  expect(await server.ping()).toBe('pong');
  expect(server.asked).toHaveLength(3);
});

test('what creates something is repeated under its idempotency key, and not without', async () => {
  const keyed = await serverThat(hangUp, 1);
  const bare = await serverThat(hangUp, 1);

  expect(await keyed.ping({ method: 'POST', idempotencyKey: 'once' })).toBe('pong');
  await expect(bare.ping({ method: 'POST' })).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(keyed.asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['once', 'once']);
  expect(bare.asked).toHaveLength(1);
});

test.each([
  ['a refusal', refuse(403), 'forbidden'],
  ['a failure of the server', refuse(500), 'server_unexpected'],
  [
    'a health check that found something',
    refuse(503, { 'x-error-code': 'unhealthy' }),
    'unhealthy',
  ],
  ['a pause longer than anybody waits', refuse(429, { 'retry-after': '60' }), 'rate_limited'],
])('%s is told at once', async (_what, fails, code) => {
  const server = await serverThat(fails, 9);

  await expect(server.ping()).rejects.toMatchObject({ code });
  expect(server.asked).toHaveLength(1);
});

test('a server that goes on being busy is asked five times', async () => {
  const server = await serverThat(refuse(503, { 'retry-after': '3' }), 99);

  await expect(server.ping()).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(server.asked).toHaveLength(5);
  expect(server.waits).toEqual([3000, 3000, 3000, 3000]);
});

/** A long run, such as the analysis of many pictures, does not end because a server is restarted. */
const { signal: longRun } = new AbortController();

test('a long run waits for a server that is restarted', async () => {
  const server = await serverThat(hangUp, 9);

  expect(await server.ping({ longRun })).toBe('pong');
  expect(server.asked).toHaveLength(10);
  expect(Math.max(...server.waits)).toBe(5000);
});

test('a long run gives a server the minute for which it wants to be left alone', async () => {
  const server = await serverThat(refuse(429, { 'retry-after': '60' }), 2);

  expect(await server.ping({ longRun })).toBe('pong');
  expect(server.waits).toEqual([60_000, 60_000]);
});

test('a long run gives up after two and a half minutes', async () => {
  const server = await serverThat(refuse(503, { 'retry-after': '15' }), 99);

  await expect(server.ping({ longRun })).rejects.toMatchObject({ code: 'server_unreachable' });
  expect(server.waits).toEqual(Array(10).fill(15_000));
});

test('a long run is told at once of a wait that is longer than anybody waits', async () => {
  const server = await serverThat(refuse(429, { 'retry-after': '86400' }), 9);

  await expect(server.ping({ longRun })).rejects.toMatchObject({ code: 'rate_limited' });
  expect(server.asked).toHaveLength(1);
});

test('a long run does not repeat what creates something without an idempotency key', async () => {
  const server = await serverThat(hangUp, 9);

  await expect(server.ping({ method: 'POST', longRun })).rejects.toMatchObject({
    code: 'server_unreachable',
  });
  expect(server.asked).toHaveLength(1);
});

test('a wait ends when the person has had enough', async () => {
  const busy = new ForensicsError('rate_limited', 'Later.', { retryAfterSeconds: 20 });
  const left = new AbortController();
  const reason = new Error('enough');

  const waiting = withRetry(() => Promise.reject(busy), { tries: () => 5, signal: left.signal });
  left.abort(reason);

  await expect(waiting).rejects.toBe(reason);
});

test('the program names itself and its version', async () => {
  const server = await serverThat(hangUp, 0);

  await server.ping();

  expect(server.asked[0]?.headers['user-agent']).toBe('forensics/0.0.0');
});
