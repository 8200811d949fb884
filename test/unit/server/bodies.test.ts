import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { answerErrors } from '../../../src/server/responses.ts';
import { drainRefused, guardBodies } from '../../../src/server/bodies.ts';
import { portOf } from '../../fixtures/free-port.ts';
import { smallBundle } from '../evidence/small-case.ts';
import { listeningForFile } from './open-server.ts';

const open = await listeningForFile();

/** Sends the head of a request that announces `sizeBytes`, and the first byte of its body. */
async function begin(
  line: string,
  sizeBytes: number,
  headers: readonly string[] = ['Content-Type: application/json'],
): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: portOf(open.server.server),
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const head = ['Host: a', ...headers, `Content-Length: ${sizeBytes}`];
  socket.write([`${line} HTTP/1.1`, ...head, '', '{'].join('\r\n'));
  return socket;
}

describe('the body of an unauthenticated request', () => {
  test.each<[string, number, string, number]>([
    ['POST /v1/auth/login', 65_537, 'body_too_large', 413],
    ['POST /v1/auth/revoke', 65_537, 'body_too_large', 413],
    ['POST /v1/none', 10, 'not_found', 404],
    ['PATCH /v1/analysis', 10, 'method_not_allowed', 405],
  ])('%s of %i bytes is refused before it arrives: %s', async (line, size, code, status) => {
    const socket = await begin(line, size);

    const [answer]: unknown[] = await once(socket, 'data');
    socket.destroy();

    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(String(answer)).toContain(`x-error-code: ${code}\r\n`);
  });

  test('is accepted with two tokens of the maximum length', async () => {
    const token = 'x'.repeat(16_384);
    const body = { idToken: token, refreshToken: token };

    const answer = await open.ask({ method: 'POST', path: '/v1/auth/revoke', body });

    expect(answer.status).toBe(401);
  });
});

test('a tenant can send four bundles at once; a fifth gets 429, and other tenants do not', async () => {
  const tenants = [await open.makeTenant('bundles'), await open.makeTenant('others')];
  const [ask, askOther] = tenants.map(({ tenant, secret }) => async () => {
    const headers = ['Content-Type: application/zip', `Authorization: ApiKey ${secret}`];
    return begin(`POST /v1/bundle/verify?tenantName=${tenant.name}`, 1000, headers);
  });
  const waiting = await Promise.all([ask!(), ask!(), ask!(), ask!()]);
  await expect.poll(async () => firstLine(await ask!())).toBe('HTTP/1.1 429 Too Many Requests');
  expect(await firstLine(await askOther!())).toBeNull();

  waiting.forEach((socket) => socket.destroy());
  await expect.poll(async () => firstLine(await ask!())).toBeNull();
  await expect
    .poll(() => readdirSync(open.dataDir).filter((name) => /spool/.test(name)))
    .toEqual([]);
});

test('a bundle is verified from its own file, and one that is too large gets 413', async () => {
  const { tenant, secret } = await open.makeTenant('whole');
  const path = `/v1/bundle/verify?tenantName=${tenant.name}`;
  const headers = { authorization: `ApiKey ${secret}`, 'content-type': 'application/zip' };
  const verify = async (body: Buffer | Readable) =>
    open.ask({ method: 'POST', path, headers, body });

  const whole = await verify(smallBundle());
  const large = await verify(Readable.from(Array.from({ length: 101 }, () => Buffer.alloc(1e6))));

  expect(whole.json()).toMatchObject({
    data: { holds: true, verdict: 'fake', key: { isOwn: false } },
  });
  expect(large.status).toBe(413);
});

test('a client that disconnects before its bundle is received takes no place', async () => {
  const tenant = await open.app.core.tenants.create({ name: 'gone' });
  const { tokens } = await open.makeUser('gone', { tenants: [tenant] });
  const path = `/v1/bundle/verify?tenantName=${tenant.name}`;
  const authorization = `Bearer ${tokens.accessToken}`;
  const headers = ['Content-Type: application/zip', `Authorization: ${authorization}`];
  for (let i = 0; i < 40; i++) {
    const socket = await begin(`POST ${path}`, 1000, headers);
    await new Promise((resolve) => socket.write('{', resolve));
    socket.destroy();
  }

  const question = { method: 'POST', path, body: Buffer.from('PK') } as const;
  const type = 'application/zip';
  await expect
    .poll(async () => {
      const answer = await open.ask({
        ...question,
        headers: { authorization, 'content-type': type },
      });
      return answer.status;
    })
    .toBe(422);
  const wrong = await open.ask({ ...question, headers: { authorization } });
  expect(wrong.status).toBe(415);
  expect(wrong.json()).toMatchObject({ message: expect.stringContaining(type) });
});

