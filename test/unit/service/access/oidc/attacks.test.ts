/** What somebody tries who wants to be somebody else, or controls a part of the provider's answers. */

import { generateKeyPair, type JWTHeaderParameters, SignJWT, exportJWK } from 'jose';
import { expect, test } from 'vitest';
import { type Claims, clientSecret } from '../../../../fixtures/oidc-server.ts';
import { json, openOidc, openProvider, refused } from './open-oidc.ts';

const server = await openProvider();

const unavailable = { code: 'identity_unavailable' };
const own = await generateKeyPair('ES256', { extractable: true });
const jwk = await exportJWK(own.publicKey);
const grant = {
  code: 'of a login',
  codeVerifier: 'v'.repeat(43),
  redirectUri: 'https://a.example/',
};

test.each<Partial<JWTHeaderParameters>>([
  { jwk },
  { jku: 'https://evil.example/jwks' },
  { x5u: 'https://evil.example/chain.pem' },
  { kid: '../../etc/passwd' },
])('a key of the attacker named in the header, %j, verifies nothing', async (header) => {
  const { identity, usual } = await openOidc(server);
  const usualHeader = { alg: 'ES256', typ: 'at+jwt' };
  const token = await new SignJWT(usual())
    .setProtectedHeader({ ...usualHeader, ...header })
    .sign(own.privateKey);

  await expect(identity.authenticate(token)).rejects.toMatchObject(refused);
});

test.each([{ jkt: 'k'.repeat(43) }, { 'x5t#S256': 'k'.repeat(43) }])(
  'a token bound to a key, %j, is no bearer token',
  async (cnf) => {
    const { enter, identity, idToken } = await openOidc(server);
    const explained = { ...refused, message: expect.stringContaining('bound to a key') };

    await expect(enter({ cnf })).rejects.toMatchObject(explained);
    await expect(identity.verify(await idToken({ cnf }))).rejects.toMatchObject(explained);
  },
);

test('subjects that look alike are different people, whatever their address', async () => {
  const { enter, users } = await openOidc(server);
  const subjects = ['examiner', 'Examiner', 'examiner ', 'ｅxaminer', 'é', 'e\u0301', "x' OR 1=1"];
  const come = async (sub: string) => enter({ sub, email: 'same@example.org' });

  const people = await Promise.all(subjects.map(come));

  expect(new Set(people.map(({ id }) => id)).size).toBe(subjects.length);
  expect(await users.list()).toHaveLength(subjects.length);
});

test.each<[string, Claims]>([
  ['capitals', { scope: 'SETTINGS', tenants: ['beta'] }],
  ['wildcards', { scope: 'setting*', tenants: ['%', '_cme', '*'] }],
  ['nested lists', { scope: [['settings']], tenants: [['acme']] }],
  ['objects', { scope: { settings: true }, tenants: { 0: 'acme', length: 1 } }],
  ['letters of other scripts', { scope: 'ſettings', tenants: ['аcme', 'ａcme'] }],
  ['a space that is not ASCII', { scope: 'openid\u00a0settings' }],
  ['paths', { scope: 'x/settings', tenants: ['/acme/lab', '//acme', 'x/acme'] }],
])('no rights come from claims with %s', async (_what, claims) => {
  const { enter, tenants } = await openOidc(server);
  await tenants.create({ name: 'acme' });

  const { scopes, tenantIds } = await enter(claims);

  expect(scopes).not.toContain('settings');
  expect(tenantIds).toEqual([]);
});

/** The library that reads the provider's answers uses the real time. */
async function openNow() {
  const parts = await openOidc(server, { now: () => new Date() });
  const iat = Math.floor(Date.now() / 1000);
  const times = { iat, exp: iat + 600 };
  return {
    ...parts,
    accessToken: async (claims: Claims = {}) => parts.accessToken({ ...times, ...claims }),
    idToken: async (claims: Claims = {}) => parts.idToken({ ...times, ...claims }),
  };
}

type Sent = (parts: Awaited<ReturnType<typeof openNow>>) => Promise<object>;
const withAccess =
  (claims: Claims): Sent =>
  async ({ accessToken }) => ({ access_token: await accessToken(claims) });
const withId =
  (claims: Claims): Sent =>
  async ({ idToken }) => ({ id_token: await idToken(claims) });
const changedId: Sent = async ({ idToken }) => ({
  id_token: `${(await idToken()).slice(0, -6)}AAAAAA`,
});

test.each<[string, object, Sent]>([
  ['another kind of token', unavailable, async () => ({ token_type: 'mac' })],
  ['an access token for another service', refused, withAccess({ aud: 'elsewhere' })],
  ['an id token of another issuer', unavailable, withId({ iss: 'https://evil.example' })],
  ['an id token for another client', unavailable, withId({ aud: 'elsewhere' })],
  ['an id token that another client asked for', refused, withId({ azp: 'elsewhere' })],
  ['an id token that was changed', refused, changedId],
])('a code for which the provider sends %s opens no session', async (_what, failure, sent) => {
  const parts = await openNow();
  const usual = { access_token: await parts.accessToken(), token_type: 'Bearer' };
  await parts.identity.authenticate(usual.access_token);
  server.responseWith(json({ ...usual, ...(await sent(parts)) }));

  await expect(parts.identity.exchange(grant)).rejects.toMatchObject(failure);
});

test.each([301, 302, 307, 308])(
  'a token endpoint that redirects with %i is not followed',
  async (status) => {
    const { enter, identity } = await openOidc(server);
    await enter();
    server.responseWith((_request, response) => {
      response.writeHead(status, { location: `${server.issuer}/inside` }).end();
    });

    await expect(identity.exchange(grant)).rejects.toMatchObject(unavailable);
    expect(server.asked('/inside')).toBe(0);
  },
);

test.each(['server_error', `${grant.code} ${clientSecret}`])(
  'what was sent to the provider is in no error that it causes with %j',
  async (error) => {
    const { enter, identity } = await openOidc(server);
    await enter();
    server.responseWith((_request, response) => {
      const echo = { error, error_description: `${grant.code} ${clientSecret}` };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(echo));
    });

    const failure: unknown = await identity.exchange(grant).catch((thrown: unknown) => thrown);

    const told = (thrown: unknown): string =>
      thrown instanceof Error ? `${thrown.stack} ${told(thrown.cause)}` : '';
    expect(failure).toMatchObject(unavailable);
    expect(told(failure)).not.toContain(grant.code);
    expect(told(failure)).not.toContain(clientSecret);
  },
);

test('a disabled person does not come in with the id token of another', async () => {
  const { identity, accessToken, idToken, users } = await openNow();
  const { id } = await identity.authenticate(await accessToken({ sub: 'mallory' }));
  await users.disable(id ?? '');
  const sent = { access_token: await accessToken({ sub: 'mallory' }), token_type: 'Bearer' };
  server.responseWith(json({ ...sent, id_token: await idToken() }));

  await expect(identity.exchange(grant)).rejects.toMatchObject(refused);
});
