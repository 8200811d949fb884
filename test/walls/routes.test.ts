/** Every route against every kind of caller. A route that is registered and not listed here fails the first test. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSecret } from '../../src/access/key-format.ts';
import { openServer } from '../unit/server/open-server.ts';
import type { Answer, Ask, OpenServer } from '../unit/server/open-server.ts';

const blob = '/b-0123456789abcdef01234567/analyses/a/input.jpg';
const id = '0123456789abcdef01234567';
const draft = {
  name: 'A',
  type: 'image',
  input: { format: 'jpg', version: 'v1', width: 640, height: 480, filename: 'a.jpg', options: {} },
};

interface Route {
  readonly access: 'everyone' | 'tenant' | 'urlSignature';
  readonly ask: { readonly url: string; readonly body?: object };
  /** What a caller who is let in gets; nobody of this table is let in by the store. */
  readonly letIn: number | null;
}

const bucket = '/:bucket(^b-[0-9a-f]{24}$)';
const routes: Readonly<Record<string, Route>> = {
  'GET /v1/ping': { access: 'everyone', ask: { url: '/v1/ping' }, letIn: 200 },
  'GET /v1/health': { access: 'everyone', ask: { url: '/v1/health' }, letIn: 200 },
  'GET /v1/schema': { access: 'everyone', ask: { url: '/v1/schema' }, letIn: 200 },
  'GET /v1/analysis': {
    access: 'tenant',
    ask: { url: '/v1/analysis?tenantName=acme' },
    letIn: 200,
  },
  'POST /v1/analysis': {
    access: 'tenant',
    ask: { url: '/v1/analysis', body: { tenantName: 'acme', ...draft } },
    letIn: 200,
  },
  'DELETE /v1/analysis': {
    access: 'tenant',
    ask: { url: '/v1/analysis', body: { tenantName: 'acme', id } },
    letIn: 404,
  },
  'POST /v1/analysis/start': {
    access: 'tenant',
    ask: { url: '/v1/analysis/start', body: { tenantName: 'acme', id } },
    letIn: 404,
  },
  'POST /v1/analysis/retry': {
    access: 'tenant',
    ask: { url: '/v1/analysis/retry', body: { tenantName: 'acme', id, options: {} } },
    letIn: 404,
  },
  'GET /v1/tenant/report': {
    access: 'tenant',
    ask: { url: '/v1/tenant/report?tenantName=acme' },
    letIn: 200,
  },
  ...Object.fromEntries(
    ['GET', 'PUT', 'DELETE', 'POST'].flatMap((method) => [
      [
        `${method} ${bucket}`,
        { access: 'urlSignature', ask: { url: blob.slice(0, 27) }, letIn: null } as const,
      ],
      [
        `${method} ${bucket}/*`,
        { access: 'urlSignature', ask: { url: blob }, letIn: null } as const,
      ],
    ]),
  ),
};

let open: OpenServer;
let ask: Ask;
let clock = new Date();
const headers: Record<string, string> = {};

beforeAll(async () => {
  open = await openServer({ now: () => clock });
  ask = await open.listen();
  const { tenant, secret } = await open.makeTenant('acme');
  const expired = await open.app.keys.mint({
    tenantId: tenant.id,
    name: 'expired',
    expiresAt: new Date(clock.getTime() + 60_000),
  });
  const deleted = await open.app.keys.mint({
    tenantId: tenant.id,
    name: 'deleted',
    expiresAt: new Date(clock.getTime() + 3_600_000),
  });
  await open.app.keys.revoke(tenant.id, deleted.uuid);
  const other = await open.makeTenant('other');
  Object.assign(headers, {
    malformed: 'ApiKey sk-acme-short',
    garbage: 'Basic YTpi',
    expired: `ApiKey ${expired.secret}`,
    deleted: `ApiKey ${deleted.secret}`,
    unknown: `ApiKey ${newSecret('nobody')}`,
    other: `ApiKey ${other.secret}`,
    key: `ApiKey ${secret}`,
    wrong: `ApiKey ${newSecret(tenant.keyTag)}`,
    bearer: `Bearer ${secret}`,
  });
  clock = new Date(clock.getTime() + 120_000);
});

afterAll(async () => open.close());

/** What each caller gets from a route with access `tenant`. */
const refusals: Readonly<Record<string, number>> = {
  nobody: 403,
  malformed: 401,
  garbage: 401,
  expired: 401,
  wrong: 401,
  deleted: 403,
  unknown: 403,
  other: 403,
};
const callers = [...Object.keys(refusals), 'key', 'bearer'];

test('the table names every registered route and no other', () => {
  const registered = [...open.server.methodsByPath].flatMap(([path, methods]) =>
    methods
      .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
      .map((method) => `${method} ${path}`),
  );

  expect(registered.toSorted()).toEqual(Object.keys(routes).toSorted());
});

describe.each(Object.entries(routes))('%s', (name, route) => {
  test.each(callers)('answers as it should to: %s', async (caller) => {
    const answer = await askAs(headers[caller], name, route);

    expect(answer.status).toBe(expected(route, caller));
    if (route.access === 'tenant' && caller in refusals) {
      expect(Object.keys(answer.json())).toEqual(['success', 'message']);
      expect('www-authenticate' in answer.headers).toBe(answer.status === 401);
    }
  });
});

test.each(Object.keys(routes).filter((name) => name.startsWith('GET /v1/')))(
  'HEAD lets in nobody whom %s keeps out',
  async (name) => {
    const path = routes[name]?.ask.url ?? '';
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map(async (method) => ask({ method, path })),
    );

    expect(head?.status).toBe(get?.status);
    expect(head?.body).toHaveLength(0);
  },
);

test('a tenant that exists and one that does not are refused alike', async () => {
  const [foreign, missing] = await Promise.all(
    ['other', 'nobody-has-this-name'].map(async (tenantName) =>
      ask({
        method: 'GET',
        path: `/v1/analysis?tenantName=${tenantName}`,
        headers: { authorization: headers['key'] ?? '' },
      }),
    ),
  );

  expect(foreign?.status).toBe(403);
  expect(missing?.json()).toEqual(foreign?.json());
});

test('a caller who is not let in learns nothing about what would be wrong with the body', async () => {
  const answer = await ask({ method: 'POST', path: '/v1/analysis', body: '{"' });

  expect(answer.status).toBe(403);
});

function expected(route: Route, caller: string): number | null {
  // The store knows signatures only: an API key is for it a header that it cannot read.
  if (route.access === 'urlSignature') return caller === 'nobody' ? 403 : 400;
  return route.access === 'tenant' ? (refusals[caller] ?? route.letIn) : route.letIn;
}

async function askAs(
  authorization: string | undefined,
  name: string,
  { ask: { url, body } }: Route,
): Promise<Answer> {
  return ask({
    method: name.slice(0, name.indexOf(' ')),
    path: url,
    headers: authorization === undefined ? {} : { authorization },
    ...(body === undefined ? {} : { body }),
  });
}
