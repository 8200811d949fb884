/** Every route with every kind of caller. An unlisted route fails the first test. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../src/server/authenticate.ts';
import {
  type Answer,
  type Ask,
  draft,
  type OpenServer,
  password,
} from '../unit/server/open-server.ts';
import { type Caller, callers, type Headers, openWithCallers } from './callers.ts';

const blob = '/b-0123456789abcdef01234567/analyses/a/input.jpg';
const id = '0123456789abcdef01234567';
const uuid = '01234567-89ab-4def-8123-456789abcdef';

interface Route {
  readonly access: Access;
  readonly ask: {
    readonly url: string;
    readonly body?: object;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** The status for an authorised caller; no caller of this table is authorised by the store. */
  readonly letIn: number | null;
}

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
    ask: { url: '/v1/analysis', body: draft },
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
  'PUT /v1/analysis': {
    access: 'tenant',
    ask: { url: '/v1/analysis', body: { tenantName: 'acme', id, comment: 'Seen.' } },
    letIn: 404,
  },
  'GET /v1/analysis/thumbnails': {
    access: 'tenant',
    ask: { url: `/v1/analysis/thumbnails?tenantName=acme&ids=${id}` },
    letIn: 200,
  },
  'GET /v1/analysis/seen-before': {
    access: 'tenant',
    ask: { url: `/v1/analysis/seen-before?tenantName=acme&id=${id}` },
    letIn: 404,
  },
  'GET /v1/analysis/custody': {
    access: 'tenant',
    ask: { url: `/v1/analysis/custody?tenantName=acme&id=${id}` },
    letIn: 404,
  },
  'GET /v1/analysis/bundle': {
    access: 'tenant',
    ask: { url: `/v1/analysis/bundle?tenantName=acme&id=${id}` },
    letIn: 404,
  },
  'GET /v1/analysis/report': {
    access: 'tenant',
    ask: { url: `/v1/analysis/report?tenantName=acme&id=${id}` },
    letIn: 404,
  },
  'GET /v1/analysis/case/report': {
    access: 'tenant',
    ask: { url: '/v1/analysis/case/report?tenantName=acme&projectId=4711' },
    letIn: 404,
  },
  'GET /v1/analysis/case/bundle': {
    access: 'tenant',
    ask: { url: '/v1/analysis/case/bundle?tenantName=acme&projectId=4711' },
    letIn: 404,
  },
  'POST /v1/bundle/verify': {
    access: 'tenant',
    ask: {
      url: '/v1/bundle/verify?tenantName=acme',
      body: Buffer.from('no archive'),
      headers: { 'content-type': 'application/zip' },
    },
    letIn: 422,
  },
  'GET /v1/auth/session': { access: 'everyone', ask: { url: '/v1/auth/session' }, letIn: 200 },
  'POST /v1/auth/session': {
    access: 'everyone',
    ask: {
      url: '/v1/auth/session',
      body: { email: 'plain@example.org', password },
      headers: { 'sec-fetch-site': 'same-origin' },
    },
    letIn: 200,
  },
  'POST /v1/auth/session/refresh': {
    access: 'everyone',
    ask: {
      url: '/v1/auth/session/refresh',
      body: {},
      headers: { 'sec-fetch-site': 'same-origin' },
    },
    letIn: 401,
  },
  'POST /v1/auth/session/end': {
    access: 'everyone',
    ask: { url: '/v1/auth/session/end', body: {}, headers: { 'sec-fetch-site': 'same-origin' } },
    letIn: 200,
  },
  'POST /v1/auth/session/first-user': {
    access: 'everyone',
    ask: {
      url: '/v1/auth/session/first-user',
      body: { token: 'none', email: 'a@example.org', password },
      headers: { 'sec-fetch-site': 'same-origin' },
    },
    letIn: 401,
  },
  'GET /': { access: 'everyone', ask: { url: '/', headers: { accept: 'text/html' } }, letIn: 200 },
  'GET /console/:file': { access: 'everyone', ask: { url: '/console/none.js' }, letIn: 404 },
  'GET /ca.pem': { access: 'everyone', ask: { url: '/ca.pem' }, letIn: 200 },
  'GET /v1/tenant': {
    access: 'tenant',
    ask: { url: '/v1/tenant?tenantName=acme' },
    letIn: 200,
  },
  'PUT /v1/tenant': {
    access: 'tenantSettings',
    ask: { url: '/v1/tenant', body: { tenantName: 'acme' } },
    letIn: 200,
  },
  'GET /v1/tenant/report': {
    access: 'tenant',
    ask: { url: '/v1/tenant/report?tenantName=acme' },
    letIn: 200,
  },
  'GET /v1/tenant/user': {
    access: 'tenantManager',
    ask: { url: '/v1/tenant/user?tenantName=acme' },
    letIn: 200,
  },
  'POST /v1/tenant/user': {
    access: 'tenantManager',
    ask: {
      url: '/v1/tenant/user',
      body: { tenantName: 'acme', email: 'wall@example.org', password: 'violet harbour 42 lamps' },
    },
    letIn: 200,
  },
  'PUT /v1/tenant/user': {
    access: 'tenantManager',
    ask: { url: '/v1/tenant/user', body: { tenantName: 'acme', id, scopes: [] } },
    letIn: 404,
  },
  'POST /v1/tenant/user/password': {
    access: 'tenantManager',
    ask: {
      url: '/v1/tenant/user/password',
      body: { tenantName: 'acme', id, newPassword: 'violet harbour 42 lamps' },
    },
    letIn: 404,
  },
  'POST /v1/tenant/user/disable': {
    access: 'tenantManager',
    ask: { url: '/v1/tenant/user/disable', body: { tenantName: 'acme', id } },
    letIn: 404,
  },
  'POST /v1/tenant/user/enable': {
    access: 'tenantManager',
    ask: { url: '/v1/tenant/user/enable', body: { tenantName: 'acme', id } },
    letIn: 404,
  },
  'GET /v1/tenant/audit': {
    access: 'tenantSettings',
    ask: { url: '/v1/tenant/audit?tenantName=acme' },
    letIn: 200,
  },
  'GET /v1/tenant/webhook': {
    access: 'tenantSettings',
    ask: { url: '/v1/tenant/webhook?tenantName=acme' },
    letIn: 200,
  },
  'POST /v1/tenant/webhook/replay': {
    access: 'tenantSettings',
    ask: { url: '/v1/tenant/webhook/replay', body: { tenantName: 'acme' } },
    letIn: 409,
  },
  'POST /v1/tenant/webhook/test': {
    access: 'tenantSettings',
    ask: { url: '/v1/tenant/webhook/test', body: { tenantName: 'acme' } },
    letIn: 409,
  },
  'GET /v1/tenant/hold': {
    access: 'tenantManager',
    ask: { url: '/v1/tenant/hold?tenantName=acme' },
    letIn: 200,
  },
  'POST /v1/tenant/hold': {
    access: 'tenantManager',
    ask: {
      url: '/v1/tenant/hold',
      body: { tenantName: 'acme', analysisId: id, reason: 'file 12/26' },
    },
    letIn: 404,
  },
  'DELETE /v1/tenant/hold': {
    access: 'tenantManager',
    ask: { url: '/v1/tenant/hold', body: { tenantName: 'acme', analysisId: id } },
    letIn: 404,
  },
  'GET /v1/auth/api': {
    access: 'tenant',
    ask: { url: '/v1/auth/api?tenantName=acme' },
    letIn: 200,
  },
  'POST /v1/auth/api': {
    access: 'tenantSettings',
    ask: {
      url: '/v1/auth/api',
      body: { tenantName: 'acme', name: 'wall', expiresAt: new Date(Date.now() + 1e9) },
    },
    letIn: 200,
  },
  'DELETE /v1/auth/api': {
    access: 'tenant',
    ask: {
      url: `/v1/auth/api?tenantName=acme&uuid=${uuid}`,
      headers: { 'content-type': 'application/json' },
    },
    letIn: 404,
  },
  'POST /v1/auth/login': {
    access: 'everyone',
    ask: { url: '/v1/auth/login', body: { email: 'plain@example.org', password } },
    letIn: 200,
  },
  'POST /v1/auth/refresh': {
    access: 'everyone',
    ask: { url: '/v1/auth/refresh', body: { refreshToken: 'none' } },
    letIn: 401,
  },
  'POST /v1/auth/verify': {
    access: 'everyone',
    ask: { url: '/v1/auth/verify', body: { idToken: 'none' } },
    letIn: 401,
  },
  'POST /v1/auth/revoke': {
    access: 'everyone',
    ask: { url: '/v1/auth/revoke', body: { idToken: 'none', refreshToken: 'none' } },
    letIn: 401,
  },
  'POST /v1/auth/info': { access: 'user', ask: { url: '/v1/auth/info' }, letIn: 200 },
  'POST /v1/auth/change-password': {
    access: 'user',
    ask: {
      url: '/v1/auth/change-password',
      body: { currentPassword: password, newPassword: 'short' },
    },
    letIn: 400,
  },
  'GET /v1/user/settings': {
    access: 'userSettings',
    ask: { url: '/v1/user/settings' },
    letIn: 200,
  },
  'PUT /v1/user/settings': {
    access: 'userSettings',
    ask: { url: '/v1/user/settings', body: {} },
    letIn: 200,
  },
  'POST /v1/feedback': {
    access: 'tenantUser',
    ask: {
      url: '/v1/feedback',
      body: { tenantName: 'acme', url: 'a', name: 'A', email: 'a@example.org', message: 'Hello' },
    },
    letIn: 200,
  },
  'GET /docs': { access: 'everyone', ask: { url: '/docs' }, letIn: 200 },
  'GET /docs/json': { access: 'everyone', ask: { url: '/docs/json' }, letIn: 200 },
  'GET /docs/yaml': { access: 'everyone', ask: { url: '/docs/yaml' }, letIn: 200 },
  'GET /docs/static/index.html': {
    access: 'everyone',
    ask: { url: '/docs/static/index.html' },
    letIn: 302,
  },
  'GET /docs/static/swagger-initializer.js': {
    access: 'everyone',
    ask: { url: '/docs/static/swagger-initializer.js' },
    letIn: 200,
  },
  'GET /docs/static/*': { access: 'everyone', ask: { url: '/docs/static/index.css' }, letIn: 200 },
  ...Object.fromEntries(
    ['GET', 'PUT', 'DELETE'].map((method) => [
      `${method} /:bucket(^b-[0-9a-f]{24}$)/*`,
      { access: 'urlSignature', ask: { url: blob }, letIn: null } as const,
    ]),
  ),
};

