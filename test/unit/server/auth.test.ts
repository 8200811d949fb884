import { describe, expect, test } from 'vitest';
import type { TokenSet } from '../../../src/contract/auth.ts';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { settingsScope } from '../../../src/service/access/principal.ts';
import { type Answer, openServer, password, listeningForFile } from './open-server.ts';

const open = await listeningForFile();

const newPassword = 'nine quiet umbrellas';

async function post(act: string, body?: object, accessToken?: string): Promise<Answer> {
  const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  const sent = body === undefined ? {} : { body };
  return open.ask({ method: 'POST', path: `/v1/auth/${act}`, headers, ...sent });
}

async function login(name: string, typed = password): Promise<Answer> {
  return post('login', { email: `${name}@example.org`, password: typed });
}

const tokensOf = (answer: Answer) => answer.data<TokenSet>();
const statusAndCode = ({ status, headers }: Answer) => [status, headers['x-error-code']];

describe('a session', () => {
  test('is the only one to survive a password change made in it', async () => {
    const { tokens } = await open.makeUser('eve', { tenants: [open.tenant] });
    const elsewhere = tokensOf(await login('eve'));
    const change = { currentPassword: password, newPassword };

    const changed = await post('change-password', change, tokens.accessToken);

    expect(changed.json()).toEqual({ success: true });
    expect(await usedWith(tokens.accessToken)).toBe(200);
    expect(await usedWith(elsewhere.accessToken)).toBe(401);
    expect((await login('eve')).status).toBe(401);
    expect((await login('eve', newPassword)).status).toBe(200);
    expect(statusAndCode(await post('change-password', change, tokens.accessToken))).toEqual([
      400,
      'invalid_request',
    ]);
  });
});

describe('the log', () => {
  test('contains no passwords or tokens, right or wrong', async () => {
    await open.makeUser('pat', { tenants: [open.tenant] });
    const { idToken, ...tokens } = tokensOf(await login('pat'));
    const wrong = 'seven wrong umbrellas';
    await login('pat', wrong);
    await usedWith(tokens.accessToken);
    await usedWith(`${tokens.accessToken}x`);
    await post('verify', { idToken });
    await post('verify', { idToken: `${idToken}x` });
    await post('change-password', { currentPassword: wrong, newPassword }, tokens.accessToken);
    await post('refresh', { refreshToken: tokens.refreshToken });

    const text = open.log.join('');

    expect(text).toContain('"route":"/v1/auth/login"');
    const secrets = [password, wrong, newPassword, idToken, tokens.refreshToken];
    for (const secret of [...secrets, tokens.accessToken]) expect(text).not.toContain(secret);
    // Only the account of a refused login is named, to help trace an attack.
    const naming = open.log.filter((line) => line.includes('pat@'));
    expect(naming.every((line) => line.includes('"status":401'))).toBe(true);
  });

  test('contains the error of a broken identity provider, but not what was sent to it', async () => {
    const cause = Object.assign(new Error('socket hang up'), { options: { form: password } });
    const failure = new ForensicsError('identity_unavailable', 'Try again.', { cause });
    const identity = { ...open.app.core.identity, login: async () => Promise.reject(failure) };
    const broken = await openServer({ app: { ...open.app, core: { ...open.app.core, identity } } });
    const payload = { email: 'a@example.org', password };
    const answer = await broken.server.inject({ method: 'POST', url: '/v1/auth/login', payload });
    await broken.close();

    expect(answer.statusCode).toBe(503);
    expect(broken.log.join('')).toContain('socket hang up');
    expect(broken.log.join('')).not.toContain(password);
  });
});

const statusOf = async (authorization: string) =>
  (await open.as(authorization)('GET', '/v1/analysis')).status;
const usedWith = async (accessToken: string) => statusOf(`Bearer ${accessToken}`);

test('settings of a user are read, and changed one at a time', async () => {
  const { tokens } = await open.makeUser('ann', { scopes: [settingsScope] });
  const send = open.as(`Bearer ${tokens.accessToken}`);
  const put = async (body: object) => send('PUT', '/v1/user/settings', body);
  const read = async () => (await send('GET', '/v1/user/settings')).json();
  expect(await read()).toEqual({ success: true, data: { lang: 'en', tosAccepted: false } });

  expect((await put({ lang: 'de' })).json()).toEqual({ success: true });
  expect((await put({ tosAccepted: true })).json()).toEqual({ success: true });
  expect((await put({})).status).toBe(200);

  expect(await read()).toEqual({ success: true, data: { lang: 'de', tosAccepted: true } });
});

describe('the Authorization header', () => {
  test.each(['ApiKey', 'Bearer', 'apikey', 'BEARER  '])('accepts a key as %s', async (scheme) => {
    const [, secret] = open.authorization.split(' ');

    expect(await statusOf(`${scheme} ${secret}`)).toBe(200);
  });

  test.each(['Bearer', 'bearer'])('accepts a user’s token as %s', async (scheme) => {
    const { tokens } = await open.makeUser(`said-${scheme.charCodeAt(0)}`, {
      tenants: [open.tenant],
    });

    expect(await statusOf(`${scheme} ${tokens.accessToken}`)).toBe(200);
    expect(await statusOf(`ApiKey ${tokens.accessToken}`)).toBe(401);
    expect(await statusOf(`${scheme} ${tokens.accessToken}x`)).toBe(401);
  });

  test.each<[string, number, (key: string) => string]>([
    ['an empty header', 403, () => '  '],
    ['a key without a scheme', 401, (key) => key],
    ['a scheme without a key', 401, () => 'ApiKey'],
    ['two keys', 401, (key) => `ApiKey ${key} ${key}`],
  ])('%s is answered %i', async (_, status, headerOf) => {
    const [, secret = ''] = open.authorization.split(' ');

    expect(await statusOf(headerOf(secret))).toBe(status);
  });
});
