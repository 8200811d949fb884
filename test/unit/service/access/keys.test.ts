import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newSecret, readTag } from '../../../../src/service/access/principal.ts';
import { createKeys } from '../../../../src/service/access/keys.ts';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { operator } from '../../../../src/service/audit/entry.ts';
import { apiKeys } from '../../../../src/ports/db/schema.ts';
import { hasPostgres, steppedClock, testDb } from '../../ports/db/temporary.ts';

const pepper = new Uint8Array(32).fill(7);
const dayMs = 24 * 60 * 60 * 1000;

async function setUp() {
  const db = await testDb();
  const clock = steppedClock();
  const tenants = createTenants({ db, now: clock.now });
  const keys = createKeys({ db, pepper, now: clock.now });
  const tenant = await tenants.create({ name: 'acme' });
  const expiresAt = new Date(clock.now().getTime() + dayMs);
  const minted = await keys.mint({ tenantId: tenant.id, name: 'ci', expiresAt, by: operator });
  return { db, clock, tenants, keys, tenant, minted, expiresAt };
}

function requestFor({ tenant, clock }: Awaited<ReturnType<typeof setUp>>, graceMs = dayMs / 2) {
  const expiresAt = new Date(clock.now().getTime() + 90 * dayMs);
  return { tenantId: tenant.id, expiresAt, graceMs, by: operator };
}

