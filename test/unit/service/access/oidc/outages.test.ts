import { expect, test } from 'vitest';
import { type Handler, publicClientId } from '../../../../fixtures/oidc-server.ts';
import { hastenTimeouts } from '../../../../fixtures/hasten.ts';
import { createCached } from '../../../../../src/service/access/oidc/discovery.ts';
import { steppedClock } from '../../../ports/db/temporary.ts';
import { json, openOidc, openProvider, refused } from './open-oidc.ts';

const server = await openProvider();

const unavailable = { code: 'identity_unavailable', retryAfterSeconds: 10 };
const minuteMs = 60_000;

test('a provider that is down at the start is used once it is up', async () => {
  await server.stop();
  const { identity, accessToken, clock } = await openOidc(server);
  const token = await accessToken();

  await expect(identity.authenticate(token)).rejects.toMatchObject(unavailable);
  await expect(identity.login({ email: 'a', password: 'b', from: 'c' })).rejects.toMatchObject(
    unavailable,
  );
  await server.start();
  clock.step(10_000);

  await identity.authenticate(token);
});

test('while the provider is down, tokens are still verified and never accepted unchecked', async () => {
  const { enter, identity, accessToken, clock } = await openOidc(server);
  await enter();
  await server.stop();
  clock.step(70 * minuteMs);

  const tokens = [
    await accessToken(),
    await accessToken({}, { kid: 'unknown' }),
    await accessToken({ exp: 1_772_366_400 }),
  ];
  const answers = await Promise.allSettled([
    ...tokens.map((token) => identity.authenticate(token)),
    identity.refresh('a refresh token'),
  ]);

  expect(answers).toMatchObject([
    { value: { userType: 'examiner' } },
    { reason: unavailable },
    { reason: refused },
    { reason: unavailable },
  ]);
  clock.step(24 * 60 * minuteMs);
  await expect(enter()).rejects.toMatchObject(unavailable);
  await server.start();
});

test('a revocation that failed while the provider was down can be repeated', async () => {
  const page = { clientId: publicClientId, clientSecret: null };
  const { identity, idToken } = await openOidc(server, page);
  const tokens = { idToken: await idToken(), refreshToken: 'of a session' };
  await identity.verify(tokens.idToken);

  await server.stop();
  await expect(identity.revoke(tokens)).rejects.toMatchObject(unavailable);
  await server.start();
  await identity.revoke(tokens);

  await expect(identity.verify(tokens.idToken)).rejects.toMatchObject(refused);
});

test('a new key is fetched when it is first used, and the old one is then refused', async () => {
  const { identity, accessToken, clock } = await openOidc(server);
  const old = await accessToken({ exp: 1_772_370_000 });
  await identity.authenticate(old);
  clock.step(10_000);

  await server.rotateKeys();
  const renewed = await accessToken();
  await Promise.all(Array.from({ length: 10 }, () => identity.authenticate(renewed)));

  await expect(identity.authenticate(old)).rejects.toMatchObject(refused);
});

test('a withdrawn key is not trusted for long, even if no new one is used', async () => {
  const { identity, accessToken, clock } = await openOidc(server);
  const old = await accessToken({ exp: 1_772_370_000 });
  await identity.authenticate(old);
  await server.rotateKeys();

  clock.step(10 * minuteMs);

  await expect(identity.authenticate(old)).rejects.toMatchObject(refused);
});

test('unknown keys cause one request to the provider in ten seconds, not one per token', async () => {
  const { enter, identity, accessToken, clock } = await openOidc(server);
  await enter();
  const before = server.asked('/jwks');
  const ask = async () => {
    const token = await accessToken({}, { kid: crypto.randomUUID() });
    await expect(identity.authenticate(token)).rejects.toMatchObject(refused);
  };

  for (let round = 0; round < 3; round++) {
    clock.step(10_000);
    for (let turn = 0; turn < 5; turn++) await ask();
  }

  expect(server.asked('/jwks') - before).toBe(3);
});

