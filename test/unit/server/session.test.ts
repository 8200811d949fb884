import { expect, test } from 'vitest';
import { password, serverForFile } from './open-server.ts';

const own = { 'sec-fetch-site': 'same-origin' };
const path = '/v1/auth/session';

const open = await serverForFile();

async function post(act: string, payload: object, headers: Record<string, string> = own) {
  return open.server.inject({ method: 'POST', url: `${path}${act}`, headers, payload });
}

function cookieIn(answer: { headers: Record<string, unknown> }): string {
  const { 'set-cookie': cookie } = answer.headers;
  return typeof cookie === 'string' ? cookie : '';
}

async function logIn(name: string): Promise<{ cookie: string; idToken: string }> {
  const answer = await post('', { email: `${name}@example.org`, password });
  const [cookie = ''] = cookieIn(answer).split(';');
  return { cookie, idToken: answer.json().data.idToken };
}

test('the first-run link creates one account and works once', async () => {
  const { token } = open.app.administration.firstUser;
  const account = { token: token ?? '', email: 'first@example.org', password };
  const before = await open.server.inject(path);

  const wrong = await post('/first-user', { ...account, token: 'guessed' });
  const weak = await post('/first-user', { ...account, password: 'short' });
  const made = await Promise.all([post('/first-user', account), post('/first-user', account)]);
  const after = await open.server.inject(path);

  expect(before.json().data).toEqual({
    identity: 'embedded',
    needsFirstUser: true,
    hasSession: false,
    login: null,
    intake: 'contract',
    limits: {
      minSidePx: 65,
      maxSidePx: 4096,
      maxPixels: 4096 * 4096,
      maxBytes: 50_000_000,
      formats: ['jpg', 'png'],
    },
  });
  expect([wrong.statusCode, weak.statusCode]).toEqual([401, 400]);
  expect(made.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 401]);
  expect(after.json().data.needsFirstUser).toBe(false);
  const [user, ...others] = await open.app.core.users.list();
  expect([user?.scopes, others]).toEqual([['settings'], []]);
});

test('a login puts the refresh token in a cookie that scripts and other sites cannot use', async () => {
  await open.makeUser('cookie');

  const answer = await post('', { email: 'cookie@example.org', password });

  expect(Object.keys(answer.json().data)).toEqual(['accessToken', 'idToken', 'expiresIn']);
  expect(cookieIn(answer)).toMatch(
    /^__Host-forensics-session=rt-[\w-]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

test('a cookie is exchanged for new tokens, and reusing it ends that session', async () => {
  await open.makeUser('refresh');
  const { cookie } = await logIn('refresh');
  const elsewhere = await logIn('refresh');

  const fresh = await post('/refresh', {}, { ...own, cookie });
  const again = await post('/refresh', {}, { ...own, cookie });
  const [renewed = ''] = cookieIn(fresh).split(';');
  const late = await post('/refresh', {}, { ...own, cookie: renewed });
  const other = await post('/refresh', {}, { ...own, cookie: elsewhere.cookie });

  expect([fresh.statusCode, again.statusCode, late.statusCode]).toEqual([200, 401, 401]);
  expect(other.statusCode).toBe(200);
  expect(renewed).not.toBe(cookie);
  expect(cookieIn(again)).toMatch(/^__Host-forensics-session=; Max-Age=0;/);
});

test.each([
  ['cross-site', { 'sec-fetch-site': 'cross-site' }],
  // Another port of this host, which SameSite allows.
  ['same-site', { 'sec-fetch-site': 'same-site' }],
  ['none', { 'sec-fetch-site': 'none' }],
  ['missing', {}],
])('the cookie has no effect with Sec-Fetch-Site %s', async (_what, headers) => {
  const { cookie } = await logIn('cookie');
  const acts = ['/refresh', '/end', '', '/first-user'];

  const answers = await Promise.all(
    acts.map((act) => post(act, { email: 'cookie@example.org', password }, { ...headers, cookie })),
  );
  const still = await post('/refresh', {}, { ...own, cookie });

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403]);
  expect(answers.map(cookieIn)).toEqual(['', '', '', '']);
  expect(still.statusCode).toBe(200);
});

test('logging out on all devices without the cookie is refused, because it would end nothing', async () => {
  await open.makeUser('stayer');
  const { idToken, cookie } = await logIn('stayer');

  const answer = await post('/end', { idToken }, own);
  const still = await post('/refresh', {}, { ...own, cookie });

  expect([answer.statusCode, still.statusCode]).toEqual([401, 200]);
});

test('logging out ends one session, and logging out on all devices ends all', async () => {
  await open.makeUser('leaver');
  const [here, there, elsewhere] = [
    await logIn('leaver'),
    await logIn('leaver'),
    await logIn('leaver'),
  ];

  const left = await post('/end', {}, { ...own, cookie: here.cookie });
  const gone = await post('/refresh', {}, { ...own, cookie: here.cookie });
  const { idToken } = there;
  const everywhere = await post('/end', { idToken }, { ...own, cookie: there.cookie });
  const alsoGone = await post('/refresh', {}, { ...own, cookie: elsewhere.cookie });

  expect([left.statusCode, gone.statusCode]).toEqual([200, 401]);
  expect([everywhere.statusCode, alsoGone.statusCode]).toEqual([200, 401]);
  expect(cookieIn(left)).toMatch(/Max-Age=0/);
});

test('a session cookie that this server never set is ignored', async () => {
  const headers = { cookie: '__Host-forensics-session=%' };

  const answer = await open.server.inject({ url: path, headers });

  expect([answer.statusCode, answer.json().data.hasSession]).toEqual([200, false]);
});
