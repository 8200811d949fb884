import { expect, test } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { steppedClock, temporaryDb } from '../../ports/db/temporary.ts';

function setUp() {
  const clock = steppedClock();
  return createTenants({ db: temporaryDb(), now: clock.now });
}

test('create makes a tenant that is found by name and by id', async () => {
  const tenants = setUp();

  const acme = await tenants.create({ name: 'acme' });

  expect(acme).toMatchObject({ name: 'acme', isTrial: false, webhookUrl: null });
  expect(acme.id).toMatch(/^[0-9a-f]{24}$/);
  expect(acme.keyTag).toMatch(/^[a-z0-9]{8}$/);
  expect(await tenants.byName('acme')).toEqual(acme);
  expect(await tenants.byId(acme.id)).toEqual(acme);
  expect(await tenants.byName('nobody')).toBeNull();
});

const conflict = { code: 'conflict' };
const likeAnId = '65f000000000000000000002';

test.each(['', 'Acme', 'a b', '-a', 'a-', 'ä', 'a/b', 'a'.repeat(64), 'a\n', likeAnId])(
  'create refuses the name %j',
  async (name) => {
    await expect(setUp().create({ name })).rejects.toMatchObject({ code: 'invalid_request' });
  },
);

test('a name is unique, even when renaming', async () => {
  const tenants = setUp();
  const acme = await tenants.create({ name: 'acme' });
  const other = await tenants.create({ name: 'other' });

  await expect(tenants.create({ name: 'acme' })).rejects.toMatchObject(conflict);
  await expect(tenants.update(other.id, { name: 'acme' })).rejects.toMatchObject(conflict);
  expect(await tenants.update(acme.id, { name: 'acme' })).toMatchObject({ name: 'acme' });
});

test('a former name stays reserved for its tenant', async () => {
  const tenants = setUp();
  const acme = await tenants.create({ name: 'acme' });
  const other = await tenants.create({ name: 'other' });

  await tenants.update(acme.id, { name: 'acme-2' });

  await expect(tenants.create({ name: 'acme' })).rejects.toMatchObject(conflict);
  await expect(tenants.update(other.id, { name: 'acme' })).rejects.toMatchObject(conflict);
  expect(await tenants.byName('acme')).toBeNull();
  expect(await tenants.update(acme.id, { name: 'acme' })).toMatchObject({ name: 'acme' });
  await expect(tenants.create({ name: 'acme-2' })).rejects.toMatchObject(conflict);
});

test('update changes only what it is given', async () => {
  const tenants = setUp();
  const acme = await tenants.create({ name: 'acme' });
  await tenants.update(acme.id, { webhookUrl: 'https://example.org/hook/secret' });

  const renamed = await tenants.update(acme.id, { name: 'acme-2' });
  const withoutWebhook = await tenants.update(acme.id, { webhookUrl: null });

  expect(renamed.webhookUrl).toBe('https://example.org/hook/secret');
  expect(withoutWebhook).toMatchObject({ name: 'acme-2', webhookUrl: null });
  const missing = tenants.update('f'.repeat(24), { name: 'x' });
  await expect(missing).rejects.toMatchObject({ code: 'tenant_not_found' });
});

test.each(['ftp://example.org', 'example.org', 'https://a:b@example.org/', 'javascript:alert(1)'])(
  'update refuses the webhook %j',
  async (webhookUrl) => {
    const tenants = setUp();
    const acme = await tenants.create({ name: 'acme' });

    const update = tenants.update(acme.id, { webhookUrl });
    await expect(update).rejects.toMatchObject({ code: 'invalid_request' });
  },
);
