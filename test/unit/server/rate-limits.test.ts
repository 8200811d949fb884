import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newSecret } from '../../../src/service/access/principal.ts';
import { type OpenServer, openServer } from './open-server.ts';

const perMinute = 3;
let open: OpenServer;
let keys: readonly string[] = [];
let keyTag = '';

beforeEach(async () => {
  // The rate limiter uses the system's clock, so only Date is faked.
  vi.useFakeTimers({ toFake: ['Date'] });
  open = await openServer({ rateLimitPerMinute: perMinute });
  const { tenant, secret } = await open.makeTenant('acme');
  keys = [secret, (await open.makeKey(tenant, 'second')).secret];
  keyTag = tenant.keyTag;
});

afterEach(async () => {
  vi.useRealTimers();
  await open.close();
});

async function ask(url: string, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') {
  return open.server.inject({ url, headers, remoteAddress });
}

async function list(key: string | undefined, remoteAddress?: string) {
  const headers = { authorization: `ApiKey ${key}` };
  return ask('/v1/analysis?tenantName=acme', headers, remoteAddress);
}

async function statuses(times: number, act: () => Promise<{ statusCode: number }>) {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await act()).statusCode);
  return seen;
}

test('each key has its own budget, wherever it is used', async () => {
  expect(await statuses(2, async () => list(keys[0]))).toEqual([200, 200]);
  expect(await statuses(2, async () => list(keys[0], '192.0.2.9'))).toEqual([200, 429]);
  expect(await statuses(1, async () => list(keys[1]))).toEqual([200]);
});

test('every answer says what is left, and a refusal when the budget is restored', async () => {
  const first = await list(keys[0]);
  await statuses(perMinute - 1, async () => list(keys[0]));
  vi.setSystemTime(Date.now() + 20_000);
  const refused = await list(keys[0]);
  vi.setSystemTime(Date.now() + 40_000);
  const again = await list(keys[0]);

  expect(first.headers).toMatchObject({
    'ratelimit-limit': '3',
    'ratelimit-remaining': '2',
    'ratelimit-reset': '60',
  });
  expect(refused.json()).toEqual({
    success: false,
    message: 'Too many requests: the limit is 3 a minute. Try again in 40 seconds.',
  });
  expect(refused.headers).toMatchObject({
    'x-error-code': 'rate_limited',
    'retry-after': '40',
    'ratelimit-limit': '3',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '40',
  });
  expect(again.statusCode).toBe(200);
});

test('an address that guesses keys is stopped before its next guess is checked', async () => {
  const guess = async () => list(newSecret(keyTag));
  const guesses = await statuses(perMinute + 2, guess);
  const right = await list(keys[0]);
  const elsewhere = await list(keys[0], '192.0.2.2');

  expect(guesses).toEqual([401, 401, 401, 401, 429]);
  expect([right.statusCode, elsewhere.statusCode]).toEqual([429, 200]);
});

test('public and unknown routes share the budget of a network address', async () => {
  const seen = [
    ...(await statuses(2, async () => ask('/v1/schema'))),
    ...(await statuses(2, async () => ask('/v1/none'))),
  ];

  expect(seen).toEqual([200, 200, 404, 429]);
});

test('an IPv6 network of 64 bits counts as one address', async () => {
  const hosts = ['2001:db8::1', '2001:db8::2', '2001:db8::3:4', '2001:db8::5', '2001:db8:0:1::1'];
  const seen: number[] = [];
  for (const host of hosts) seen.push((await ask('/v1/schema', {}, host)).statusCode);

  expect(seen).toEqual([200, 200, 200, 429, 200]);
});

test('ping and health are never limited', async () => {
  const seen = await statuses(perMinute * 2, async () => ask('/v1/ping'));
  const health = await statuses(perMinute * 2, async () => ask('/v1/health'));

  expect(new Set([...seen, ...health])).toEqual(new Set([200]));
});

test('behind a proxy the address added by the proxy counts', async () => {
  const proxied = await openServer({ rateLimitPerMinute: perMinute, transport: null });
  const from = async (forwarded: string) => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': forwarded };
    return proxied.server.inject({ url: '/v1/schema', headers, remoteAddress: '127.0.0.1' });
  };
  let count = 0;
  const spoofed = await statuses(perMinute + 1, async () =>
    from(`198.51.100.${count++}, 192.0.2.1`),
  );
  const other = await from('192.0.2.2');
  await proxied.close();

  expect(spoofed).toEqual([200, 200, 200, 429]);
  expect(other.statusCode).toBe(200);
});

test('a peer that is not the local proxy cannot use up another address’s budget', async () => {
  const proxied = await openServer({ rateLimitPerMinute: perMinute, transport: null });
  const from = async (remoteAddress: string) => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    return proxied.server.inject({ url: '/v1/schema', headers, remoteAddress });
  };
  const spoofed = await statuses(perMinute + 2, async () => from('198.51.100.7'));
  const victim = await from('127.0.0.1');
  await proxied.close();

  expect(spoofed).toEqual([403, 403, 403, 403, 403]);
  expect(victim.statusCode).toBe(200);
});

test('without a proxy X-Forwarded-For is ignored', async () => {
  let count = 0;
  const seen = await statuses(perMinute + 1, async () =>
    ask('/v1/schema', { 'x-forwarded-for': `192.0.2.${100 + count++}` }),
  );

  expect(seen).toEqual([200, 200, 200, 429]);
});
