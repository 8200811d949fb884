import { afterAll, beforeAll, expect, test } from 'vitest';
import { logOf } from '../service/audit/log-of.ts';
import { draft, type Listening, openListening } from './open-server.ts';

let open: Listening;

beforeAll(async () => {
  open = await openListening();
});

afterAll(async () => open.close());

test('whoever asks over HTTP stands in the log, not the operator', async () => {
  const { app, tenant, askWithKey, ask } = open;
  const { db } = app.core.database;
  const [{ uuid: ownKey } = { uuid: '' }] = await app.core.keys.list(tenant.id);
  const { user, tokens } = await open.makeUser('ada', { tenants: [tenant], scopes: ['settings'] });
  const authorization = `Bearer ${tokens.accessToken}`;
  const before = (await logOf(db, { chain: tenant.id })).length;
  const path = '/v1/auth/api';
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();

  const body = { tenantName: 'acme', name: 'nightly', expiresAt };
  const made = await ask({ method: 'POST', path, headers: { authorization }, body });
  const { uuid } = made.json<{ data: { uuid: string } }>().data;
  const which = { method: 'DELETE', path: `${path}?tenantName=acme&uuid=${uuid}` };
  await askWithKey({ ...which, headers: { 'content-type': 'application/json' } });
  const change = { tenantName: 'acme', webhookUrl: 'https://receiver.example/hook' };
  await ask({ method: 'PUT', path: '/v1/tenant', headers: { authorization }, body: change });
  await askWithKey({ method: 'POST', path: '/v1/analysis', body: draft });

  const told = (await logOf(db, { chain: tenant.id })).slice(before);
  expect(told.map(([by, event]) => [by, event])).toEqual([
    [`user ${user.id}`, 'key.created'],
    [`api ${ownKey}`, 'key.revoked'],
    [`user ${user.id}`, 'tenant.changed'],
    [`api ${ownKey}`, 'analysis.created'],
  ]);
});
