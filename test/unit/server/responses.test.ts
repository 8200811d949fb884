import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../../src/contract/analysis.ts';
import { draft, type OpenServer, openServer, listeningForFile } from './open-server.ts';
import { portOf } from '../../fixtures/free-port.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';

const open = await listeningForFile();
const { ask, askWithKey } = open;

const path = '/v1/analysis';

const own = open.as(open.authorization);
const send = async (method: 'POST' | 'PUT', body: object) =>
  (await own(method, path, body)).data<Analysis[]>()[0];

async function upload({ input }: Analysis, body: Buffer) {
  const { pathname, search } = new URL(input.storageUrls.putUrl);
  return ask({ method: 'PUT', path: pathname + search, body });
}

describe('answers', () => {
  test('an empty project, comment or tag is none, in a new analysis and in a change', async () => {
    const empty = { projectId: '', comment: '', tags: ['', 'a', ''] };
    const given = { projectId: '4711', comment: 'Left', tags: ['b'] };
    const made = await send('POST', { ...draft, ...empty });
    const { id } = (await send('POST', { ...draft, ...given }))!;
    const changed = await send('PUT', { id, ...empty });

    for (const analysis of [made, changed]) {
      expect(analysis).toMatchObject({ projectId: null, comment: '', tags: ['a'] });
    }
  });

  test('an empty filter is refused by its name', async () => {
    for (const name of ['projectId', 'tag']) {
      const list = await askWithKey({ method: 'GET', path: `${path}?tenantName=acme&${name}=` });

      expect([list.status, list.json()]).toMatchObject([
        400,
        { message: expect.stringContaining(`${name} must be`) },
      ]);
    }
  });

  test('unknown properties are ignored, however deeply nested', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const text = JSON.stringify({ ...draft, input: { ...draft.input, storageUrls: 'here' } });
    const answer = await askWithKey({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'deep' },
      body: text.replace('"here"', nested).replace('"name"', `"other":${nested},"name"`),
    });

    expect(answer.status).toBe(200);
  });

  test('every answer has security headers', async () => {
    for (const unusual of ['/v1/none', '/%zz']) {
      const { headers } = await ask({ method: 'GET', path: unusual });

      expect(headers).toMatchObject({
        'x-request-id': expect.any(String),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      // With our own authority, HSTS would lock browsers out of other servers on this host.
      expect(headers).not.toHaveProperty('strict-transport-security');
    }
  });

  test('an upload may be larger than any JSON body', async () => {
    const put = await upload(await open.create(), Buffer.alloc(2 ** 21));

    expect(put.status).toBe(200);
  });
});

const shipped = (name: string) =>
  readFileSync(new URL(`../../../src/service/trial/${name}`, import.meta.url));

test('a trial tenant may start both shipped pictures and no other', async () => {
  await open.app.core.tenants.update(open.tenant.id, { isTrial: true });
  const startWith = async (picture: Buffer) => {
    const made = await open.create();
    await upload(made, picture);
    return (await own('POST', `${path}/start`, { id: made.id })).status;
  };

  expect(await startWith(shipped('real.jpg'))).toBe(200);
  expect(await startWith(shipped('fake.jpg'))).toBe(200);
  expect(await startWith(await sceneJpeg({ width: 640, height: 480, seed: 3 }))).toBe(422);
});

describe('the transport', () => {
  test('plain HTTP on the TLS port gets no data', async () => {
    const answer = await plainRequest(open);

    expect(answer).toBe('');
  });

  test('behind a proxy only requests that came over HTTPS are served', async () => {
    const proxied = await openServer({ transport: null });
    const forward = async (proto?: string, remoteAddress = '127.0.0.1') => {
      const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto };
      const answer = await proxied.server.inject({ url: '/v1/ping', headers, remoteAddress });
      return answer.statusCode;
    };

    expect(await forward('https')).toBe(200);
    expect(await forward('http, https')).toBe(200);
    expect(await forward()).toBe(403);
    expect(await forward('http')).toBe(403);
    expect(await forward('https, http')).toBe(403);
    expect(await forward('https', '192.0.2.7')).toBe(403);
    await proxied.close();
  });
});

async function plainRequest({ server }: OpenServer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTcp(portOf(server.server), '127.0.0.1');
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    // However the server closes it, only the data received until then counts.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write('GET /v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
}