const forUsers: ReadonlySet<Access> = new Set([
  'user',
  'userSettings',
  'tenantUser',
  'tenantManager',
]);
const withScope: ReadonlySet<Access> = new Set(['userSettings', 'tenantSettings', 'tenantManager']);
const ofTenant: ReadonlySet<Access> = new Set([
  'tenant',
  'tenantSettings',
  'tenantUser',
  'tenantManager',
]);

let open: OpenServer;
let ask: Ask;
let headers: Headers;

beforeAll(async () => {
  ({ open, headers } = await openWithCallers());
  ask = await open.listen();
});

afterAll(async () => open.close());

test('the table lists every registered route and no other', () => {
  const registered = [...open.server.methodsByPath].flatMap(([path, methods]) =>
    methods
      .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
      .map((method) => `${method} ${path}`),
  );

  expect(registered.toSorted()).toEqual(Object.keys(routes).toSorted());
});

describe.each(Object.entries(routes))('%s', (name, route) => {
  test.each(Object.entries(callers))('%s gets the right status', async (sender, caller) => {
    const method = name.slice(0, name.indexOf(' '));
    const answer = await askAs(sender, method, route);

    expect(answer.status).toBe(expected(route, caller));
    if (answer.status < 400) return;
    expect(Object.keys(answer.json())).toEqual(['success', 'message']);
    expect('www-authenticate' in answer.headers).toBe(answer.status === 401);
  });

  if (!name.startsWith('GET /v1/') || name.endsWith('/bundle')) return;
  test.each(Object.entries(callers))(
    'HEAD by %s gets the status of GET without a body',
    async (sender, caller) => {
      const answer = await askAs(sender, 'HEAD', route);

      expect(answer.status).toBe(expected(route, caller));
      expect(answer.body).toHaveLength(0);
    },
  );
});

