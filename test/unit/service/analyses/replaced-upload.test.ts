import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { createRequest, openWorkshop, picture } from './workshop.ts';

const other = Buffer.from('another file altogether');
const completeMessage = 'The analysis is complete.';
const replacedMessage = `${completeMessage} The uploaded object was replaced after the start; the result is for the copy taken at the start (SHA-256 ${createHash('sha256').update(picture).digest('hex')}).`;

async function openStarted(tier: 'flagging' | 'forensicReporting' = 'flagging') {
  const workshop = await openWorkshop({ maxBytes: 100_000 });
  const { create, upload, analyses, caller, status } = workshop;
  const made = await create({ input: { ...createRequest().input, options: { tier } } });
  const analysis = await upload(made);
  await analyses.start(caller, analysis.id);
  const message = async () => (await status(analysis.id)).statusMessage;
  return { ...workshop, analysis, key: analysis.input.storageUrls.objectKey, message };
}

test('a replaced upload is reported once in the answer, in the report and to the operator', async () => {
  const { store, key, worker, message, sandbox, notices, analysis, messages, caller } =
    await openStarted('forensicReporting');

  await store.put(key, other);
  await worker.drain();

  expect(await message()).toBe(replacedMessage);
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
  [
    'has another ETag, as of a store that gives each write its own',
    async ({ store }) => {
      const head = store.head.bind(store);
      store.head = async (name) => ({ ...(await head(name))!, etag: 'of another write' });
    },
  ],
] as const satisfies readonly [
  string,
  (workshop: Awaited<ReturnType<typeof openStarted>>) => unknown,
][])('nothing is reported about an upload that %s', async (_, act) => {
  const workshop = await openStarted('forensicReporting');

  await act(workshop);
  await workshop.worker.drain();

  expect(await workshop.message()).toBe(completeMessage);
  expect(workshop.sandbox.rendered).toMatchObject([{ item: { isUploadReplaced: false } }]);
  expect(workshop.notices).toEqual([]);
});

test('an upload that is replaced after the run is reported by the upgrade', async () => {
  const { store, key, worker, message, analyses, caller, analysis, sandbox } = await openStarted();
  await worker.drain();
  await store.put(key, other);
  const before = await message();

  const options = { tier: 'forensicReporting' };
  const upgraded = await analyses.retry(caller, { id: analysis.id, options });

  expect(before).toBe(completeMessage);
  expect(upgraded.inferenceStatus.statusMessage).toBe(replacedMessage);
  expect(sandbox.rendered).toMatchObject([{ item: { isUploadReplaced: true } }]);
});

test('a store that does not answer for the upload does not cost the result', async () => {
  const { store, worker, message, errors } = await openStarted();
  const failure = new ForensicsError('store_unavailable', 'no');
  store.head = () => Promise.reject(failure);

  await worker.drain();

  expect(await message()).toBe(completeMessage);
  expect(errors).toEqual([failure]);
});