const document = () => ({
  issuer: server.issuer,
  jwks_uri: `${server.issuer}/jwks`,
  authorization_endpoint: `${server.issuer}/auth`,
  token_endpoint: `${server.issuer}/token`,
});

test.each<[string, () => Handler]>([
  ['text that is not JSON', () => (_request, response) => response.end('<html>Maintenance</html>')],
  ['nothing', () => json(null)],
  ['an error', () => (_request, response) => response.writeHead(500).end('{}')],
  [
    'the document of another issuer',
    () => json({ ...document(), issuer: 'https://elsewhere.example' }),
  ],
  ['its issuer with an extra slash', () => json({ ...document(), issuer: `${server.issuer}/` })],
  ['no jwks_uri', () => json({ ...document(), jwks_uri: undefined })],
  ['a jwks_uri over plain HTTP', () => json({ ...document(), jwks_uri: 'http://localhost/jwks' })],
  ['no keys', () => json({ ...document(), keys: 'none' })],
  ['invalid keys', () => json({ ...document(), keys: [null, 7] })],
  ['two megabytes', () => json({ ...document(), filler: 'x'.repeat(2_000_000) })],
  ['nothing, and hangs up', () => (request) => request.socket.destroy()],
  [
    'a redirect',
    () => (request, response) => {
      const elsewhere = request.url === '/elsewhere' ? {} : { location: '/elsewhere' };
      if ('location' in elsewhere) response.writeHead(302, elsewhere).end();
      else json({ ...document(), keys: [] })(request, response);
    },
  ],
])('a provider that answers %s authenticates nobody', async (_what, handler) => {
  const { enter } = await openOidc(server);
  server.responseWith(handler());

  const answer = enter();

  await expect(answer).rejects.toMatchObject(unavailable);
  expect(server.asked('/elsewhere')).toBe(0);
});

test('what a provider gives as its issuer is logged only in part', async () => {
  const { enter } = await openOidc(server);
  server.responseWith(json({ ...document(), issuer: `https://${'x'.repeat(900_000)}` }));

  const answer = enter();

  await expect(answer).rejects.toMatchObject({
    ...unavailable,
    cause: { message: expect.stringMatching(/^The identity provider gives .{0,230}$/) },
  });
});

test('an unusable key of the provider authenticates nobody', async () => {
  const { enter } = await openOidc(server);
  const broken = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', alg: 'ES256', kid: 'broken' };
  server.responseWith(json({ ...document(), keys: [broken] }));

  const answer = enter({}, { kid: 'broken' });

  await expect(answer).rejects.toMatchObject(unavailable);
});

test('a provider that does not finish its answer is given up after five seconds', async () => {
  const { identity, accessToken } = await openOidc(server);
  const token = await accessToken();
  server.responseWith((_request, response) => void response.write('{'));
  const limits = hastenTimeouts();

  const answer = identity.authenticate(token);

  await expect(answer).rejects.toMatchObject(unavailable);
  expect(limits).toHaveBeenLastCalledWith(5000);
});

test('a certificate of an unknown authority is not trusted', async () => {
  const { enter } = await openOidc(server, { ca: null });

  const answer = enter();

  await expect(answer).rejects.toMatchObject(unavailable);
});

test('a wrong client secret is reported as unavailable, not as the caller’s mistake', async () => {
  const { identity } = await openOidc(server, { clientSecret: 'a wrong one' });

  const answer = identity.refresh('a refresh token');

  await expect(answer).rejects.toMatchObject({
    ...unavailable,
    cause: { message: expect.stringContaining('invalid_client') },
  });
});

test('after a failed load, the old value is returned without waiting for the next load', async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    if (loads === 2) throw new Error('away');
    return loads === 1 ? 1 : new Promise<never>(() => undefined);
  };
  const { now, step } = steppedClock();
  const cached = createCached({ load, freshMs: 100, pauseMs: 10, keptMs: 1000, now });
  await cached.current();
  step(100);
  await cached.current();
  step(10);

  expect([await cached.current(), loads]).toEqual([1, 3]);
});
