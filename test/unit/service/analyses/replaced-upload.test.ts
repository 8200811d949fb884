import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ForensicsError } from '../../../../src/errors.ts';
import { createRequest, openWorkshop, picture } from './workshop.ts';

const other = Buffer.from('another file altogether');
const complete = 'The analysis is complete.';
const told = `${complete} The uploaded object was replaced after the start; the result is for the copy taken at the start (SHA-256 ${createHash('sha256').update(picture).digest('hex')}).`;

async function started(tier: 'flagging' | 'forensicReporting' = 'flagging') {
  const workshop = await openWorkshop({ maxBytes: 100_000 });
  const { create, upload, analyses, caller, status } = workshop;
  const analysis = await create({ input: { ...createRequest().input, options: { tier } } });
  await upload(analysis);
  await analyses.start(caller, analysis.id);
  const message = async () => (await status(analysis.id)).statusMessage;
  return { ...workshop, analysis, key: analysis.input.storageUrls.objectKey, message };
}

test('a replaced upload is told in the answer, in the report and to the operator, once', async () => {
  const { store, key, worker, message, sandbox, notices, analysis, messages, caller } =
    await started('forensicReporting');

  await store.put(key, other);
  await worker.drain();

  expect(await message()).toBe(told);
  expect(sandbox.rendered).toMatchObject([{ item: { isUploadReplaced: true } }]);
  expect(notices).toEqual([
    { what: 'upload-replaced', tenantId: caller.tenant.id, analysisId: analysis.id },
  ]);
  expect((await messages()).map(({ status }) => status)).toEqual(['processing', 'completed']);
});

test.each([
  ['was left alone', async () => undefined],
  ['was deleted', async ({ store, key }) => store.delete(key)],
  ['was written again with the same bytes', async ({ store, key }) => store.put(key, picture)],
] as const satisfies readonly [string, (shop: Awaited<ReturnType<typeof started>>) => unknown][])(
  'nothing is told of an upload that %s',
  async (_, act) => {
    const shop = await started('forensicReporting');

    await act(shop);
    await shop.worker.drain();

    expect(await shop.message()).toBe(complete);
    expect(shop.sandbox.rendered).toMatchObject([{ item: { isUploadReplaced: false } }]);
    expect(shop.notices).toEqual([]);
  },
);

test('where every write has an ETag of its own, the bytes decide', async () => {
  const { store, worker, message } = await started();
  const head = store.head.bind(store);
  store.head = async (key) => ({ ...(await head(key))!, etag: 'of another write' });

  await worker.drain();

  expect(await message()).toBe(complete);
});

test('an upload replaced by something too large to be read was replaced', async () => {
  const { store, key, worker, message } = await started();

  await store.put(key, Buffer.alloc(100_001));
  await worker.drain();

  expect(await message()).toBe(told);
});

test('an upload that is replaced after the run is told with the upgrade', async () => {
  const { store, key, worker, message, analyses, caller, analysis, sandbox } = await started();
  await worker.drain();
  await store.put(key, other);
  const before = await message();

  const options = { tier: 'forensicReporting' };
  const upgraded = await analyses.retry(caller, { id: analysis.id, options });

  expect(before).toBe(complete);
  expect(upgraded.inferenceStatus.statusMessage).toBe(told);
  expect(sandbox.rendered).toMatchObject([{ item: { isUploadReplaced: true } }]);
});

test('a store that does not answer for the upload takes no result away', async () => {
  const { store, worker, message, errors } = await started();
  const failure = new ForensicsError('store_unavailable', 'no');
  store.head = () => Promise.reject(failure);

  await worker.drain();

  expect(await message()).toBe(complete);
  expect(errors).toEqual([failure]);
});
