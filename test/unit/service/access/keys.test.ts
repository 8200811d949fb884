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

type Change<Act extends 'mint' | 'rotate'> = Partial<
  Parameters<ReturnType<typeof createKeys>[Act]>[0]
>;

/** A tenant with a key "ci" that is valid for a day, and what its operator does with keys. */
async function setUp() {
  const db = await testDb();
  const clock = steppedClock();
  const tenants = createTenants({ db, now: clock.now });
  const keys = createKeys({ db, pepper, now: clock.now });
  const tenant = await tenants.create({ name: 'acme' });
  const ahead = (ms: number) => new Date(clock.now().getTime() + ms);
  const own = { tenantId: tenant.id, by: operator };
  const mint = async (name: string, change: Change<'mint'> = {}) =>
    keys.mint({ ...own, name, expiresAt: ahead(dayMs), ...change });
  return {
    db,
    clock,
    tenants,
    tenant,
    ahead,
    mint,
    rotate: async (which: { uuid: string } | { name: string }, change: Change<'rotate'> = {}) =>
      keys.rotate({ ...own, which, expiresAt: ahead(90 * dayMs), graceMs: dayMs / 2, ...change }),
    revoke: async (uuid: string) => keys.revoke({ ...own, uuid }),
    list: async () => keys.list(tenant.id),
    minted: await mint('ci'),
    authenticate: async (secret: string) => keys.authenticate(secret),
  };
}

const conflict = { code: 'conflict' };

describe('mint', () => {
  test('reveals the key once and keeps neither the key nor its plain hash', async () => {
    const { db, list, tenant, minted, clock, ahead } = await setUp();

    expect(minted).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
      name: 'ci',
      createdDate: clock.now().toISOString(),
      expiresAt: ahead(dayMs).toISOString(),
      lastUsedDate: null,
      ended: null,
      secret: expect.stringMatching(new RegExp(`^sk-${tenant.keyTag}-[0-9A-Za-z]{38}$`)),
    });
    const secret = `sk-${tenant.keyTag}-********${minted.secret.slice(-4)}`;
    expect(await list()).toEqual([{ ...minted, secret }]);
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
    const { mint, ahead } = await setUp();

    const minted = mint(name, { expiresAt: ahead(aheadMs) });

    await expect(minted).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

test('an Idempotency-Key refuses another request with it, and the same request once its key is deleted', async () => {
  const { mint, revoke } = await setUp();
  const keyed = { idempotencyKey: 'k' };
  const { uuid } = await mint('once', keyed);

  await expect(mint('other', keyed)).rejects.toMatchObject(conflict);
  await revoke(uuid);
  await expect(mint('once', keyed)).rejects.toMatchObject(conflict);
});

const waysToName = [
  ['uuid', ({ uuid }: { uuid: string }) => ({ uuid })],
  ['name', () => ({ name: 'ci' })],
] as const;

describe('rotate', () => {
  test('the old key has ended when its grace is over', async () => {
    const { rotate, list, clock, minted } = await setUp();
    await rotate({ uuid: minted.uuid });
    const ended = async () => (await list()).filter((key) => key.ended !== null);

    clock.step(dayMs / 2 - 1);
    expect(await ended()).toEqual([]);
    clock.step(1);

    expect(await ended()).toMatchObject([{ uuid: minted.uuid, ended: 'replaced' }]);
  });

  test.each(waysToName)('by %s sent twice at once makes one key', async (_, which) => {
    const { rotate, list, minted } = await setUp();

    const both = [rotate(which(minted)), rotate(which(minted))];
    const outcomes = await Promise.allSettled(both);

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining(conflict) }),
    );
    expect(await list()).toHaveLength(2);
  });

  test.each(waysToName)('by %s replaces a key again once its successor ends', async (_, which) => {
    const { rotate, revoke, minted } = await setUp();
    const { key } = await rotate(which(minted));
    await revoke(key.uuid);

    expect((await rotate(which(minted))).replaced.uuid).toBe(minted.uuid);
  });

  test('by a name that several valid keys have is refused', async () => {
    const { mint, rotate } = await setUp();
    await mint('ci');

    await expect(rotate({ name: 'ci' })).rejects.toMatchObject(conflict);
  });

  test('changes nothing when the new key cannot be made', async () => {
    const { rotate, list, ahead, minted } = await setUp();

    const rotated = rotate({ name: 'ci' }, { graceMs: 0, expiresAt: ahead(0) });

    await expect(rotated).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await list()).toMatchObject([{ expiresAt: minted.expiresAt }]);
  });
});

describe('the last use of a key', () => {
  test.skipIf(hasPostgres)(
    'is stored to the minute, and written once a minute after the request',
    async () => {
      const { db, list, authenticate, minted, clock } = await setUp();
      const lastUse = async () => {
        await setImmediate();
        return (await list())[0]?.lastUsedDate;
      };
      const changes = () => db.$client.prepare('SELECT total_changes() AS n').pluck().get();
      clock.step(1000);

      await authenticate(minted.secret);

      expect((await list())[0]?.lastUsedDate).toBeNull();
      expect(await lastUse()).toBe('2026-03-01T12:00:00.000Z');
      const written = changes();
      clock.step(58_999);
      await authenticate(minted.secret);
      await lastUse();
      expect(changes()).toBe(written);
      clock.step(1);
      await authenticate(minted.secret);
      expect(await lastUse()).toBe('2026-03-01T12:01:00.000Z');
    },
  );

  test('is not recorded for a refused key', async () => {
    const { authenticate, list, minted, clock } = await setUp();
    clock.step(dayMs);

    await authenticate(minted.secret).catch(() => undefined);
    await setImmediate();

    expect((await list())[0]?.lastUsedDate).toBeNull();
  });

  test.skipIf(hasPostgres)('does not prevent authentication if it cannot be written', async () => {
    const { db, authenticate, minted } = await setUp();
    db.$client.pragma('query_only = ON');

    const { id } = await authenticate(minted.secret);
    await setImmediate();

    expect(id).toBe(minted.uuid);
  });
});

describe('authenticate', () => {
  test('still accepts the key after its tenant is renamed', async () => {
    const { authenticate, tenants, tenant, minted } = await setUp();
    await tenants.update(tenant.id, { name: 'renamed' });

    const { id } = await authenticate(minted.secret);

    expect(id).toBe(minted.uuid);
  });

  test('a deleted key is forbidden, expired or not, and deleted only once', async () => {
    const { authenticate, revoke, list, minted, clock } = await setUp();

    await revoke(minted.uuid);

    await expect(authenticate(minted.secret)).rejects.toMatchObject({ code: 'forbidden' });
    clock.step(2 * dayMs);
    await expect(authenticate(minted.secret)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await list()).toEqual([]);
    await expect(revoke(minted.uuid)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a key is refused under another pepper', async () => {
    const { db, clock, minted } = await setUp();
    const others = createKeys({ db, pepper: new Uint8Array(32).fill(8), now: clock.now });

    const entering = others.authenticate(minted.secret);

    await expect(entering).rejects.toMatchObject({ code: 'unauthenticated' });
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
