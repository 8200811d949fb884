import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenServer } from '../unit/server/open-server.ts';
import { type Headers, openWithCallers } from './callers.ts';

let open: OpenServer;
let headers: Headers;

beforeAll(async () => {
  ({ open, headers } = await openWithCallers());
});

afterAll(async () => open.close());

/** Input that trips parsers: broken escapes, separators, out-of-range numbers, prototype names. */
const traps = '% %zz %00 = ; ;;= " [] {} __proto__ -0 1e999 null ../'.split(' ');
const odd = fc.oneof(
  fc.constantFrom(...traps),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer().map(String),
);
/** Headers allow no line breaks and nothing beyond Latin-1. */
const inHeader = odd.map((text) => text.replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '?'));
const inQuery = odd.map((text) => text.replaceAll(/[\s#]/g, '+'));
const fields = fc.constantFrom(
  ...'tenantName id input options limit __proto__ start tag projectId searchTerm createdFrom createdTo ids uuid type startTime endTime name comment tags replaces webhookUrl analysisId reason'.split(
    ' ',
  ),
);
const storageConfig = {
  s3: {
    endpoint: 'store.invalid',
    port: 443,
    useSSL: true,
    region: 'eu-west-1',
    bucketName: 'pictures',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
  },
};

const sent = fc.record({
  query: fc.array(fc.tuple(fields, inQuery), { maxLength: 3 }),
  cookie: fc.tuple(fc.constantFrom('', '__Host-forensics-session='), inHeader),
  authorization: fc.oneof(fc.constant(null), inHeader),
  type: fc.oneof(fc.constantFrom('application/json', 'application/zip', 'text/plain'), inHeader),
  key: inHeader,
  others: fc.dictionary(
    fc.constantFrom(
      ...'range origin host accept accept-language if-none-match x-forwarded-for x-forwarded-proto content-encoding x-request-id'.split(
        ' ',
      ),
    ),
    inHeader,
    { maxKeys: 2 },
  ),
  body: fc.oneof(
    fc.json({ maxDepth: 3 }),
    odd,
    fc
      .dictionary(fields, fc.oneof(odd, fc.array(odd, { maxLength: 2 })))
      .map((value) => JSON.stringify({ tenantName: 'acme', ...value })),
    fc.constant(JSON.stringify({ tenantName: 'acme', storageConfig })),
  ),
});

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;

test('no request makes the server return a 5xx status', {
  timeout: 120_000,
}, async () => {
  const routes = [...open.server.methodsByPath].flatMap(([path, known]) =>
    methods
      .filter((method) => known.includes(method))
      .map((method) => ({ method, path: path.replaceAll(/\*|:\w+/g, 'x') })),
  );
  const user = headers['a user with the scope'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), sent, async ({ method, path }, request) => {
      const { query, cookie, authorization, type, key, others, body } = request;
      const answer = await open.server.inject({
        method,
        url: `${path}?tenantName=acme&${query.map((pair) => pair.join('=')).join('&')}`,
        headers: {
          ...others,
          cookie: cookie.join(''),
          'content-type': type,
          'idempotency-key': key,
          'sec-fetch-site': 'same-origin',
          authorization: authorization ?? user,
        },
        ...(method !== 'GET' && method !== 'HEAD' && { payload: body }),
      });

      expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBeLessThan(500);
    }),
    { numRuns: 3000 },
  );
});

test('a session cookie that this server never set is ignored', async () => {
  const answer = await open.server.inject({
    url: '/v1/auth/session',
    headers: { cookie: '__Host-forensics-session=%' },
  });

  expect(answer.statusCode).toBe(200);
  expect(answer.json().data.hasSession).toBe(false);
});

test('a store with an unknown host name is refused as a mistake of the client', async () => {
  const answer = await open.server.inject({
    method: 'PUT',
    url: '/v1/tenant',
    headers: { authorization: headers['a user with the scope'] },
    payload: { tenantName: 'acme', storageConfig },
  });

  expect(answer.statusCode).toBe(400);
  expect(answer.headers['x-error-code']).toBe('store_refused');
});
