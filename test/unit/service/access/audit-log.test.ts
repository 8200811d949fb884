import { describe, expect, test } from 'vitest';
import { createKeys } from '../../../../src/service/access/keys.ts';
import { operator, service } from '../../../../src/service/audit/entry.ts';
import { auditEntries, tenants as tenantRows } from '../../../../src/ports/db/schema.ts';
import { logOf } from '../audit/log-of.ts';
import { openPeople, password } from './people.ts';

const person = { type: 'user', id: 'u1' } as const;
const dayMs = 86_400_000;

async function setUp() {
  const people = await openPeople();
  const { db, clock, tenants } = people;
  const tenant = await tenants.create({ name: 'acme' });
  return {
    ...people,
    tenant,
    keys: createKeys({ db, pepper: new Uint8Array(32).fill(7), now: clock.now }),
    inDays: (days: number) => new Date(clock.now().getTime() + days * dayMs),
    log: (chain = tenant.id) => logOf(db, { chain }),
    serviceLog: (subject: string) => logOf(db, { chain: 'service', subject }),
  };
}

describe('a tenant', () => {
  test('has a log that begins with its creation and its creator', async () => {
    const { tenants, log } = await setUp();

    const trial = await tenants.create({ name: 'trial', isTrial: true, by: service });

    expect(await log()).toEqual([['operator', 'tenant.created', { isTrial: false }]]);
    expect(await log(trial.id)).toEqual([['service', 'tenant.created', { isTrial: true }]]);
  });

  test('that is refused is not logged', async () => {
    const { tenants, tenant, db } = await setUp();

    await expect(tenants.create({ name: 'acme' })).rejects.toThrow();
    await expect(tenants.update(tenant.id, { webhookUrl: 'no URL' })).rejects.toThrow();
    await expect(tenants.update('nobody', { name: 'other' })).rejects.toThrow();

    expect(await db.select().from(auditEntries).all()).toHaveLength(1);
  });

  test.each([
    [{ name: 'renamed' }, ['name']],
    [{ isTrial: true, webhookUrl: 'https://a.example/hook' }, ['isTrial', 'webhookUrl']],
    [{ name: 'acme', isTrial: false, webhookUrl: null }, []],
    [{}, []],
  ])('changed by %j logs the changed fields %j', async (change, fields) => {
    const { tenants, tenant, log } = await setUp();

    await tenants.update(tenant.id, change);

    const expected = fields.length === 0 ? [] : [['operator', 'tenant.changed', { fields }]];
    expect((await log()).slice(1)).toEqual(expected);
  });

  test('with a disabled webhook is changed by setting the same URL', async () => {
    const { db, tenants, tenant, log, clock } = await setUp();
    const webhookUrl = 'https://a.example/hook';
    await tenants.update(tenant.id, { webhookUrl });
    await db.update(tenantRows).set({ webhookDisabledAt: clock.now() }).run();

    await tenants.update(tenant.id, { webhookUrl });

    expect((await log()).slice(2)).toEqual([
      ['operator', 'tenant.changed', { fields: ['webhookUrl'] }],
    ]);
  });
});

describe('a key', () => {
  test('logs its creation, rotation and revocation, with actors and expiry', async () => {
    const { keys, tenant, inDays, log } = await setUp();
    const tenantId = tenant.id;
    const [soon, late] = [inDays(1), inDays(90)];
    const which = { name: 'ci' };

    const first = await keys.mint({ tenantId, name: 'ci', expiresAt: soon, by: person });
    const request = { tenantId, which, expiresAt: late, graceMs: dayMs / 2, by: operator };
    const { key: second } = await keys.rotate(request);
    const { key: third } = await keys.rotate(request);
    await keys.revoke({ tenantId, uuid: third.uuid.toUpperCase(), by: person });

    const end = inDays(0.5).toISOString();
    const [until, untilLate] = [soon.toISOString(), late.toISOString()];
    expect((await log()).slice(1)).toEqual([
      ['user u1', 'key.created', { expiresAt: until }],
      ['operator', 'key.created', { expiresAt: untilLate }],
      ['operator', 'key.rotated', { replacedBy: second.uuid, expiresAt: end }],
      ['operator', 'key.created', { expiresAt: untilLate }],
      ['operator', 'key.rotated', { replacedBy: third.uuid, expiresAt: end }],
      ['operator', 'key.rotated', { replacedBy: third.uuid, expiresAt: end }],
      ['user u1', 'key.revoked', {}],
    ]);
    expect(new Set([first, second, third].map(({ uuid }) => uuid)).size).toBe(3);
  });

  test('that is requested twice, refused or already revoked logs nothing more', async () => {
    const { keys, tenant, inDays, log } = await setUp();
    const { id: tenantId } = tenant;
    const request = { tenantId, name: 'ci', expiresAt: inDays(1), by: person, idempotencyKey: 'k' };
    const { uuid } = await keys.mint(request);
    await keys.mint(request);

    await expect(keys.mint({ ...request, expiresAt: inDays(-1) })).rejects.toThrow();
    await keys.revoke({ tenantId, uuid, by: person });
    await expect(keys.revoke({ tenantId, uuid, by: person })).rejects.toThrow();

    expect((await log()).map(([, event]) => event)).toEqual([
      'tenant.created',
      'key.created',
      'key.revoked',
    ]);
  });
});

