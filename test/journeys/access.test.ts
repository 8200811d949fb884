/** People and keys on a running server, while another process administers the same data folder. */

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settingsScope } from '../../src/service/access/principal.ts';
import { type Core, openCore } from '../../src/service/core.ts';
import { operator } from '../../src/service/audit/entry.ts';
import { readConfig } from '../../src/contract/config.ts';
import type { TokenSet } from '../../src/contract/auth.ts';
import type { KeyEntry } from '../../src/contract/keys.ts';
import { databaseIn } from '../fixtures/postgres.ts';
import { type Answer, draft, password, type Question } from '../unit/server/open-server.ts';
import { newDataDir, only, type Serving, startServing } from './serving.ts';

const dataDir = newDataDir();
const email = 'ann@example.org';
const tenantName = 'default';
let serving: Serving;
let core: Core;
let tenantId = '';

beforeAll(async () => {
  serving = await startServing(dataDir);
  const environment = databaseIn(dataDir);
  core = await openCore(readConfig({ flags: { dataDir }, environment }).settings);
  tenantId = (await core.tenants.byName(tenantName))?.id ?? '';
});

afterAll(async () => {
  await core.close();
  await serving.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

async function ask(authorization: string, question: Question): Promise<Answer> {
  const headers = { authorization, ...question.headers };
  return serving.ask({ ...question, headers });
}

async function post(act: string, body: object): Promise<Answer> {
  return serving.ask({ method: 'POST', path: `/v1/auth/${act}`, body });
}

const list = { method: 'GET', path: `/v1/analysis?tenantName=${tenantName}` };
const tokensOf = (answer: Answer) => answer.json<{ data: TokenSet }>().data;

test('a person logs in and works; reusing a refresh token ends every session', async () => {
  const name = 'Ann Example';
  const rights = { tenantIds: [tenantId], scopes: [settingsScope] };
  const { id } = await core.users.create({ email, password, name, ...rights });
  const first = tokensOf(await post('login', { email, password }));
  const bearer = `Bearer ${first.accessToken}`;

  const body = { ...draft, tenantName };
  const made = only(await ask(bearer, { method: 'POST', path: '/v1/analysis', body }));
  const read = only(await ask(`ApiKey ${serving.ready.apiKey}`, list));

  expect(read).toMatchObject({
    id: made.id,
    createdByUserId: id,
    lastChangedByUserType: 'user',
    lastChangedByUserId: id,
    lastChangedByUserName: name,
  });

  const second = tokensOf(await post('refresh', { refreshToken: first.refreshToken }));
  expect((await ask(`Bearer ${second.accessToken}`, list)).status).toBe(200);
  expect((await post('refresh', { refreshToken: first.refreshToken })).status).toBe(401);

  for (const { accessToken, idToken, refreshToken } of [first, second]) {
    const settings = { method: 'GET', path: '/v1/user/settings' };
    const info = { method: 'POST', path: '/v1/auth/info' };
    const refused = await Promise.all([
      ...[list, settings, info].map(async (question) => ask(`Bearer ${accessToken}`, question)),
      post('refresh', { refreshToken }),
      post('verify', { idToken }),
      post('revoke', { idToken, refreshToken }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  }
});

test('a person disabled while the server runs is refused at once', async () => {
  const { accessToken } = tokensOf(await post('login', { email, password }));
  const [user] = await core.users.byEmail(email);

  await core.users.disable(user?.id ?? '');

  expect((await ask(`Bearer ${accessToken}`, list)).status).toBe(401);
  expect((await post('login', { email, password })).status).toBe(401);
});

test('a rotated key works alongside the new one until the new one deletes it', async () => {
  const old = `ApiKey ${serving.ready.apiKey}`;
  const expiresAt = new Date(Date.now() + 86_400_000);
  const [{ name } = { name: '' }] = await core.keys.list(tenantId);

  const rotated = await core.keys.rotate({
    tenantId,
    which: { name },
    expiresAt,
    graceMs: 60_000,
    by: operator,
  });

  const fresh = `ApiKey ${rotated.key.secret}`;
  const keys = { path: `/v1/auth/api?tenantName=${tenantName}`, method: 'GET' };
  expect((await ask(old, list)).status).toBe(200);
  const entries = (await ask(fresh, keys)).json<{ data: KeyEntry[] }>().data;
  expect(entries.map(({ uuid }) => uuid)).toEqual([rotated.key.uuid, rotated.replaced.uuid]);
  const removed = await ask(fresh, {
    method: 'DELETE',
    path: `${keys.path}&uuid=${rotated.replaced.uuid}`,
    headers: { 'content-type': 'application/json' },
  });
  expect(removed.status).toBe(200);
  expect((await ask(old, list)).status).toBe(403);
  expect((await ask(fresh, list)).status).toBe(200);
});
