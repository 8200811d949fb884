import { once } from 'node:events';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { newSecret } from '../../../src/service/access/principal.ts';
import { portOf } from '../../fixtures/free-port.ts';
import { openServer, type Question, serverForFile } from './open-server.ts';

const secret = 'unspeakable';
const json = { 'content-type': 'application/json' };

const open = await serverForFile({ logLevel: 'trace' });
const ask = await open.listen();
const authorization = `ApiKey ${(await open.makeTenant('acme')).secret}`;

const parsed = (lines: readonly string[]) =>
  lines.map((line): Record<string, unknown> => JSON.parse(line));

/** The entries logged during `act`. */
async function loggedDuring(act: () => Promise<unknown>) {
  const before = open.log.length;
  await act();
  // A request is logged once the last byte of its answer has left, which may be after the client has read it.
  await ask({ method: 'GET', path: '/v1/ping' });
  return parsed(open.log.slice(before));
}

describe('a secret in the', () => {
  test.each<[string, Partial<Question>]>([
    ['key', { headers: { authorization: `ApiKey ${secret}` } }],
    ['token', { headers: { authorization: `Bearer ${secret}` } }],
    ['cookies', { headers: { cookie: `session=${secret}` } }],
    ['proxy authorization', { headers: { 'proxy-authorization': secret } }],
    ['Idempotency-Key', { headers: { 'idempotency-key': secret } }],
    ['user agent', { headers: { 'user-agent': secret } }],
    ['query', { path: `/v1/analysis?tenantName=acme&searchTerm=${secret}` }],
    ['name of a query parameter', { path: `/v1/analysis?${secret}=1` }],
    ['address', { path: `/v1/${secret}` }],
    ['invalid address', { path: `/v1/${secret}/%zz` }],
    ['presigned URL', { path: `/b-0123456789abcdef01234567/a?signature=${secret}` }],
    ['object key', { path: `/b-0123456789abcdef01234567/${secret}.jpg` }],
    ['body', { method: 'POST', body: { tenantName: secret, name: secret } }],
    ['name of a property', { method: 'POST', body: { [secret]: 1 } }],
    ['body that is not JSON', { method: 'POST', headers: json, body: `{"${secret}` }],
    ['body of another type', { method: 'POST', headers: { 'content-type': secret }, body: secret }],
    ['body that is too large', { method: 'POST', body: { name: secret.repeat(200_000) } }],
    ['method override', { headers: { 'x-http-method-override': secret } }],
  ])('%s is never logged', async (_place, question) => {
    const lines = await loggedDuring(async () =>
      ask({
        method: 'GET',
        path: '/v1/analysis',
        ...question,
        headers: { authorization, ...question.headers },
      }),
    );
    const text = JSON.stringify(lines);

    expect(lines.length).toBeGreaterThan(0);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(authorization.slice('ApiKey '.length));
  });
});

test('a request is logged in one line with its id, route, status, duration and caller', async () => {
  const answer = await ask({
    method: 'GET',
    path: '/v1/analysis?tenantName=acme',
    headers: { authorization },
  });
  await ask({ method: 'GET', path: '/v1/ping' });
  const id = answer.headers['x-request-id'];
  expect(parsed(open.log).filter(({ reqId }) => reqId === id)).toEqual([
    expect.objectContaining({
      reqId: id,
      method: 'GET',
      route: '/v1/analysis',
      status: 200,
      ms: expect.any(Number),
      caller: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: expect.stringMatching(/^[0-9a-f]{24}$/),
    }),
  ]);
});

test('a failure is logged with its code', async () => {
  const lines = await loggedDuring(async () => ask({ method: 'GET', path: '/v1/analysis' }));

  expect(lines).toContainEqual(expect.objectContaining({ status: 403, code: 'forbidden' }));
});

test.each<[string, Question]>([
  ['key', { method: 'GET', path: '/v1/analysis', headers: { authorization: 'ApiKey sk-none-x' } }],
  [
    'token',
    { method: 'GET', path: '/v1/user/settings', headers: { authorization: 'Bearer a.b.c' } },
  ],
  [
    'login',
    { method: 'POST', path: '/v1/auth/login', body: { email: 'a@example.org', password: secret } },
  ],
])('a refused %s is logged with the network address it came from', async (_what, question) => {
  const refused = await loggedDuring(async () => ask(question));
  const accepted = await loggedDuring(async () =>
    ask({ method: 'GET', path: '/v1/analysis?tenantName=acme', headers: { authorization } }),
  );

  expect(refused[0]).toMatchObject({ status: expect.any(Number), from: '127.0.0.1' });
  for (const line of accepted) expect(line).not.toHaveProperty('from');
});

const login = (email: string): Question => ({
  method: 'POST',
  path: '/v1/auth/login',
  body: { email, password: secret },
});

describe('the account of a refused', () => {
  test('login or key is logged, and no secret with it', async () => {
    const key = newSecret('acme');
    const lines = await loggedDuring(async () => {
      await ask(login('Anna@example.org'));
      await ask(login(secret));
      await ask({
        ...login('Berta@example.org'),
        path: '/v1/auth/session',
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      await ask({
        method: 'GET',
        path: '/v1/analysis?tenantName=acme',
        headers: { authorization: `ApiKey ${key}` },
      });
    });
    const refused = lines.filter(({ from }) => from !== undefined);

    expect(refused.map(({ account }) => account)).toEqual([
      'anna@example.org',
      undefined,
      'berta@example.org',
      'sk-acme',
    ]);
    expect(JSON.stringify(lines)).not.toContain(key);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  test('login is a hash if so configured, the same for the same account', async () => {
    const other = await openServer({ accountKey: Buffer.alloc(32, 7) });
    const askOther = await other.listen();
    await askOther(login('Anna@example.org'));
    await askOther(login('anna@example.org'));
    await askOther({ method: 'GET', path: '/v1/ping' });
    const accounts = parsed(other.log).flatMap(({ account }) => account ?? []);
    await other.close();

    expect(accounts).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), accounts[0]]);
    expect(other.log.join('').toLowerCase()).not.toContain('anna@');
  });
});

test('a malformed HTTP request gets an error in our format with all security headers', async () => {
  const port = portOf(open.server.server);
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.write(`GET / HTTP/1.1\r\nhost: a\r\n${secret} : x\r\n\r\n`);
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('utf8');
  });
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');

  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  for (const name of ['x-request-id', 'x-error-code', 'x-content-type-options', 'cache-control']) {
    expect(head).toContain(`${name}: `);
  }
  expect(JSON.parse(body)).toEqual({ success: false, message: expect.any(String) });
  expect(open.log.join('')).not.toContain(secret);
});
