import { createPrivateKey, createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createTokens } from '../../../../src/service/access/embedded/sessions.ts';
import { steppedClock } from '../../ports/db/temporary.ts';

// RFC 8032, section 7.1, test 1.
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const publicBytes = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const jwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(publicBytes, 'hex').toString('base64url'),
};
const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
const d = seed.toString('base64url');
const privateKey = createPrivateKey({ key: { ...jwk, d }, format: 'jwk' });

const issuer = 'https://forensics.example';
const bearer = {
  userId: 'a'.repeat(24),
  sessionId: 'b'.repeat(24),
  email: 'examiner@example.org',
  name: 'Examiner',
  userType: 'examiner',
  scopes: ['settings', 'x'],
};

function setUp() {
  const clock = steppedClock();
  return { tokens: createTokens({ seed, issuer, now: clock.now }), ...clock };
}

function parts(token: string): { header: unknown; claims: Record<string, unknown> } {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header, claims };
}

test('an access token is an RFC 9068 JWT without personal data', async () => {
  const { tokens, now } = setUp();

  const { header, claims } = parts(await tokens.sign('access', bearer));

  const iat = now().getTime() / 1000;
  expect(header).toEqual({
    alg: 'EdDSA',
    typ: 'at+jwt',
    kid: expect.stringMatching(/^[\w-]{16}$/),
  });
  expect(claims).toEqual({
    iss: issuer,
    aud: 'forensics-api',
    sub: bearer.userId,
    sid: bearer.sessionId,
    userType: 'examiner',
    scope: 'settings x',
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    iat,
    exp: iat + 900,
  });
});

test('an id token names the person and is valid for an hour', async () => {
  const { tokens, now } = setUp();

  const { header, claims } = parts(await tokens.sign('id', bearer));
  const withoutName = parts(await tokens.sign('id', { ...bearer, name: null }));

  expect(header).toMatchObject({ typ: 'JWT' });
  expect(claims).toMatchObject({ aud: 'forensics', email: bearer.email, name: 'Examiner' });
  expect(claims['exp']).toBe(now().getTime() / 1000 + 3600);
  expect(withoutName.claims).not.toHaveProperty('name');
});

test('a token is valid to the last second of its life and no longer', async () => {
  const { tokens, step } = setUp();
  const token = await tokens.sign('access', bearer);
  step(899_999);

  expect(await tokens.read('access', token)).toEqual({
    userId: bearer.userId,
    sessionId: bearer.sessionId,
  });
  step(1);
  await expect(tokens.read('access', token)).rejects.toMatchObject({
    code: 'unauthenticated',
    message: expect.stringContaining('expired'),
  });
});

/** How a token differs from our own. */
interface Forgery {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
}

async function forge(now: Date, { claims, header }: Forgery): Promise<string> {
  const time = now.getTime() / 1000;
  const ours = { iss: issuer, aud: 'forensics-api', sub: 'u', sid: 's', userType: 'user' };
  return new SignJWT({ ...ours, iat: time, exp: time + 60, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', ...header })
    .sign(privateKey);
}

test('a token made with the right key and claims is accepted', async () => {
  const { tokens, now } = setUp();

  expect(await tokens.read('access', await forge(now(), {}))).toEqual({
    userId: 'u',
    sessionId: 's',
  });
});

test.each<[string, Forgery]>([
  ['without userType', { claims: { userType: undefined } }],
  ['with a userType that is not a text', { claims: { userType: 7 } }],
  ['without a session', { claims: { sid: undefined } }],
  ['without a person', { claims: { sub: undefined } }],
  ['of another issuer', { claims: { iss: 'https://elsewhere.example' } }],
  ['without an issuer', { claims: { iss: undefined } }],
  ['for another audience', { claims: { aud: 'forensics' } }],
  ['without an expiry', { claims: { exp: undefined } }],
  ['that is not valid yet', { claims: { nbf: 4_000_000_000 } }],
  ['of type JWT', { header: { typ: 'JWT' } }],
  ['without a type', { header: { typ: undefined } }],
  ['with a critical extension', { header: { crit: ['b64'], b64: true } }],
])('a token %s is refused despite a valid signature', async (_, forgery) => {
  const { tokens, now } = setUp();
  const token = await forge(now(), forgery);

  await expect(tokens.read('access', token)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('a token signed with the public key by HMAC is refused', async () => {
  const { tokens, now } = setUp();
  const time = now().getTime() / 1000;
  const claims = { iss: issuer, aud: 'forensics-api', sub: 'u', sid: 's', userType: 'user' };
  const secrets = [
    Buffer.from(publicBytes, 'hex'),
    publicKey.export({ format: 'der', type: 'spki' }),
    Buffer.from(publicKey.export({ format: 'pem', type: 'spki' })),
  ];

  for (const secret of secrets) {
    const token = await new SignJWT({ ...claims, exp: time + 60 })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(secret);
    await expect(tokens.read('access', token)).rejects.toMatchObject({ code: 'unauthenticated' });
  }
});

test('a refusal contains nothing of the token', async () => {
  const { tokens, step } = setUp();
  const token = await tokens.sign('access', bearer);
  step(3_600_000);

  const refusal = await tokens.read('access', token).catch((error: unknown) => error);

  expect(Object(refusal)['cause']).toBeUndefined();
});

test('a seed of the wrong length is refused', () => {
  const { now } = setUp();

  expect(() => createTokens({ seed: seed.subarray(1), issuer, now })).toThrow(RangeError);
});
