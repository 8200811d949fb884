import { afterAll, describe, expect, test } from 'vitest';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { storageConfigs } from '../../../../src/ports/db/schema.ts';
import {
  createBucketCors,
  createStores,
  type OpenRemoteStore,
  createSharedStore,
} from '../../../../src/ports/storage/stores.ts';
import { createSealedConfigs, type SharedConfig } from '../../../../src/ports/storage/configs.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import type { BlobStore } from '../../../../src/ports/storage/store.ts';
import { temporaryDb } from '../db/temporary.ts';
import { startForwarder } from './forwarder.ts';
import { bucket, otherBucket, startS3Server } from '../../../fixtures/s3-server.ts';

const server = await startS3Server();
afterAll(() => server.close());
const outside = await startForwarder(server);
afterAll(() => outside.close());

const now = () => new Date();
const openRemote: OpenRemoteStore = (config) => {
  if (config.type !== 's3') throw new TypeError('only buckets here');
  return createS3Store(config.s3, { internal: config.shared?.internal ?? null });
};

/** The administrator's current file: clients use the outside address, the service the internal one. */
function bucketConfig() {
  const internal = { endpoint: '127.0.0.1', port: server.port, useSSL: false };
  const config = server.storageConfig(bucket, { port: outside.port });
  return { ...config, shared: { keyPrefix: '', internal } };
}

async function setUp() {
  const db = temporaryDb();
  const tenants = createTenants({ db, now });
  const acme = await tenants.create({ name: 'acme' });
  const other = await tenants.create({ name: 'other' });
  const configs = createSealedConfigs({ key: Buffer.alloc(32, 3), now });
  const embedded = openRemote(server.storageConfig(otherBucket));
  const embeddedFor = () => embedded;

  /** The stores of a process started with this configuration; null means the embedded store. */
  const start = (config: SharedConfig | null) => {
    const shared = config && createSharedStore({ db, configs, config, store: openRemote(config) });
    const cors = createBucketCors({ db, defaultOrigins: ['https://service.example'], now });
    return { shared, stores: createStores({ db, configs, cors, shared, embeddedFor, openRemote }) };
  };
  return { db, acme: acme.id, other: other.id, embedded, start };
}

const textOf = async (store: BlobStore) => Buffer.from(await store.read('key', 100)).toString();

describe('a bucket that all tenants share', () => {
  test('keeps each tenant under its own prefix, with one row per tenant', async () => {
    const { db, acme, other, start } = await setUp();
    const { stores } = start(bucketConfig());

    const mine = await stores.current(acme);
    const again = await stores.current(acme);
    const theirs = await stores.current(other);
    await mine.store.put('key', Buffer.from('mine'));

    expect(again.configId).toBe(mine.configId);
    expect(await theirs.store.head('key')).toBeNull();
    expect(theirs.store.presign('key', now()).objectKey).toBe(`${other}/key`);
    const rows = await db.select().from(storageConfigs).all();
    expect(rows.map(({ tenantId, place }) => [tenantId, place])).toEqual(
      [acme, other].map((id) => [id, `s3 http://127.0.0.1:${outside.port}/${bucket}/${id}/`]),
    );
  });

  test('is reached internally by the service and externally by clients', async () => {
    const { acme, start } = await setUp();
    const { stores } = start(bucketConfig());
    const { store } = await stores.current(acme);
    const before = outside.connections();

    await store.put('key', Buffer.from('picture'));
    const through = outside.connections() - before;
    const got = await fetch(store.presign('key', now()).getUrl);

    expect(await got.text()).toBe('picture');
    expect([through, outside.connections() - before]).toEqual([0, 1]);
  });
});

describe('replacing the store', () => {
  test('leaves its objects readable, in both directions', async () => {
    const { acme, embedded, start } = await setUp();
    await embedded.put('key', Buffer.from('first'));
    const second = await start(bucketConfig()).stores.current(acme);
    await second.store.put('key', Buffer.from('second'));

    const later = start(null);
    const place = { tenantId: acme, storageConfigId: second.configId };

    expect((await later.stores.current(acme)).configId).toBeNull();
    expect(await textOf(await later.stores.of(place))).toBe('second');
    const urls = (await later.stores.of(place)).presign('key', now());
    expect(urls.objectKey).toBe(`${acme}/key`);
    expect(await (await fetch(urls.getUrl)).text()).toBe('second');
    const back = start(bucketConfig());
    const old = await back.stores.of({ tenantId: acme, storageConfigId: null });
    expect(await textOf(old)).toBe('first');
    expect((await back.stores.current(acme)).configId).toBe(second.configId);
  });

  test('uses the last working credentials, even for inactive tenants', async () => {
    const { acme, start } = await setUp();
    const { store, configId } = await start(bucketConfig()).stores.current(acme);
    await store.put('key', Buffer.from('kept'));
    const place = { tenantId: acme, storageConfigId: configId };
    server.replaceKey(bucket);

    const stale = await start(null).stores.of(place);
    const renewed = start(bucketConfig());
    const present = await textOf(await renewed.stores.of(place));
    await renewed.shared?.prove();

    await expect(stale.head('key')).rejects.toMatchObject({ code: 'store_refused' });
    expect(present).toBe('kept');
    expect(await textOf(await start(null).stores.of(place))).toBe('kept');
  });

  test('does not use credentials that never worked', async () => {
    const { acme, start } = await setUp();
    const { store, configId } = await start(bucketConfig()).stores.current(acme);
    await store.put('key', Buffer.from('kept'));
    const config = bucketConfig();
    const wrong = { ...config, s3: { ...config.s3, secretAccessKey: 'wrong' } };

    const proof = start(wrong).shared?.prove();

    await expect(proof).rejects.toMatchObject({ code: 'store_refused' });
    const place = { tenantId: acme, storageConfigId: configId };
    expect(await textOf(await start(null).stores.of(place))).toBe('kept');
  });
});

test('proving unchanged credentials writes nothing', async () => {
  const { db, acme, start } = await setUp();
  const { stores, shared } = start(bucketConfig());
  await stores.current(acme);
  const before = await db.select().from(storageConfigs).all();

  await shared?.prove();

  expect(await db.select().from(storageConfigs).all()).toEqual(before);
});

test('while the shared store is in use, its file takes precedence over the rows', async () => {
  const { db, acme, start } = await setUp();
  const { configId, store } = await start(bucketConfig()).stores.current(acme);
  await store.put('key', Buffer.from('kept'));
  const sealed = Buffer.alloc(64, 1);
  await db.update(storageConfigs).set({ sealed }).run();

  const place = { tenantId: acme, storageConfigId: configId };

  expect(await textOf(await start(bucketConfig()).stores.of(place))).toBe('kept');
  const left = await start(null).stores.of(place);
  await expect(left.head('key')).rejects.toMatchObject({ code: 'store_unavailable' });
});
