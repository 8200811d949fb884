/**
 * What every service of the command line promises, on a data folder or a server. A suite, not a
 * test file: each implementation's test file calls it.
 */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Core } from '../../src/service/core.ts';
import { operator } from '../../src/service/audit/entry.ts';
import type { KeyActs } from '../../src/cli/connection/local.ts';

export interface ServiceUnderTest {
  readonly service: KeyActs;
  /** The underlying data folder. */
  readonly core: Core;
  readonly close: () => Promise<void>;
}

export const tenant = 'acme';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const inMs = (ms: number) => new Date(Date.now() + ms);

export function describeService(name: string, open: () => Promise<ServiceUnderTest>): void {
  describe(name, () => {
    let opened: ServiceUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    describeKeys(() => opened);
    describeRotation(() => opened);
  });
}

async function create({ service }: ServiceUnderTest, name: string, lifeMs = dayMs) {
  return service.create({ tenant, name, expiresAt: inMs(lifeMs) });
}

function describeKeys(opened: () => ServiceUnderTest): void {
  test('a key shows its secret once, can be used, and is listed masked', async () => {
    const { service } = opened();

    const { secret, ...key } = await create(opened(), 'listed');
    await service.list(tenant, secret);

    const [listed] = await service.list(tenant);
    const masked = expect.stringMatching(/^sk-[a-z0-9]+-\*{8}\w{4}$/);
    expect(listed).toMatchObject({ ...key, lastUsedDate: listed?.lastUsedDate, secret: masked });
    expect(key).toMatchObject({ name: 'listed', ended: null, lastUsedDate: null });
    expect(secret).toMatch(/^sk-[a-z0-9]+-\w{38}$/);
  });

  test('a revoked key stops working and cannot be revoked again', async () => {
    const { service } = opened();
    const { uuid, secret } = await create(opened(), 'revoked');

    await service.revoke({ tenant, uuid });

    const proof = service.list(tenant, secret);
    await expect(proof).rejects.toMatchObject({ code: 'forbidden' });
    const again = service.revoke({ tenant, uuid });
    await expect(again).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a key of another tenant is refused', async () => {
    const { service, core } = opened();
    const { id: tenantId } = await core.tenants.create({ name: 'other' });
    const wish = { tenantId, name: 'ci', expiresAt: inMs(dayMs), by: operator };
    const { secret } = await core.keys.mint(wish);

    const proof = service.list(tenant, secret);

    await expect(proof).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('a key may revoke another', async () => {
    const { service } = opened();
    const by = await create(opened(), 'judge');
    const { uuid } = await create(opened(), 'judged');

    await service.revoke({ tenant, uuid, bySecret: by.secret });

    expect((await service.list(tenant)).map((key) => key.uuid)).not.toContain(uuid);
  });

  test('an expiry in the past is refused', async () => {
    const made = create(opened(), 'never', -1);

    await expect(made).rejects.toMatchObject({ code: 'invalid_request' });
  });
}

function describeRotation(opened: () => ServiceUnderTest): void {
  test('both keys work during the grace period; keys from earlier rotations end no later', async () => {
    const { service } = opened();
    const first = await create(opened(), 'rotated', 10 * dayMs);
    const wish = { tenant, which: { name: 'rotated' }, expiresAt: inMs(90 * dayMs) };
    const second = await service.rotate({ ...wish, graceMs: 2 * hourMs });

    const third = await service.rotate({ ...wish, graceMs: hourMs });

    expect(second).toMatchObject({ replaced: { uuid: first.uuid, ended: null }, earlier: [] });
    expect(third.replaced.uuid).toBe(second.key.uuid);
    expect(third.earlier).toMatchObject([{ uuid: first.uuid }]);
    const end = Date.parse(third.key.createdDate) + hourMs;
    const ends = [third.replaced, ...third.earlier].map(({ expiresAt }) => Date.parse(expiresAt));
    expect(ends).toEqual([end, end]);
    for (const { secret } of [first, second.key, third.key]) {
      // oxlint-disable-next-line no-await-in-loop -- each has its own failure
      await service.list(tenant, secret);
    }
  });

  test('without a grace period the old key stops working at once', async () => {
    const { service } = opened();
    const { uuid, secret } = await create(opened(), 'at once');
    const wish = { tenant, which: { uuid }, expiresAt: inMs(dayMs) };

    const { replaced } = await service.rotate({ ...wish, graceMs: 0 });

    expect(replaced.ended).toBe('replaced');
    const proof = service.list(tenant, secret);
    await expect(proof).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('an ambiguous or unknown key is refused', async () => {
    const { service } = opened();
    for (const name of ['twice', 'twice']) await create(opened(), name);
    const wish = { tenant, expiresAt: inMs(dayMs), graceMs: 0 };

    const ambiguous = service.rotate({ ...wish, which: { name: 'twice' } });
    const unnamed = service.rotate({ ...wish, which: { name: 'nobody' } });
    const unknown = service.rotate({ ...wish, which: { uuid: randomUUID() } });

    await expect(ambiguous).rejects.toMatchObject({ code: 'conflict' });
    await expect(unnamed).rejects.toMatchObject({ code: 'not_found' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });
}
