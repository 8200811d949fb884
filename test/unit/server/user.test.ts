import { expect, test } from 'vitest';
import { settingsScope } from '../../../src/service/access/principal.ts';
import { listeningForFile } from './open-server.ts';

const open = await listeningForFile();
const { tokens } = await open.makeUser('ann', { scopes: [settingsScope] });
const authorization = `Bearer ${tokens.accessToken}`;

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
