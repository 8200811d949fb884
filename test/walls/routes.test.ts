/** Every route with every kind of caller. An unlisted route fails the first test. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../src/server/authenticate.ts';
import {
  type Answer,
  type Ask as Send,
  draft,
  type OpenServer,
  password,
} from '../unit/server/open-server.ts';
import type { RawDocument } from '../contract/interface/document.ts';
import { type Caller, callers, type Headers, openWithCallers } from './callers.ts';

const blob = '/b-0123456789abcdef01234567/analyses/a/input.jpg';
const id = '0123456789abcdef01234567';
const uuid = '01234567-89ab-4def-8123-456789abcdef';

interface Ask {
  /** The path of the route if omitted. */
  readonly path?: string;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `letIn`: the status for an authorised caller; no caller of this table is authorised by the store. */
type Route = readonly [access: Access, letIn: number | null, ask?: Ask];

const tenantName = 'acme';
const inQuery = { query: 'tenantName=acme' };
const oneInQuery = { query: `tenantName=acme&id=${id}` };
const caseInQuery = { query: 'tenantName=acme&projectId=4711' };
const ofPages = { 'sec-fetch-site': 'same-origin' };
const login = { email: 'plain@example.org', password };
const newPassword = 'violet harbour 42 lamps';
const json = { 'content-type': 'application/json' };
const noArchive = { body: Buffer.from('no'), headers: { 'content-type': 'application/zip' } };
const wrongLink = { token: 'none', email: 'a@example.org', password };
const account = { email: 'wall@example.org', password: newPassword };
const hold = { tenantName, analysisId: id };
const key = { tenantName, name: 'wall', expiresAt: new Date(Date.now() + 1e9) };
const tooShort = { currentPassword: password, newPassword: 'short' };
const feedback = { tenantName, url: 'a', name: 'A', email: 'a@example.org', message: 'Hello' };

const routes: Readonly<Record<string, Route>> = {
  'GET /v1/ping': ['everyone', 200],
  'GET /v1/health': ['everyone', 200],
  'GET /v1/schema': ['everyone', 200],
  'GET /v1/analysis': ['tenant', 200, inQuery],
  'POST /v1/analysis': ['tenant', 200, { body: draft }],
  'DELETE /v1/analysis': ['tenant', 404, { body: { tenantName, id } }],
  'POST /v1/analysis/start': ['tenant', 404, { body: { tenantName, id } }],
  'POST /v1/analysis/retry': ['tenant', 404, { body: { tenantName, id, options: {} } }],
  'PUT /v1/analysis': ['tenant', 404, { body: { tenantName, id, comment: 'Seen.' } }],
  'GET /v1/analysis/thumbnails': ['tenant', 200, { query: `tenantName=acme&ids=${id}` }],
  'GET /v1/analysis/seen-before': ['tenant', 404, oneInQuery],
  'GET /v1/analysis/custody': ['tenant', 404, oneInQuery],
  'GET /v1/analysis/bundle': ['tenant', 404, oneInQuery],
  'GET /v1/analysis/report': ['tenant', 404, oneInQuery],
  'GET /v1/analysis/case/report': ['tenant', 404, caseInQuery],
  'GET /v1/analysis/case/bundle': ['tenant', 404, caseInQuery],
  'POST /v1/bundle/verify': ['tenant', 422, { ...inQuery, ...noArchive }],
  'GET /v1/auth/session': ['everyone', 200],
  'POST /v1/auth/session': ['everyone', 200, { body: login, headers: ofPages }],
  'POST /v1/auth/session/refresh': ['everyone', 401, { body: {}, headers: ofPages }],
  'POST /v1/auth/session/end': ['everyone', 200, { body: {}, headers: ofPages }],
  'POST /v1/auth/session/first-user': ['everyone', 401, { body: wrongLink, headers: ofPages }],
  'GET /': ['everyone', 200, { headers: { accept: 'text/html' } }],
  'GET /console/:file': ['everyone', 404, { path: '/console/none.js' }],
  'GET /ca.pem': ['everyone', 200],
  'GET /v1/tenant': ['tenant', 200, inQuery],
  'PUT /v1/tenant': ['tenantSettings', 200, { body: { tenantName } }],
  'GET /v1/tenant/report': ['tenant', 200, inQuery],
  'GET /v1/tenant/user': ['tenantManager', 200, inQuery],
  'POST /v1/tenant/user': ['tenantManager', 200, { body: { tenantName, ...account } }],
  'PUT /v1/tenant/user': ['tenantManager', 404, { body: { tenantName, id, scopes: [] } }],
  'POST /v1/tenant/user/password': [
    'tenantManager',
    404,
    { body: { tenantName, id, newPassword } },
  ],
  'POST /v1/tenant/user/disable': ['tenantManager', 404, { body: { tenantName, id } }],
  'POST /v1/tenant/user/enable': ['tenantManager', 404, { body: { tenantName, id } }],
  'GET /v1/tenant/audit': ['tenantSettings', 200, inQuery],
  'GET /v1/tenant/webhook': ['tenantSettings', 200, inQuery],
  'POST /v1/tenant/webhook/replay': ['tenantSettings', 409, { body: { tenantName } }],
  'POST /v1/tenant/webhook/test': ['tenantSettings', 409, { body: { tenantName } }],
  'GET /v1/tenant/hold': ['tenantManager', 200, inQuery],
  'POST /v1/tenant/hold': ['tenantManager', 404, { body: { ...hold, reason: 'file 12/26' } }],
  'DELETE /v1/tenant/hold': ['tenantManager', 404, { body: hold }],
  'GET /v1/auth/api': ['tenant', 200, inQuery],
  'POST /v1/auth/api': ['tenantSettings', 200, { body: key }],
  'DELETE /v1/auth/api': ['tenant', 404, { query: `tenantName=acme&uuid=${uuid}`, headers: json }],
  'POST /v1/auth/login': ['everyone', 200, { body: login }],
  'POST /v1/auth/refresh': ['everyone', 401, { body: { refreshToken: 'none' } }],
  'POST /v1/auth/verify': ['everyone', 401, { body: { idToken: 'none' } }],
  'POST /v1/auth/revoke': ['everyone', 401, { body: { idToken: 'none', refreshToken: 'none' } }],
  'POST /v1/auth/info': ['user', 200],
  'POST /v1/auth/change-password': ['user', 400, { body: tooShort }],
  'GET /v1/user/settings': ['userSettings', 200],
  'PUT /v1/user/settings': ['userSettings', 200, { body: {} }],
  'POST /v1/feedback': ['tenantUser', 200, { body: feedback }],
  'GET /docs': ['everyone', 200],
  'GET /docs/json': ['everyone', 200],
  'GET /docs/yaml': ['everyone', 200],
  'GET /docs/static/index.html': ['everyone', 302],
  'GET /docs/static/swagger-initializer.js': ['everyone', 200],
  'GET /docs/static/*': ['everyone', 200, { path: '/docs/static/index.css' }],
  ...Object.fromEntries(
    ['GET', 'PUT', 'DELETE'].map((method) => [
      `${method} /:bucket(^b-[0-9a-f]{24}$)/*`,
      ['urlSignature', null, { path: blob }] as const,
    ]),
  ),
};

