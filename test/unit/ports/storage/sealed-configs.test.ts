import { expect, test } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { storageConfigs } from '../../../../src/ports/db/schema.ts';
import {
  type ConfigRow,
  createSealedConfigs,
  type StorageConfig,
} from '../../../../src/ports/storage/configs.ts';
import { steppedClock, temporaryDb } from '../db/temporary.ts';
import { s3ConfigAt } from './s3-config.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const key = Buffer.alloc(32, 3);
const s3 = { ...s3ConfigAt('https://minio.example'), secretAccessKey: 'a secret with ümlauts' };
const config: StorageConfig = { type: 's3', s3 };

async function setUp() {
  const clock = steppedClock();
  const db = temporaryDb();
  const tenants = createTenants({ db, now: clock.now });
  const acme = await tenants.create({ name: 'acme' });
  const other = await tenants.create({ name: 'other' });
  const configs = createSealedConfigs({ key, now: clock.now });
  const save = (tenantId: string, what: StorageConfig = config) =>
    transact(db, (tx) => configs.save(tx, tenantId, what));
  const rowOf = async (tenantId: string, id: string): Promise<ConfigRow> =>
    (await configs.find(db, { tenantId, id }))!;
  return { clock, db, acme, other, configs, save, rowOf };
}

test('a saved configuration can be opened, and its row reveals nothing', async () => {
  const { acme, configs, save, rowOf } = await setUp();

  const row = await rowOf(acme.id, await save(acme.id));

  expect(configs.open(row)).toEqual(config);
  expect(row).toMatchObject({ tenantId: acme.id, type: 's3', corsApplied: null });
  expect(row.place).toContain('minio.example');
  const shown = JSON.stringify({ ...row, sealed: row.sealed.toString('latin1') });
  expect(shown).not.toMatch(/secret|AKIA/);
});

test.each([0, 1, 12, 13, 60, -17, -1])(
  'a sealed form with byte %i altered does not open',
  async (at) => {
    const { acme, configs, save, rowOf } = await setUp();
    const row = await rowOf(acme.id, await save(acme.id));
    const sealed = Buffer.from(row.sealed);
    const index = at < 0 ? sealed.length + at : at;
    sealed[index] = sealed[index]! ^ 1;

    expect(() => configs.open({ ...row, sealed })).toThrow(refusal('store_unavailable'));
  },
);

test('a truncated sealed form never opens', async () => {
  const { acme, configs, save, rowOf } = await setUp();
  const row = await rowOf(acme.id, await save(acme.id));

  for (let length = 0; length < row.sealed.length; length++) {
    const sealed = row.sealed.subarray(0, length);
    expect(() => configs.open({ ...row, sealed })).toThrow(refusal('store_unavailable'));
  }
});

test('a row that was copied to another tenant or another id does not open', async () => {
  const { acme, other, configs, save, rowOf } = await setUp();
  const row = await rowOf(acme.id, await save(acme.id));

  for (const moved of [{ tenantId: other.id }, { id: 'f'.repeat(24) }]) {
    expect(() => configs.open({ ...row, ...moved })).toThrow(refusal('store_unavailable'));
  }
});

test('another master key does not open it, and the error says to restore the earlier one', async () => {
  const { acme, clock, save, rowOf } = await setUp();
  const row = await rowOf(acme.id, await save(acme.id));
  const stranger = createSealedConfigs({ key: Buffer.alloc(32, 4), now: clock.now });

  expect(() => stranger.open(row)).toThrow(/Restore the earlier key/);
});

test('new credentials for a place keep its row, and another place gets its own', async () => {
  const { db, acme, clock, configs, save, rowOf } = await setUp();
  const first = await save(acme.id);
  const before = await rowOf(acme.id, first);
  clock.step(1000);

  const renewed = await save(acme.id, { ...config, s3: { ...s3, secretAccessKey: 'new' } });
  const moved = await save(acme.id, { ...config, s3: { ...s3, bucketName: 'other-bucket' } });

  expect(renewed).toBe(first);
  expect(moved).not.toBe(first);
  const after = await rowOf(acme.id, first);
  expect(configs.open(after)).toMatchObject({ s3: { secretAccessKey: 'new' } });
  expect(after.createdAt).toEqual(before.createdAt);
  expect(after.updatedAt.getTime() - before.updatedAt.getTime()).toBe(1000);
  expect(await db.select().from(storageConfigs).all()).toHaveLength(2);
});

test('two tenants in one place have a row each and find only their own', async () => {
  const { db, acme, other, configs, save } = await setUp();

  const [mine, theirs] = [await save(acme.id), await save(other.id)];

  expect(mine).not.toBe(theirs);
  expect(await configs.find(db, { tenantId: acme.id, id: theirs })).toBeNull();
});

test('the same configuration is never sealed to the same bytes', async () => {
  const { acme, save, rowOf } = await setUp();
  const first = (await rowOf(acme.id, await save(acme.id))).sealed;

  const second = (await rowOf(acme.id, await save(acme.id))).sealed;

  expect(second.equals(first)).toBe(false);
});
