import { eq } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { analyses as rows, storageConfigs } from '../../../../src/ports/db/schema.ts';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import type { StorageConfig } from '../../../../src/ports/storage/configs.ts';
import type { OpenRemoteStore } from '../../../../src/ports/storage/stores.ts';
import { bucket, otherBucket, startS3Server } from '../../../fixtures/s3-server.ts';
import { createRequest, openWorkshop, picture, storageUrlsOf } from './workshop.ts';

const server = await startS3Server();
afterAll(() => server.close());

const openRemote: OpenRemoteStore = (config) => {
  if (config.type !== 's3') throw new TypeError('only buckets here');
  return createS3Store(config.s3);
};

async function openWithStores(open = openRemote) {
  const workshop = await openWorkshop({ openRemote: open });
  const { db, stores, caller, analyses } = workshop;
  const tenantId = caller.tenant.id;

  /** Uploads to the store in which the analysis was created. */
  const upload = async (id: string): Promise<void> => {
    const { input } = await analyses.get(caller, id);
    const { storageConfigId } = (await db.select().from(rows).where(eq(rows.id, id)).get())!;
    const store = await stores.of({ tenantId, storageConfigId });
    await store.put(input.storageUrls.objectKey, picture);
  };

  const chooseStore = async (config: StorageConfig | null) => workshop.chooseStore(caller, config);
  return { ...workshop, chooseStore, upload };
}

test('an analysis stays in the store in which it was created, whatever the tenant chooses later', async () => {
  const workshop = await openWithStores();
  const { analyses, caller, worker, chooseStore } = workshop;
  const places = [server.storageConfig(bucket), server.storageConfig(otherBucket), null];
  const ids: string[] = [];
  for (const place of places) {
    await chooseStore(place);
    ids.push((await workshop.create()).id);
  }

  for (const id of ids) {
    await workshop.upload(id);
    await analyses.start(caller, id);
  }
  await worker.drain();
  for (const id of ids)
    await analyses.retry(caller, { id, options: { tier: 'forensicReporting' } });

  const listed = (await analyses.list(caller, {})).analyses;
  const starts = [
    `http://127.0.0.1:${server.port}/${bucket}/`,
    `http://127.0.0.1:${server.port}/${otherBucket}/`,
    'https://forensics.test:8443/b-',
  ];
  for (const [index, id] of ids.entries()) {
    const urls = storageUrlsOf(listed.find((analysis) => analysis.id === id)!);
    for (const { getUrl } of urls) expect(getUrl.startsWith(starts[index]!)).toBe(true);
  }
  expect(workshop.errors).toEqual([]);
});

test('new credentials for the same bucket work for old analyses, in every process', async () => {
  const workshop = await openWithStores();
  const { analyses, caller, chooseStore, status } = workshop;
  const second = await workshop.openProcess('two');
  await chooseStore(server.storageConfig(bucket));
  const waiting = (await workshop.create()).id;
  await workshop.upload(waiting);
  const started = (await workshop.create()).id;
  await workshop.upload(started);
  await second.analyses.start(caller, started);

  server.replaceKey(bucket);
  const refused = await analyses.start(caller, waiting).catch((error: unknown) => error);
  await chooseStore(server.storageConfig(bucket));
  await analyses.start(caller, waiting);
  await second.worker.drain();

  expect(refused).toMatchObject({ code: 'store_refused' });
  expect(await status(waiting)).toMatchObject({ status: 'completed' });
  expect(await status(started)).toMatchObject({ status: 'completed', retryCount: 0 });
});

test('a configuration that cannot be opened breaks no list, and nothing new is stored there', async () => {
  const workshop = await openWithStores();
  const { db, analyses, caller, chooseStore } = workshop;
  const readable = (await workshop.create()).id;
  await chooseStore(server.storageConfig(bucket));
  const closed = (await workshop.create()).id;
  await db
    .update(storageConfigs)
    .set({ sealed: Buffer.alloc(64, 1) })
    .run();

  const listed = (await analyses.list(caller, {})).analyses;
  const acts = [
    () => analyses.start(caller, closed),
    () => analyses.create(caller, createRequest()),
  ];

  const urlsOf = (id: string) => listed.find((analysis) => analysis.id === id)!.input.storageUrls;
  expect(urlsOf(readable).getUrl).toContain('https://forensics.test');
  expect(urlsOf(closed)).toMatchObject({ type: 's3', putUrl: '', getUrl: '', deleteUrl: '' });
  for (const act of acts) await expect(act()).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await analyses.get(caller, closed)).toMatchObject({ id: closed });
});

test('a tenant finds no analysis and signs no URL in the store of another', async () => {
  const workshop = await openWithStores();
  const { analyses, stores, chooseStore, openTenant, caller, db } = workshop;
  await chooseStore(server.storageConfig(bucket));
  const { id } = await workshop.create();
  const other = await openTenant('other');
  const [row] = await db.select().from(storageConfigs).all();

  await expect(analyses.get(other, id)).rejects.toMatchObject({ code: 'analysis_not_found' });
  await expect(() =>
    stores.of({ tenantId: other.tenant.id, storageConfigId: row!.id }),
  ).rejects.toThrow();
  expect((await stores.current(caller.tenant.id)).configId).toBe(row!.id);
  expect((await stores.current(other.tenant.id)).configId).toBeNull();
});