const accesses = (...names: Access[]): ReadonlySet<Access> => new Set(names);
const forUsers = accesses('user', 'userSettings', 'tenantUser', 'tenantManager');
const withScope = accesses('userSettings', 'tenantSettings', 'tenantManager');
const ofTenant = accesses('tenant', 'tenantSettings', 'tenantUser', 'tenantManager');

let open: OpenServer;
let ask: Send;
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

test('the document names the scope that a route needs', async () => {
  const document: RawDocument = (await open.server.inject('/v1/schema')).json();
  const scoped = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((one) => Object.values(one).flat().length > 0))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );

  const needing = Object.entries(routes).filter(([, [access]]) => withScope.has(access));
  expect(scoped.toSorted()).toEqual(needing.map(([name]) => name).toSorted());
});

describe.each(Object.entries(routes))('%s', (name, route) => {
  test.each(Object.entries(callers))('%s gets the right status', async (sender, caller) => {
    const answer = await askAs(sender, name);

    expect(answer.status).toBe(expected(route, caller));
    if (answer.status < 400) return;
    expect(Object.keys(answer.json())).toEqual(['success', 'message']);
    expect('www-authenticate' in answer.headers).toBe(answer.status === 401);
  });

  if (!name.startsWith('GET /v1/') || name.endsWith('/bundle')) return;
  test.each(Object.entries(callers))(
    'HEAD by %s gets the status of GET without a body',
    async (sender, caller) => {
      const answer = await askAs(sender, name, 'HEAD');

      expect(answer.status).toBe(expected(route, caller));
      expect(answer.body).toHaveLength(0);
    },
  );
});

test.each(['GET /v1/analysis/bundle', 'GET /v1/analysis/case/bundle'] as const)(
  'HEAD is refused where GET makes a bundle and logs it: %s',
  async (name) => {
    const answer = await askAs('a key', name, 'HEAD');

    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, OPTIONS']);
  },
);

test('existing and missing tenants are refused alike', async () => {
  const [foreign, missing] = await Promise.all(
    ['other', 'nobody-has-this-name'].map(async (name) =>
      ask({
        method: 'GET',
        path: `/v1/analysis?tenantName=${name}`,
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

function expected([access, letIn]: Route, caller: Caller): number | null {
  if (access === 'everyone') return letIn;
  // Only the signature of the URL counts.
  if (access === 'urlSignature') return 403;
  if (caller.refusal !== null) return caller.refusal;
  const { isUser = false, hasScope = false, isOfTenant = false } = caller;
  if (!isUser && forUsers.has(access)) return 403;
  if (isUser && !hasScope && withScope.has(access)) return 403;
  return !isOfTenant && ofTenant.has(access) ? 403 : letIn;
}

async function askAs(sender: string, name: string, asMethod?: 'HEAD'): Promise<Answer> {
  const [method = '', ofName = ''] = name.split(' ');
  const [, , { path = ofName, query, body, headers: own = {} } = {}] = routes[name]!;
  const authorization = headers[sender];
  return ask({
    method: asMethod ?? method,
    path: query === undefined ? path : `${path}?${query}`,
    ...(body && { body }),
    headers: { ...own, ...(authorization === undefined ? {} : { authorization }) },
  });
}