/** The first line of the answer, or null if none arrives within 300 ms. */
async function firstLine(socket: TLSSocket): Promise<string | null> {
  const answer = once(socket, 'data', { signal: AbortSignal.timeout(300) });
  const [data]: unknown[] = await answer.catch(() => [null]);
  socket.destroy();
  return Buffer.isBuffer(data) ? (data.toString().split('\r\n')[0] ?? null) : null;
}

describe('a client that reads nothing before it has sent everything', () => {
  test.each([
    ['POST /v1/auth/login', 413, 5_000_000],
    ['POST /v1/auth/login', 413, 5_000_000, 'close'],
    ['POST /v1/none', 404, 5_000_000],
    ['POST /v1/analysis', 403, 20_000_000],
  ])('gets the answer to %s: %i', async (line, status, size, end = 'keep-alive') => {
    const socket = await begin(line, size, [
      'Content-Type: application/json',
      'Expect: luck',
      `Connection: ${end}`,
    ]);
    socket.pause();
    for (let sent = 1; sent < size; ) {
      const part = Buffer.alloc(Math.min(500_000, size - sent), ' ');
      await new Promise<void>((resolve, reject) => {
        socket.write(part, (error) => (error ? reject(error) : resolve()));
      });
      sent += part.length;
    }
    const [answer]: unknown[] = await once(socket.resume(), 'data');
    // The connection can still be used, unless the client asked to close it.
    if (end === 'close') socket.end();
    else socket.write('GET /v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const next = await text(socket);

    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(next.includes('"pong"')).toBe(end === 'keep-alive');
  });

  test('is disconnected if it keeps sending', async () => {
    const socket = await begin('POST /v1/auth/login', 1e9);
    const part = Buffer.alloc(1_000_000);
    let sent = 0;
    let failure: Error | null | undefined = null;
    socket.on('error', (error) => (failure = error));
    while (!failure && sent < 100 * part.length) {
      sent += part.length;
      failure = await new Promise((resolve) => socket.write(part, resolve));
    }
    socket.destroy();

    expect(failure).toBeInstanceOf(Error);
  });
});

describe('an incomplete body', () => {
  test.each([
    ['POST', /^HTTP\/1.1 408 [^]*connection: close\r\n[^]*did not arrive in time/],
    ['GET', /^HTTP\/1.1 200 [^]*unread$/],
  ])('of a %s ends the connection after a timeout', async (method, expected) => {
    const { server, port } = await openWithShortTimeout();

    const answer = await text(send(port, `${method} /`));
    await server.close();

    expect(answer).toMatch(expected);
  });

  test('has no such timeout on a route of the store', async () => {
    const { server, port } = await openWithShortTimeout();
    const slow = send(port, 'POST /store');
    const control = send(port, 'POST /');

    await text(control);
    slow.end('}');
    const answer = await text(slow);
    await server.close();

    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });
});

async function openWithShortTimeout(): Promise<{ server: FastifyInstance; port: number }> {
  const server = fastify();
  answerErrors(server);
  guardBodies(server, 50);
  drainRefused(server);
  server.post('/', async () => 'read');
  server.post('/store', { config: { access: 'urlSignature' } }, async () => 'read');
  server.get('/', async () => 'unread');
  await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port: portOf(server.server) };
}

/** Sends the head of a request and half of its body. */
function send(port: number, line: string): Socket {
  const socket = connectTcp({ host: '127.0.0.1', port });
  const head = ['Host: a', 'Content-Type: application/json', 'Content-Length: 2'];
  socket.write([`${line} HTTP/1.1`, ...head, '', '{'].join('\r\n'));
  return socket;
}
