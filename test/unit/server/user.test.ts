import { afterAll, beforeAll, expect, test } from 'vitest';
import { settingsScope } from '../../../src/service/access/principal.ts';
import { type Listening, openListening } from './open-server.ts';

let open: Listening;
let authorization = '';

beforeAll(async () => {
  open = await openListening();
  const { tokens } = await open.makeUser('ann', { scopes: [settingsScope] });
  authorization = `Bearer ${tokens.accessToken}`;
});

afterAll(async () => open.close());

const path = '/v1/user/settings';

async function put(body: object) {
  return open.ask({ method: 'PUT', path, headers: { authorization }, body });
}

async function read(): Promise<unknown> {
  const answer = await open.ask({ method: 'GET', path, headers: { authorization } });
  return answer.json();
}

test('settings are read, and changed one at a time', async () => {
  expect(await read()).toEqual({ success: true, data: { lang: 'en', tosAccepted: false } });

  expect((await put({ lang: 'de' })).json()).toEqual({ success: true });
  expect((await put({ tosAccepted: true })).json()).toEqual({ success: true });
  expect((await put({})).status).toBe(200);

  expect(await read()).toEqual({ success: true, data: { lang: 'de', tosAccepted: true } });
});

test.each([
  [{ lang: 'German' }, 'lang must be a language code such as "de"'],
  [{ lang: 7 }, 'lang must be a language code such as "de"'],
  [{ tosAccepted: 'yes' }, 'tosAccepted must be true or false'],
])('%j is refused and says what is allowed', async (body, message) => {
  const answer = await put(body);

  expect(answer.status).toBe(400);
  expect(answer.json()['message']).toContain(message);
});

test('what one person sets is not what another reads', async () => {
  const { tokens } = await open.makeUser('bob', { scopes: [settingsScope] });
  await put({ lang: 'fr' });

  const headers = { authorization: `Bearer ${tokens.accessToken}` };
  const answer = await open.ask({ method: 'GET', path, headers });

  expect(answer.json()).toMatchObject({ data: { lang: 'en' } });
});
