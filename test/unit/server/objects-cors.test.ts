import { afterAll, describe, expect, test } from 'vitest';
import { bucket, startEmbeddedServer } from '../../fixtures/embedded-server.ts';
import { sendRaw } from '../../fixtures/raw-request.ts';

const server = await startEmbeddedServer();
afterAll(() => server.close());
await server.storeOf(bucket).put('ten', Buffer.from('0123456789'));

const get = (headers: Record<string, string>) =>
  sendRaw(server, server.sign('GET', 'ten'), { headers });

const preflight = (origin: string, method: string, headers: Record<string, string> = {}) =>
  sendRaw(server, `/${bucket}/ten`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, ...headers },
  });

describe('pages of other origins', () => {
  test('are allowed if listed, with the headers that they request', async () => {
    const wanted = 'content-type,x-amz-meta-case';

    const got = await preflight('https://app.example', 'PUT', {
      'access-control-request-headers': wanted,
    });

    expect(got.status).toBe(204);
    expect(got.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, HEAD, PUT, DELETE',
      'access-control-allow-headers': wanted,
      vary: expect.stringContaining('Origin'),
    });
    expect(got.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test.each([
    ['https://a.lab.example', 'GET', 204],
    ['https://.lab.example.evil.example', 'GET', 403],
    ['https://lab.example', 'GET', 403],
    ['https://app.example.evil.example', 'GET', 403],
    ['http://app.example', 'GET', 403],
    ['null', 'GET', 403],
    ['https://app.example', 'PATCH', 403],
  ])('%s requesting %s are answered %i', async (origin, method, status) => {
    const got = await preflight(origin, method);

    expect(got.status).toBe(status);
    expect(got.headers['access-control-allow-methods'] !== undefined).toBe(status === 204);
  });

  test('may read answers and errors only when they are allowed', async () => {
    const allowed = await get({ origin: 'https://app.example' });
    const refused = await sendRaw(server, `/${bucket}/ten`, {
      headers: { origin: 'https://app.example' },
    });
    const other = await get({ origin: 'https://evil.example' });

    expect(
      [allowed, refused, other].map(({ headers }) => headers['access-control-allow-origin']),
    ).toEqual(['https://app.example', 'https://app.example', undefined]);
    expect(allowed.headers['access-control-expose-headers']).toContain('ETag');
    expect(other.headers.vary).toBe('Origin');
  });
});
