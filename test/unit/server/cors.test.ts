import { expect, test } from 'vitest';
import { openServer, serverForFile } from './open-server.ts';

const origin = 'https://app.example';
const url = '/v1/analysis?tenantName=acme';

const open = await serverForFile({ apiCorsAllowedOrigins: [origin] });

const corsHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

test('a page of an allowed origin may read answers and their headers, even of failures', async () => {
  const { headers, statusCode } = await open.server.inject({ url, headers: { origin } });

  expect(statusCode).toBe(403);
  expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
  expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
    expect.arrayContaining(['x-error-code', 'x-request-id', 'x-total-count', 'retry-after']),
  );
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
});

test.each(['GET', 'POST', 'PUT', 'DELETE'])('a preflight for %s needs no key', async (method) => {
  const preflight = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  };
  const { headers, statusCode } = await open.server.inject({
    method: 'OPTIONS',
    url: '/v1/analysis',
    headers: preflight,
  });

  expect(statusCode).toBe(204);
  expect(headers['access-control-allow-origin']).toBe(origin);
  expect(headers['access-control-allow-methods']).toContain(method);
  expect(headers['access-control-allow-headers']).toContain('authorization');
});

test('a page of any other origin is not allowed', async () => {
  const { headers } = await open.server.inject({
    url: '/v1/ping',
    headers: { origin: 'https://app.example.evil.example' },
  });

  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test('OPTIONS that is not a preflight lists the methods of the route', async () => {
  const question = { method: 'OPTIONS', url: '/v1/analysis' } as const;
  const { headers, statusCode } = await open.server.inject(question);

  expect([statusCode, headers['allow']]).toEqual([204, 'GET, HEAD, POST, PUT, DELETE, OPTIONS']);
});

test('allowed origins make no address known, and no method supported', async () => {
  const unknown = await open.server.inject({ url: '/v1/nothing' });
  const unsupported = await open.server.inject({ method: 'PATCH', url: '/console/a.js' });

  expect(unknown.statusCode).toBe(404);
  expect(unsupported).toMatchObject({ statusCode: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
});

test('no origin is allowed by default', async () => {
  const closed = await openServer();
  const question = { url: '/v1/ping', headers: { origin, 'access-control-request-method': 'GET' } };
  const answers = [
    await closed.server.inject(question),
    await closed.server.inject({ method: 'OPTIONS', ...question }),
  ];
  await closed.close();

  expect(answers.flatMap(({ headers }) => corsHeaders(headers))).toEqual([]);
});