describe('a person', () => {
  test('is logged by the service, and by each tenant while a member of it', async () => {
    const { users, makeUser, tenants, tenant, serviceLog, log } = await setUp();
    const other = await tenants.create({ name: 'other' });

    const { id } = await makeUser('ada@example.com', {
      name: 'Ada',
      scopes: ['settings'],
      tenantIds: [tenant.id],
    });
    await users.update(id, { name: 'Ada King', tenantIds: [other.id] });
    await users.update(id, { userType: 'examiner', scopes: [], name: 'Ada King' });
    await users.update(id, { name: 'Ada King' });
    await users.disable(id);
    await users.enable(id);
    await users.setPassword(id, `another ${password}`);

    const rights = { userType: 'user', scopes: ['settings'] };
    const later = { userType: 'examiner', scopes: [] };
    expect(await serviceLog(id)).toEqual([
      ['operator', 'user.created', { identity: 'embedded', ...rights }],
      ['operator', 'user.changed', { fields: ['name'], ...rights }],
      ['operator', 'user.changed', { fields: ['userType', 'scopes'], ...later }],
      ['operator', 'user.disabled', {}],
      ['operator', 'user.enabled', {}],
      ['operator', 'user.password_changed', {}],
    ]);
    const memberships = async (chain: string) => (await log(chain)).slice(1);
    expect(await memberships(tenant.id)).toEqual([
      ['operator', 'tenant.member_added', {}],
      ['operator', 'user.changed', { fields: ['name'], ...rights }],
      ['operator', 'tenant.member_removed', {}],
    ]);
    expect(await memberships(other.id)).toEqual([
      ['operator', 'tenant.member_added', {}],
      ['operator', 'user.changed', { fields: ['userType', 'scopes'], ...later }],
      ['operator', 'user.disabled', {}],
      ['operator', 'user.enabled', {}],
      ['operator', 'user.password_changed', {}],
    ]);
  });

  test('logs in and out without an entry', async () => {
    const { makeUser, logIn, identity, serviceLog } = await setUp();
    const { id } = await makeUser('ada@example.com');

    const { idToken, refreshToken } = await logIn('ada@example.com');
    await expect(logIn('ada@example.com', 'wrong')).rejects.toThrow();
    await identity.revoke({ idToken, refreshToken });

    expect(await serviceLog(id)).toHaveLength(1);
  });

  test('is logged by id, without names, addresses or secrets', async () => {
    const { db, makeUser, users, keys, tenant, tenants, inDays } = await setUp();
    const { id } = await makeUser('ada@example.com', { name: 'Ada King' });
    await users.update(id, { name: 'Augusta' });
    const { secret } = await keys.mint({
      tenantId: tenant.id,
      name: 'nightly',
      expiresAt: inDays(1),
      by: person,
    });
    await tenants.update(tenant.id, { webhookUrl: 'https://receiver.example/hook' });

    const text = JSON.stringify(await db.select().from(auditEntries).all());

    const personal = ['ada@', 'Ada', 'Augusta', password, 'nightly', 'acme', 'receiver', secret];
    for (const word of personal) expect(text).not.toContain(word);
  });
});
