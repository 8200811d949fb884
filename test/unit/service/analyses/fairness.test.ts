/** A tenant whose store never answers, and one whose store does. */

import { expect, test } from 'vitest';
import { type Caller, createSemaphore } from '../../../../src/service/analyses/context.ts';
import type { StorageConfig } from '../../../../src/ports/storage/configs.ts';
import type { RemoteStore } from '../../../../src/ports/storage/store.ts';
import { s3ConfigAt } from '../../ports/storage/s3-config.ts';
import { createRequest, openWorkshop, picture } from './workshop.ts';

const config: StorageConfig = { type: 's3', s3: s3ConfigAt('https://store.example') };

/** Answers until it is told to hang. */
function createHangingStore() {
  let isHanging = false;
  const answer = async <T>(value: T): Promise<T> =>
    isHanging ? new Promise<never>(() => undefined) : value;
  const info = { sizeBytes: picture.length, etag: 'e', contentType: '' };
  const urls = { putUrl: '', getUrl: '', deleteUrl: '', expiresAt: '' };
  const store: RemoteStore = {
    type: 's3',
    put: (key) => answer({ key, ...info }),
    read: () => answer(picture),
    head: (key) => answer({ key, ...info }),
    delete: () => answer(undefined),
    presign: (objectKey) => ({ type: 's3', objectKey, ...urls }),
    probe: () => answer(undefined),
    applyCors: async () => ({ applied: true }),
  };
  return { store, hang: () => (isHanging = true) };
}

async function openWithSlowTenant(storeWaitMs: number) {
  const { store, hang } = createHangingStore();
  const workshop = await openWorkshop({ openRemote: () => store, storeWaitMs });
  const slow = await workshop.openTenant('slow');
  await workshop.chooseStore(slow, config);
  const start = async (who: Caller): Promise<string> => {
    const { id } = await workshop.analyses.create(who, createRequest());
    await workshop.analyses.start(who, id);
    return id;
  };
  const statusOf = async (id: string) =>
    (await workshop.analyses.get(slow, id)).inferenceStatus.status;
  return { ...workshop, slow, hang, startSlow: () => start(slow), statusOf };
}

const forever = 3_600_000;

test('starts of one tenant that wait for its store do not block the others', async () => {
  const { analyses, slow, hang, create, upload, caller, status, startSlow } =
    await openWithSlowTenant(forever);
  hang();
  for (let i = 0; i < 5; i++) void startSlow();
  const mine = await upload(await create());

  await analyses.start(caller, mine.id);

  expect(await status(mine.id)).toMatchObject({ status: 'pending' });
  expect((await analyses.list(slow, {})).total).toBe(5);
});

test('a start whose store does not answer fails and can be tried again', async () => {
  const { analyses, slow, hang, statusOf } = await openWithSlowTenant(30);
  hang();
  const { id } = await analyses.create(slow, createRequest());

  await expect(analyses.start(slow, id)).rejects.toMatchObject({ code: 'store_unavailable' });

  expect(await statusOf(id)).toBe('pending');
});

test('runs on a hanging store do not hold up those of others, and are left alone after one try', async () => {
  const { hang, start, startSlow, worker, status, statusOf, errors } =
    await openWithSlowTenant(500);
  const slowIds = [await startSlow(), await startSlow(), await startSlow()];
  const mine = [await start('forensicReporting'), await start()];
  hang();

  await worker.drain();

  expect(await Promise.all(mine.map(async (id) => (await status(id)).status))).toEqual([
    'completed',
    'completed',
  ]);
  // Two ran at once while the others had nothing to do; the third was not even tried.
  expect(errors).toMatchObject([{ code: 'store_unavailable' }, { code: 'store_unavailable' }]);
  expect((await Promise.all(slowIds.map(statusOf))).toSorted()).toEqual([
    'pending',
    'processing',
    'processing',
  ]);
});

test('a hanging store does not keep the worker from stopping', async () => {
  const { hang, startSlow, worker, queue } = await openWithSlowTenant(forever);
  await startSlow();
  hang();
  void worker.drain();
  await new Promise(setImmediate);
  expect(worker.running()).toBe(1);

  await worker.stop({ graceMs: 0 });

  const claim = { workerId: 'next', leaseMs: 1000, kinds: ['analysis.run'] };
  expect(await queue.claim(claim)).toMatchObject({ fence: 2 });
});

test('a run whose store is unavailable for a day fails, and everybody is told', async () => {
  const { hang, startSlow, worker, clock, analyses, slow, messages, counters, queue } =
    await openWithSlowTenant(10);
  const id = await startSlow();
  hang();
  await worker.drain();
  clock.step(24 * 3_600_000);
  await worker.drain();
  const { inferenceStatus: stillTried } = await analyses.get(slow, id);

  clock.step(60_000);
  await worker.drain();

  expect(stillTried).toMatchObject({ status: 'processing', retryCount: 0 });
  expect((await analyses.get(slow, id)).inferenceStatus).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringMatching(/24 hours.*retry.*did not respond in time/),
  });
  expect((await messages()).map(({ status }) => status)).toEqual(['processing', 'failed']);
  expect(await counters()).toMatchObject({ errors: 1, runs: 1 });
  expect(await queue.count('analysis.run')).toBe(0);
});

test('one tenant never takes every place, however many of its acts wait', async () => {
  const semaphore = createSemaphore(4);
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  const enter = (tenant: string) =>
    semaphore(tenant, async () => {
      begun.push(tenant);
      await end.promise;
    });

  const acts = [...Array.from({ length: 6 }, () => enter('slow')), enter('acme'), enter('late')];
  await new Promise(setImmediate);
  const held = [...begun];
  end.resolve();
  await Promise.all(acts);

  expect(held).toEqual(['slow', 'slow', 'slow', 'acme']);
  expect(begun.toSorted()).toEqual(['acme', 'late', ...Array(6).fill('slow')]);
});
