/** People and keys on a running server, while another process administers the same data folder. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Core, openCore } from '../../src/service/core.ts';
import { operator } from '../../src/service/audit/entry.ts';
import { readConfig } from '../../src/contract/config.ts';
import type { TokenSet } from '../../src/contract/auth.ts';
import type { KeyEntry } from '../../src/contract/keys.ts';
import { databaseIn } from '../fixtures/postgres.ts';
import { type Answer, password, type Question } from '../unit/server/open-server.ts';
import { useServing } from './use-serving.ts';

const serving = useServing();
const { dataDir } = serving;
const email = 'ann@example.org';
const tenantName = 'default';
let core: Core;
let tenantId = '';

beforeAll(async () => {
  const environment = databaseIn(dataDir);
  core = await openCore(readConfig({ flags: { dataDir }, environment }).settings);
  tenantId = (await core.tenants.byName(tenantName))?.id ?? '';
});

afterAll(() => core.close());

async function ask(authorization: string, question: Question): Promise<Answer> {
  const headers = { authorization, ...question.headers };
  return serving.ask({ ...question, headers });
}

async function post(act: string, body: object): Promise<Answer> {
  return serving.ask({ method: 'POST', path: `/v1/auth/${act}`, body });
}

const list = { method: 'GET', path: `/v1/analysis?tenantName=${tenantName}` };

test('a person disabled while the server runs is refused at once', async () => {
  const { id } = await core.users.create({ email, password, tenantIds: [tenantId] });
  const login = await post('login', { email, password });
  const { accessToken } = login.json<{ data: TokenSet }>().data;
  expect((await ask(`Bearer ${accessToken}`, list)).status).toBe(200);

  await core.users.disable(id);

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
