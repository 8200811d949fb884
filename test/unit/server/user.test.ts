import { expect, test } from 'vitest';
import { settingsScope } from '../../../src/service/access/principal.ts';
import { listeningForFile } from './open-server.ts';

const open = await listeningForFile();
const { tokens } = await open.makeUser('ann', { scopes: [settingsScope] });
const send = open.as(`Bearer ${tokens.accessToken}`);

const path = '/v1/user/settings';

const put = async (body: object) => send('PUT', path, body);
const read = async () => (await send('GET', path)).json();

test('settings are read, and changed one at a time', async () => {
  expect(await read()).toEqual({ success: true, data: { lang: 'en', tosAccepted: false } });

  expect((await put({ lang: 'de' })).json()).toEqual({ success: true });
  expect((await put({ tosAccepted: true })).json()).toEqual({ success: true });
  expect((await put({})).status).toBe(200);

  expect(await read()).toEqual({ success: true, data: { lang: 'de', tosAccepted: true } });
});