test.each(['GET /v1/analysis/bundle', 'GET /v1/analysis/case/bundle'] as const)(
  'HEAD is refused where GET makes a bundle and logs it: %s',
  async (name) => {
    const answer = await askAs('a key', 'HEAD', routes[name]!);

    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, OPTIONS']);
  },
);

test('existing and missing tenants are refused alike', async () => {
  const [foreign, missing] = await Promise.all(
    ['other', 'nobody-has-this-name'].map(async (tenantName) =>
      ask({
        method: 'GET',
        path: `/v1/analysis?tenantName=${tenantName}`,
        headers: { authorization: headers['a key'] ?? '' },
      }),
    ),
  );

  expect(foreign?.status).toBe(403);
  expect(missing?.json()).toEqual(foreign?.json());
});

test('an unauthorised caller learns nothing about errors in the body', async () => {
  const answer = await ask({ method: 'POST', path: '/v1/analysis', body: '{"' });

  expect(answer.status).toBe(403);
});

function expected({ access, letIn }: Route, caller: Caller): number | null {
  if (access === 'everyone') return letIn;
  // Only the signature of the URL counts.
  if (access === 'urlSignature') return 403;
  if (caller.refusal !== null) return caller.refusal;
  const { isUser = false, hasScope = false, isOfTenant = false } = caller;
  if (!isUser && forUsers.has(access)) return 403;
  if (isUser && !hasScope && withScope.has(access)) return 403;
  return !isOfTenant && ofTenant.has(access) ? 403 : letIn;
}

async function askAs(
  sender: string,
  method: string,
  { ask: { url, ...rest } }: Route,
): Promise<Answer> {
  const authorization = headers[sender];
  return ask({
    ...rest,
    method,
    path: url,
    headers: { ...rest.headers, ...(authorization === undefined ? {} : { authorization }) },
  });
}
