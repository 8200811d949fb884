import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writeFailure } from '../../../../src/present/failures.ts';
import { sceneJpeg, scenePng } from '../../../fixtures/pictures.ts';
import { createRequest, height, openWorkshop, picture, width } from './workshop.ts';

const png = await scenePng({ width, height, seed: 2 });
const large = await sceneJpeg({ width: width + 1, height, seed: 3 });

async function startWith(bytes: Uint8Array, input: object = {}) {
  const workshop = await openWorkshop({ maxBytes: 100_000 });
  const { create, upload, analyses, caller } = workshop;
  const made = await create({ input: { ...createRequest().input, ...input } });
  const analysis = await upload(made, bytes);
  const outcome = await analyses.start(caller, analysis.id).catch((error: unknown) => error);
  return { ...workshop, analysis, outcome };
}

test.each([
  ['in another format', png, 'image_not_as_declared', 'it is a PNG picture, not jpg'],
  ['of another size', large, 'image_not_as_declared', 'it is 97 x 80 pixels, not 96 x 80'],
  ['not a picture', Buffer.from('hello'), 'image_not_as_declared', 'a text file'],
  ['empty', Buffer.alloc(0), 'image_empty', '0 bytes'],
  ['cut off in its header', picture.subarray(0, 100), 'image_unreadable', ''],
  ['too large', Buffer.alloc(100_001), 'image_too_many_bytes', ''],
])('start fails an analysis whose upload is %s', async (_, bytes, code, words) => {
  const { outcome, status, analysis, messages, queue, evidence } = await startWith(bytes);

  const httpStatus = code === 'image_too_many_bytes' ? 413 : 422;
  expect(outcome).toMatchObject({
    code,
    status: httpStatus,
    message: expect.stringContaining(words),
  });
  const message = outcome instanceof Error ? outcome.message : '';
  const failed = await status(analysis.id);
  expect(failed).toMatchObject({ status: 'failed', statusMessage: message });
  // The message can also be written in another language.
  expect(writeFailure({ message, reason: failed.failure ?? null }, 'de')).not.toBe(message);
  expect(await messages()).toMatchObject([{ status: 'failed', statusMessage: message }]);
  expect(await queue.count('analysis.run')).toBe(0);
  expect(await evidence()).toMatchObject({ key: '' });
});

describe('a declared size', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'with swapped sides is accepted only if EXIF orientation %i turns the picture',
    async (orientation) => {
      const isTurned = orientation > 4;
      const scene = { width, height, seed: 4, orientation };
      const measured = { width: height, height: width };

      const jpg = await startWith(await sceneJpeg(scene), measured);
      const asPng = await startWith(await scenePng(scene), { ...measured, format: 'png' });

      for (const { outcome, status, analysis } of [jpg, asPng]) {
        if (isTurned) expect(outcome).toBeUndefined();
        else expect(outcome).toMatchObject({ code: 'image_not_as_declared', status: 422 });
        const wanted = isTurned ? 'pending' : 'failed';
        expect(await status(analysis.id)).toMatchObject({ status: wanted });
      }
    },
  );

  test('may be the upright one of a turned picture', async () => {
    const turned = await sceneJpeg({ width, height, seed: 4, orientation: 6 });

    expect((await startWith(turned)).outcome).toBeUndefined();
  });
});

test('a run and an upgrade request heatmaps of the declared size', async () => {
  const turned = await sceneJpeg({ width, height, seed: 4, orientation: 6 });
  const measured = { width: height, height: width };
  const tier = 'forensicReporting';

  const once = await startWith(turned, { ...measured, options: { tier } });
  await once.worker.drain();
  const later = await startWith(turned, measured);
  await later.worker.drain();
  await later.analyses.retry(later.caller, { id: later.analysis.id, options: { tier } });

  expect(once.sandbox.rendered).toMatchObject([{ heatmapSize: measured }]);
  expect(later.sandbox.rendered).toMatchObject([{ heatmapSize: measured }]);
});

test('the status message of a refused upload says what to do, and start repeats it', async () => {
  const { outcome, status, analysis, analyses, caller } = await startWith(large);
  const advice = 'Upload the right picture and retry, or create a new analysis.';

  expect(outcome).toMatchObject({ message: expect.stringContaining(advice) });
  const { statusMessage, failure } = await status(analysis.id);
  expect(writeFailure({ message: statusMessage, reason: failure ?? null }, 'de')).toMatch(
    /^Angegeben war ein Bild mit 96 × 80 Pixeln, hochgeladen wurde ein Bild mit 97 × 80 Pixeln\. /,
  );
  expect(statusMessage).toBe(
    `The uploaded picture is not what was declared: it is 97 x 80 pixels, not 96 x 80. ${advice}`,
  );
  await expect(analyses.start(caller, analysis.id)).rejects.toMatchObject({
    code: 'analysis_not_pending',
    message: `The uploaded picture was rejected. ${advice}`,
  });
});

test('an upload that is replaced after the start is not examined', async () => {
  const { upload, analysis, worker, sandbox, status, store, evidence } = await startWith(picture);

  await upload(analysis, large);
  await worker.drain();

  const [request] = sandbox.examined;
  expect(request!.source).toEqual({ bytes: picture });
  expect(request!.declared).toEqual({ format: 'jpg', width, height });
  expect(await status(analysis.id)).toMatchObject({ status: 'completed' });
  const row = await evidence();
  expect(row.sha256).toBe(createHash('sha256').update(picture).digest('hex'));
  expect(row.md5).toBe(createHash('md5').update(picture).digest('hex'));
  expect(row.key).not.toContain(analysis.id);
  expect(await store.head(row.key)).toMatchObject({ contentType: 'image/jpeg' });
});

test('a stored copy that was changed fails the run without being examined', async () => {
  const { worker, sandbox, status, analysis, store, evidence } = await startWith(picture);
  await store.put((await evidence()).key, large);

  await worker.drain();

  expect(sandbox.examined).toEqual([]);
  expect(await status(analysis.id)).toMatchObject({ status: 'failed', retryCount: 0 });
});

test.each([
  ['deleted', null],
  ['replaced by one that is too large', Buffer.alloc(100_001)],
])('an upload that is %s while it is read leaves the analysis unchanged', async (_, bytes) => {
  const workshop = await openWorkshop({ maxBytes: 100_000 });
  const { create, upload, analyses, caller, store, status } = workshop;
  const analysis = await upload(await create());
  const head = store.head.bind(store);
  store.head = async (key) => {
    const info = await head(key);
    await (bytes === null ? store.delete(key) : store.put(key, bytes));
    return info;
  };

  const start = analyses.start(caller, analysis.id);

  await expect(start).rejects.toMatchObject({ code: 'upload_missing' });
  expect(await status(analysis.id)).toMatchObject({ status: 'pending' });
});
