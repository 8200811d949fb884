import { createHash, randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import {
  audience,
  clientId,
  openOidcServer,
  openProviderOf,
  tenantsClaim,
} from '../../fixtures/oidc-server.ts';
import { openListening } from './open-server.ts';

const examiner = 'examiner@example.org';

const { provider, flags: ofProvider, stop } = await openProviderOf(examiner);
const open = await openListening({ flags: ofProvider });
afterAll(async () => {
  await open.close();
  await stop();
});

const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` });

test('a person logs in at the provider, works here, and logs out on all devices', async () => {
  const { ask, tenant } = open;
  const post = (path: string, body?: object, headers = {}) =>
    ask({ method: 'POST', path: `/v1/auth/${path}`, headers, ...(body ? { body } : {}) });

  const where = await post('login', { email: examiner, password: 'any' });
  expect(where.json()).toMatchObject({
    success: true,
    data: {
      issuer: provider.issuer,
      clientId,
      authorizationEndpoint: `${provider.issuer}/auth`,
      tokenEndpoint: `${provider.issuer}/token`,
      deviceAuthorizationEndpoint: `${provider.issuer}/device/auth`,
    },
  });

  const first = await provider.logIn(examiner);
  const info = await post('info', undefined, bearer(first.accessToken));
  expect(info.json()).toMatchObject({
    data: { email: examiner, userType: 'examiner', scopes: ['settings'], tenants: [tenant.name] },
  });

  const change = { currentPassword: 'a', newPassword: 'b' };
  const changed = await post('change-password', change, bearer(first.accessToken));
  expect([changed.status, changed.headers['x-error-code']]).toEqual([400, 'not_offered']);
  expect(changed.json<{ message: string }>().message).toContain(provider.issuer);

  const { idToken, refreshToken } = first;
  expect((await post('revoke', { idToken, refreshToken })).status).toBe(200);
  expect((await post('info', undefined, bearer(first.accessToken))).status).toBe(401);
});

test('while the provider is down its users get 503 with a Retry-After, and keys work', async () => {
  const elsewhere = await openOidcServer();
  await elsewhere.stop();
  const flags = { oidcIssuer: elsewhere.issuer, oidcClientId: clientId };

  const withoutProvider = await openListening({ flags });
  const path = '/v1/analysis?tenantName=acme';
  const headers = bearer(await token({}));
  const person = await withoutProvider.ask({ method: 'GET', path, headers });
  const key = await withoutProvider.askWithKey({ method: 'GET', path });

  await withoutProvider.close();
  expect([person.status, person.headers['x-error-code']]).toEqual([503, 'identity_unavailable']);
  expect(person.headers['retry-after']).toBe('10');
  expect(key.status).toBe(200);
});

/** The access token of somebody the provider knows. */
async function token(claims: object): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const about = { iss: provider.issuer, sub: 'another', aud: audience };
  return provider.sign({ ...about, iat, exp: iat + 60, ...claims });
}

test('a browser exchanges the provider’s code for a session with a cookie', async () => {
  // Not `examiner`, who was logged out: that applies to the whole second in which it happened.
  const someone = 'browser@example.org';
  const rights = { userType: 'examiner', [tenantsClaim]: ['acme'] };
  provider.people.set(someone, { email: someone, ...rights });
  const own = { 'sec-fetch-site': 'same-origin' };
  const post = (act: string, payload: object, headers = {}) =>
    open.server.inject({
      method: 'POST',
      url: `/v1/auth/session${act}`,
      headers: { ...own, ...headers },
      payload,
    });
  const codeVerifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const state = await open.server.inject('/v1/auth/session');

  const grant = await provider.codeFor(someone, challenge);
  const opened = await post('', { ...grant, codeVerifier });
  const other = await provider.codeFor(someone, challenge);
  const stolen = await post('', { ...other, codeVerifier: 'x'.repeat(43) });
  const [cookie = ''] = String([opened.headers['set-cookie']].flat()[0]).split(';');
  const renewed = await post('/refresh', {}, { cookie });
  const [fresh = ''] = String([renewed.headers['set-cookie']].flat()[0]).split(';');
  const { accessToken } = renewed.json().data;
  const info = await open.server.inject({
    method: 'POST',
    url: '/v1/auth/info',
    headers: bearer(accessToken),
  });
  const ended = await post('/end', {}, { cookie: fresh });
  const late = await post('/refresh', {}, { cookie: fresh });
  const again = await post('', { ...grant, codeVerifier });

  expect(state.json().data).toMatchObject({
    identity: 'oidc',
    needsFirstUser: false,
    login: { issuer: provider.issuer, clientId },
  });
  expect([opened.statusCode, again.statusCode, stolen.statusCode]).toEqual([200, 401, 401]);
  expect([renewed.statusCode, ended.statusCode, late.statusCode]).toEqual([200, 200, 401]);
  expect(info.json().data).toMatchObject({ email: someone, tenants: ['acme'] });
});
