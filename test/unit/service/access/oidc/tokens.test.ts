import { SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { createProviderFetch } from '../../../../../src/service/access/oidc/discovery.ts';
import { audience, type Claims, clientId, clientSecret } from '../../../../fixtures/oidc-server.ts';
import { openOidc, openProvider, refused } from './open-oidc.ts';

const server = await openProvider();

const jwt = { typ: 'JWT' };

test.each<[string, Claims, object?]>([
  ['of another issuer', { iss: 'https://elsewhere.example' }],
  ['for another service', { aud: 'https://elsewhere.example' }],
  ['for another service, though issued to our client', { aud: 'elsewhere', azp: clientId }],
  ['without an audience', { aud: undefined }],
  ['without a subject', { sub: undefined }],
  ['with an empty subject', { sub: '' }],
  ['without an expiry', { exp: undefined }],
  ['without an issue time', { iat: undefined }],
  ['that has expired', { exp: 1_000_000_000 }],
  ['that is not valid yet', { nbf: 4_000_000_000 }],
  ['from the future', { iat: 4_000_000_000, exp: 4_000_000_600 }],
  ['with the nonce of an id token', { nonce: 'n' }, jwt],
  ['that Keycloak marks as an id token', { typ: 'ID' }, jwt],
  ['that Cognito marks as an id token', { token_use: 'id' }, jwt],
  ['for a logout', {}, { typ: 'logout+jwt' }],
  ['for a logout, typed as JWT', { events: {} }, jwt],
  ['for nobody', { aud: null }],
  ['for a number', { aud: 7 }],
  ['for an object', { aud: {} }],
  ['whose type is a number', {}, { typ: 7 }],
  ['whose type is a list', {}, { typ: ['at+jwt'] }],
  // A database would store both as U+FFFD, and so take two people for one.
  ['of half a character', { sub: '\ud800' }],
  ['of a control character', { sub: 'examiner\u0000' }],
  ['that expires after the end of time', { exp: 9e15 }],
  ['that is too long for a header', { filler: 'x'.repeat(16_384) }],
])('an access token %s is refused', async (_what, claims, header) => {
  const { enter } = await openOidc(server);
  await enter();

  const answer = enter(claims, header);

  await expect(answer).rejects.toMatchObject(refused);
});

test('unsigned tokens and tokens signed with a secret are refused', async () => {
  const { enter, identity, usual } = await openOidc(server);
  const published = await createProviderFetch(server)(`${server.issuer}/jwks`, {});
  const keys = await published.text();
  const [, kid = ''] = /"kid":"([^"]+)"/.exec(keys) ?? [];
  const secrets = [clientSecret, keys, ''];
  const symmetric = secrets.map((secret) =>
    new SignJWT(usual())
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
      .sign(Buffer.from(secret.padEnd(64, ' '))),
  );
  const tokens = [new UnsecuredJWT(usual()).encode(), ...(await Promise.all(symmetric))];
  await enter();

  const answers = await Promise.allSettled(tokens.map((token) => identity.authenticate(token)));

  expect(answers).toHaveLength(4);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 'rejected', reason: refused });
  }
});

test.each<[string, Claims, object?]>([
  ['for several services', { aud: ['https://elsewhere.example', 'https://forensics.example/api'] }],
  ['that only its scope identifies', { nonce: undefined }, jwt],
  ['that Keycloak marks, with a nonce', { typ: 'Bearer', nonce: 'n' }, jwt],
  ['of a clock that is half a minute ahead', { iat: 1_772_366_425, nbf: 1_772_366_425 }],
  ['that expired a moment ago', { exp: 1_772_366_380 }],
])('an access token %s is accepted', async (_what, claims, header) => {
  const { enter } = await openOidc(server);

  const principal = await enter(claims, header);

  expect(principal).toMatchObject({ type: 'user', userType: 'examiner', scopes: ['settings'] });
});

test('without its own audience, the service accepts tokens for its client', async () => {
  const { enter } = await openOidc(server, { audience: null });
  const marked = [{ aud: clientId }, { aud: undefined, client_id: clientId }];
  const unmarked = { aud: undefined, client_id: clientId, scope: undefined };
  const bad = [
    { aud: 'elsewhere', azp: clientId },
    { aud: undefined, client_id: 'elsewhere' },
  ];

  for (const claims of marked) await enter(claims);
  await enter({ aud: clientId }, jwt);
  await enter(unmarked, jwt);

  for (const claims of bad) {
    await expect(enter(claims)).rejects.toMatchObject(refused);
  }
});

test.each<[string, Claims]>([
  ['only for the client', { aud: clientId }],
  ['for the client, as the authorized party', { aud: clientId, azp: clientId }],
  ['for the client and the service', { aud: [clientId, audience], azp: clientId }],
])('an unmarked id token %s is not accepted as an access token', async (_what, claims) => {
  for (const wanted of [null, clientId, audience]) {
    const { identity, idToken } = await openOidc(server, { audience: wanted });
    const token = await idToken(claims);

    await expect(identity.authenticate(token)).rejects.toMatchObject(refused);
    await identity.verify(token);
  }
});

test('an opaque access token is refused with an explanation', async () => {
  const { identity } = await openOidc(server);

  const answer = identity.authenticate('2YotnFZFEjr1zCsicMWpAA');

  await expect(answer).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('not a JWT'),
  });
});

test('an id token must be for the client, and issued to it if it is for several', async () => {
  const { identity, idToken } = await openOidc(server);
  const several = { aud: [clientId, 'other'] };

  await identity.verify(await idToken());
  await identity.verify(await idToken({ ...several, azp: clientId }));

  for (const claims of [
    { aud: 'other' },
    several,
    { ...several, azp: 'other' },
    { scope: 'settings' },
  ]) {
    await expect(identity.verify(await idToken(claims))).rejects.toMatchObject(refused);
  }
});