describe('mint', () => {
  test('reveals the key once and keeps neither the key nor its plain hash', async () => {
    const { db, keys, tenant, minted, clock, expiresAt } = await setUp();

    expect(minted).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
      name: 'ci',
      createdDate: clock.now().toISOString(),
      expiresAt: expiresAt.toISOString(),
      lastUsedDate: null,
      ended: null,
      secret: expect.stringMatching(new RegExp(`^sk-${tenant.keyTag}-[0-9A-Za-z]{38}$`)),
    });
    const [listed] = await keys.list(tenant.id);
    expect(listed).toEqual({
      ...minted,
      secret: `sk-${tenant.keyTag}-********${minted.secret.slice(-4)}`,
    });
    const stored = JSON.stringify(await db.select().from(apiKeys).all());
    expect(stored).not.toContain(minted.secret.slice(-38, -6));
  });

  test.each([
    ['an expiry in the past', 'ci', -1],
    ['an invalid expiry', 'ci', Number.NaN],
    ['an expiry of more than ten years', 'ci', 3650 * dayMs + 1],
    ['an empty name', '', dayMs],
    ['a name of 256 characters', 'x'.repeat(256), dayMs],
  ])('refuses %s', async (_, name, aheadMs) => {
    const { keys, tenant, clock } = await setUp();
    const expiresAt = new Date(clock.now().getTime() + aheadMs);

    await expect(
      keys.mint({ tenantId: tenant.id, name, expiresAt, by: operator }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

test('an Idempotency-Key refuses another request with it, and the same request once its key is deleted', async () => {
  const { keys, tenant, expiresAt } = await setUp();
  const request = {
    tenantId: tenant.id,
    name: 'once',
    expiresAt,
    by: operator,
    idempotencyKey: 'k',
  };
  const { uuid } = await keys.mint(request);

  const other = keys.mint({ ...request, name: 'other' });

  await expect(other).rejects.toMatchObject({ code: 'conflict' });
  await keys.revoke({ tenantId: tenant.id, uuid, by: operator });
  await expect(keys.mint(request)).rejects.toMatchObject({ code: 'conflict' });
});

const waysToName = [
  ['uuid', ({ uuid }: { uuid: string }) => ({ uuid })],
  ['name', () => ({ name: 'ci' })],
] as const;

describe('rotate', () => {
  test('the old key has ended when its grace is over', async () => {
    const setting = await setUp();
    const { keys, tenant, clock, minted } = setting;
    await keys.rotate({ ...requestFor(setting), which: { uuid: minted.uuid } });
    const ended = async () =>
      (await keys.list(tenant.id)).flatMap((key) => (key.ended === null ? [] : [key]));

    clock.step(dayMs / 2 - 1);
    expect(await ended()).toEqual([]);
    clock.step(1);

    expect(await ended()).toMatchObject([{ uuid: minted.uuid, ended: 'replaced' }]);
  });

  test.each(waysToName)(
    'by %s sent twice at once makes one key and refuses the other request',
    async (_, which) => {
      const setting = await setUp();
      const { keys, tenant, minted } = setting;
      const request = { ...requestFor(setting), which: which(minted) };

      const outcomes = await Promise.allSettled([keys.rotate(request), keys.rotate(request)]);

      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes).toContainEqual(
        expect.objectContaining({ reason: expect.objectContaining({ code: 'conflict' }) }),
      );
      expect(await keys.list(tenant.id)).toHaveLength(2);
    },
  );

  test.each(waysToName)(
    'by %s replaces a key again once its successor is revoked',
    async (_, which) => {
      const setting = await setUp();
      const { keys, tenant, minted } = setting;
      const request = { ...requestFor(setting), which: which(minted) };
      const { key } = await keys.rotate(request);
      await keys.revoke({ tenantId: tenant.id, uuid: key.uuid, by: operator });

      expect((await keys.rotate(request)).replaced.uuid).toBe(minted.uuid);
    },
  );

  test('by a name that several valid keys have is refused', async () => {
    const setting = await setUp();
    const { keys, tenant, expiresAt } = setting;
    await keys.mint({ tenantId: tenant.id, name: 'ci', expiresAt, by: operator });

    const rotated = keys.rotate({ ...requestFor(setting), which: { name: 'ci' } });

    await expect(rotated).rejects.toMatchObject({ code: 'conflict' });
  });

  test('changes nothing when the new key cannot be made', async () => {
    const setting = await setUp();
    const { keys, tenant, clock, minted } = setting;
    const expiresAt = clock.now();

    const rotated = keys.rotate({ ...requestFor(setting, 0), which: { name: 'ci' }, expiresAt });

    await expect(rotated).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await keys.list(tenant.id)).toMatchObject([{ expiresAt: minted.expiresAt }]);
  });
});

describe('the last use of a key', () => {
  test.skipIf(hasPostgres)(
    'is stored to the minute, and written once a minute after the request',
    async () => {
      const { db, keys, tenant, minted, clock } = await setUp();
      const lastUse = async () => {
        await setImmediate();
        return (await keys.list(tenant.id))[0]?.lastUsedDate;
      };
      clock.step(1000);

      await keys.authenticate(minted.secret);

      expect((await keys.list(tenant.id))[0]?.lastUsedDate).toBeNull();
      expect(await lastUse()).toBe('2026-03-01T12:00:00.000Z');
      const written = db.$client.prepare('SELECT total_changes() AS n').pluck().get();
      clock.step(58_999);
      await keys.authenticate(minted.secret);
      await lastUse();
      expect(db.$client.prepare('SELECT total_changes() AS n').pluck().get()).toBe(written);
      clock.step(1);
      await keys.authenticate(minted.secret);
      expect(await lastUse()).toBe('2026-03-01T12:01:00.000Z');
    },
  );

  test('is not recorded for a refused key', async () => {
    const { keys, tenant, minted, clock } = await setUp();
    clock.step(dayMs);

    await keys.authenticate(minted.secret).catch(() => undefined);
    await setImmediate();

    expect((await keys.list(tenant.id))[0]?.lastUsedDate).toBeNull();
  });

  test.skipIf(hasPostgres)('does not prevent authentication if it cannot be written', async () => {
    const { db, keys, minted } = await setUp();
    db.$client.pragma('query_only = ON');

    const { id } = await keys.authenticate(minted.secret);
    await setImmediate();

    expect(id).toBe(minted.uuid);
  });
});

describe('authenticate', () => {
  test('still accepts the key after its tenant is renamed', async () => {
    const { keys, tenants, tenant, minted } = await setUp();
    await tenants.update(tenant.id, { name: 'renamed' });

    const { id } = await keys.authenticate(minted.secret);

    expect(id).toBe(minted.uuid);
  });

  test('a deleted key is forbidden, expired or not, and deleted only once', async () => {
    const { keys, tenant, minted, clock } = await setUp();

    await keys.revoke({ tenantId: tenant.id, uuid: minted.uuid, by: operator });

    await expect(keys.authenticate(minted.secret)).rejects.toMatchObject({
      code: 'forbidden',
    });
    clock.step(2 * dayMs);
    await expect(keys.authenticate(minted.secret)).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await keys.list(tenant.id)).toEqual([]);
    await expect(
      keys.revoke({ tenantId: tenant.id, uuid: minted.uuid, by: operator }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a key is refused under another pepper', async () => {
    const { db, clock, minted } = await setUp();
    const others = createKeys({ db, pepper: new Uint8Array(32).fill(8), now: clock.now });

    await expect(others.authenticate(minted.secret)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});

test('the check suffix of a key detects every mistyped character and every swap of two neighbours', () => {
  const key = newSecret('tag12345');
  const start = 'sk-tag12345-'.length;

  expect(readTag(key)).toBe('tag12345');
  for (let i = start; i < key.length; i++) {
    const wrong = key[i] === '0' ? '1' : '0';
    expect(readTag(key.slice(0, i) + wrong + key.slice(i + 1))).toBeNull();
  }
  for (let i = start; i < key.length - 1; i++) {
    if (key[i] === key[i + 1]) continue;
    const swapped = key.slice(0, i) + key[i + 1]! + key[i]! + key.slice(i + 2);
    expect(readTag(swapped)).toBeNull();
  }
});
