import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSchema, operationsOf } from '../contract/interface/document.ts';
import { listeningForFile } from '../unit/server/open-server.ts';

const open = await listeningForFile();
const { tokens } = await open.makeUser('known', { tenants: [open.tenant], scopes: ['settings'] });

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

const documented = operationsOf((await open.server.inject('/v1/schema')).json());
/** The members that any operation reads, and one that none does. */
const fields = fc.constantFrom(
  '__proto__',
  ...documented.flatMap(({ parts, body }) => [
    ...parts.map(({ name }) => name),
    ...Object.keys(isSchema(body?.['properties']) ? body['properties'] : {}),
  ]),
);
const headers =
  'range origin host accept accept-language if-none-match x-forwarded-for x-forwarded-proto content-encoding x-request-id';

const sent = fc.record({
  query: fc.array(fc.tuple(fields, inQuery), { maxLength: 3 }),
  cookie: fc.tuple(fc.constantFrom('', '__Host-forensics-session='), inHeader),
  authorization: fc.oneof(fc.constant(`Bearer ${tokens.accessToken}`), inHeader),
  type: fc.oneof(fc.constantFrom('application/json', 'application/zip', 'text/plain'), inHeader),
  key: inHeader,
  others: fc.dictionary(fc.constantFrom(...headers.split(' ')), inHeader, { maxKeys: 2 }),
  body: fc.oneof(
    fc.json({ maxDepth: 3 }),
    odd,
    fc
      .dictionary(fields, fc.oneof(odd, fc.array(odd, { maxLength: 2 })))
      .map((value) => JSON.stringify({ tenantName: 'acme', ...value })),
  ),
});

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;

test('no request makes the server return a 5xx status', { timeout: 120_000 }, async () => {
  const routes = [...open.server.methodsByPath].flatMap(([path, known]) =>
    methods
      .filter((method) => known.includes(method))
      .map((method) => ({ method, path: path.replaceAll(/\*|:\w+/g, 'x') })),
  );
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
          authorization,
        },
        ...(method !== 'GET' && method !== 'HEAD' && { payload: body }),
      });

      expect(answer.statusCode, `${method} ${path}: ${answer.body}`).toBeLessThan(500);
    }),
    { numRuns: 3000 },
  );
});
