import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toSqliteError } from '../../../../src/ports/db/errors.ts';
import { examinationOf } from './scripted-sandbox.ts';
import { openWorkshop, picture } from './workshop.ts';

describe('(none)', () => {
  test('create makes it pending, with upload URLs and no message', async () => {
    const { create, messages, store } = await openWorkshop();

    const analysis = await create();

    expect(analysis.inferenceStatus).toEqual({
      type: 'image',
      version: '2.0.0',
      status: 'pending',
      statusMessage: expect.stringContaining('upload'),
      retryCount: 0,
      processingStartTime: null,
      processingFinishTime: null,
    });
    expect(analysis.input.storageUrls.putUrl).toContain(analysis.input.storageUrls.objectKey);
    expect(await store.head(analysis.input.storageUrls.objectKey)).toBeNull();
    expect(await messages()).toEqual([]);
  });
});

describe('pending', () => {
  test('start queues it, and it stays pending without a message until a worker locks it', async () => {
    const { start, status, messages, queue } = await openWorkshop();

    const id = await start();

    expect(await status(id)).toMatchObject({ status: 'pending', processingStartTime: null });
    expect(await messages()).toEqual([]);
    expect(await queue.count('analysis.run')).toBe(1);
  });

  test('start without an upload is refused, and possible after the upload', async () => {
    const { create, upload, analyses, caller, status } = await openWorkshop();
    const analysis = await create();

    const early = analyses.start(caller, analysis.id);
    await expect(early).rejects.toMatchObject({ code: 'upload_missing', status: 409 });
    expect(await status(analysis.id)).toMatchObject({ status: 'pending' });
    await upload(analysis);

    await expect(analyses.start(caller, analysis.id)).resolves.toBeUndefined();
  });

  test('start by a trial tenant accepts an approved picture', async () => {
    const trialMd5s = [createHash('md5').update(picture).digest('hex')];
    const { start, status, worker } = await openWorkshop({ isTrial: true, trialMd5s });

    const id = await start();
    await worker.drain();

    expect(await status(id)).toMatchObject({ status: 'completed' });
  });

  test('start and retry by a trial tenant refuse any other picture', async () => {
    const { create, upload, analyses, caller, status, messages } = await openWorkshop({
      isTrial: true,
      trialMd5s: ['0'.repeat(32)],
    });
    const analysis = await create();
    await upload(analysis);

    const mismatch = { code: 'trial_image_mismatch', status: 422 };
    await expect(analyses.start(caller, analysis.id)).rejects.toMatchObject(mismatch);
    expect(await status(analysis.id)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('two trial pictures'),
    });
    expect(await messages()).toMatchObject([
      { status: 'failed', statusMessage: expect.any(String) },
    ]);
    const again = analyses.retry(caller, { id: analysis.id, options: {} });
    await expect(again).rejects.toMatchObject(mismatch);
    expect(await status(analysis.id)).toMatchObject({ status: 'failed' });
  });

  test('a free worker locks it and makes it processing, with a message', async () => {
    const { start, status, messages, worker, sandbox } = await openWorkshop();
    let during: unknown;
    const id = await start();
    sandbox.next(async (request) => {
      during = await status(id);
      return examinationOf(request);
    });

    await worker.drain();

    expect(during).toMatchObject({
      status: 'processing',
      processingStartTime: '2026-03-01T12:00:00.000Z',
      processingFinishTime: null,
    });
    expect((await messages())[0]).toEqual({
      event: 'update',
      analysisId: id,
      tenantId: expect.any(String),
      name: 'A photograph',
      status: 'processing',
      timestamp: '2026-03-01T12:00:00.000Z',
      processingStartTime: '2026-03-01T12:00:00.000Z',
      processingFinishTime: null,
    });
  });
});

describe('processing', () => {
  test('success makes it completed, with the result, a message and one charge', async () => {
    const { complete, status, messages, sent, counters, queue } = await openWorkshop();

    const id = await complete();

    expect(await status(id)).toEqual({
      type: 'image',
      version: '2.0.1',
      status: 'completed',
      statusMessage: 'The analysis is complete.',
      retryCount: 0,
      processingStartTime: '2026-03-01T12:00:00.000Z',
      processingFinishTime: '2026-03-01T12:00:00.000Z',
      result: expect.objectContaining({ resultClass: 1, resultSubClasses: [0, 2] }),
    });
    expect(await sent()).toEqual(['processing', 'completed']);
    expect((await messages())[1]).toEqual({
      event: 'update',
      analysisId: id,
      tenantId: expect.any(String),
      name: 'A photograph',
      status: 'completed',
      timestamp: '2026-03-01T12:00:00.000Z',
      resultClass: 1,
      resultSubClasses: [0, 2],
      processingStartTime: '2026-03-01T12:00:00.000Z',
      processingFinishTime: '2026-03-01T12:00:00.000Z',
    });
    expect(await counters()).toEqual({
      runs: 1,
      'billed.flagging': 1,
      'success.api': 1,
      'result.fake': 1,
      confidence: 930_000,
      'timed.single': 1,
      'ms.single': 0,
    });
    expect(await queue.count('analysis.run')).toBe(0);
  });

  test('inference errors are retried three times without a message, then it fails with one', async () => {
    const { start, status, messages, sent, worker, sandbox, clock, counters } =
      await openWorkshop();
    sandbox.next(...[1, 2, 3, 4].map((n) => sandbox.fail('inference_crashed', `Crash ${n}.`)));
    const id = await start();

    const seen = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      await worker.drain();
      const { status: now, retryCount } = await status(id);
      seen.push([now, retryCount]);
      clock.step(60_000);
    }

    expect(seen).toEqual([
      ['processing', 1],
      ['processing', 2],
      ['processing', 3],
      ['failed', 3],
    ]);
    expect(await status(id)).toMatchObject({ statusMessage: 'Crash 4.' });
    expect(await sent()).toEqual(['processing', 'failed']);
    expect((await messages())[1]).toMatchObject({ statusMessage: 'Crash 4.' });
    expect(sandbox.examined).toHaveLength(4);
    expect(await counters()).toEqual({ runs: 1, retries: 3, errors: 1 });
  });

  test('a retry waits before it runs, and may succeed', async () => {
    const { start, status, sent, worker, sandbox, clock } = await openWorkshop();
    sandbox.next(sandbox.fail('inference_timeout'));
    const id = await start();

    await worker.drain();
    expect(sandbox.examined).toHaveLength(1);
    clock.step(999);
    await worker.drain();
    expect(sandbox.examined).toHaveLength(1);
    clock.step(1);
    await worker.drain();

    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 1 });
    expect(await sent()).toEqual(['processing', 'completed']);
  });

  test.each(['image_unreadable', 'image_not_as_declared', 'model_integrity'] as const)(
    '%s fails it at once: the same bytes would fail again',
    async (code) => {
      const { start, status, worker, sandbox, sent } = await openWorkshop();
      sandbox.next(sandbox.fail(code, 'The picture is broken.'));
      const id = await start();

      await worker.drain();

      expect(await status(id)).toMatchObject({
        status: 'failed',
        retryCount: 0,
        statusMessage: 'The picture is broken.',
        processingFinishTime: '2026-03-01T12:00:00.000Z',
      });
      expect(await sent()).toEqual(['processing', 'failed']);
    },
  );

  test('when every instance is busy, it returns to pending with a message and is run later', async () => {
    const { start, status, sent, worker, sandbox, clock, counters } = await openWorkshop();
    sandbox.next(sandbox.fail('inference_busy'));
    const id = await start();

    await worker.drain();

    expect(await status(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      processingStartTime: null,
    });
    expect(await sent()).toEqual(['processing', 'pending']);
    clock.step(1000);
    await worker.drain();
    expect(await status(id)).toMatchObject({ status: 'completed' });
    expect(await sent()).toEqual(['processing', 'pending', 'processing', 'completed']);
    expect(await counters()).toMatchObject({ backpressure: 1, 'billed.flagging': 1 });
  });

  test('an unexpected error is reported internally and hidden from clients', async () => {
    const { start, status, worker, sandbox, clock, errors } = await openWorkshop();
    const secret = new TypeError('/secret/path is undefined');
    for (let n = 0; n < 4; n++) {
      sandbox.next(() => {
        throw secret;
      });
    }
    const id = await start();

    for (let attempt = 0; attempt < 4; attempt++) {
      await worker.drain();
      clock.step(60_000);
    }

    expect((await status(id)).statusMessage).not.toContain('secret');
    expect(errors).toEqual([secret, secret, secret, secret]);
  });

  test('a store failure does not count as an attempt: the run waits for the store', async () => {
    const { start, status, worker, sandbox, clock, sent } = await openWorkshop();
    for (let n = 0; n < 6; n++) sandbox.next(sandbox.fail('store_unavailable'));
    const id = await start();

    for (let attempt = 0; attempt < 7; attempt++) {
      await worker.drain();
      clock.step(60_000);
    }

    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 0 });
    expect(await sent()).toEqual(['processing', 'completed']);
  });

  test('a failure of the database’s disk does not count as an attempt either', async () => {
    const { start, status, worker, sandbox, clock } = await openWorkshop();
    for (const code of ['SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT', 'SQLITE_FULL', 'SQLITE_BUSY']) {
      const error = toSqliteError(Object.assign(new Error('disk'), { code }));
      sandbox.next(async () => Promise.reject(error));
    }
    const id = await start();

    for (let attempt = 0; attempt < 5; attempt++) {
      await worker.drain();
      clock.step(60_000);
    }

    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 0 });
  });
});

/** An analysis that failed after one automatic retry. */
async function openFailed() {
  const workshop = await openWorkshop();
  const { sandbox, start, worker } = workshop;
  sandbox.next(sandbox.fail('inference_crashed'), sandbox.fail('image_unreadable'));
  const id = await start();
  await worker.drain();
  workshop.clock.step(60_000);
  await worker.drain();
  return { ...workshop, id };
}

describe('failed', () => {
  test('retry returns it to pending with merged options, sends no message, and runs it again', async () => {
    const { id, analyses, caller, status, sent, worker, sandbox } = await openFailed();
    expect(await status(id)).toMatchObject({ status: 'failed', retryCount: 1 });

    const again = await analyses.retry(caller, {
      id,
      options: { model: 'acme-trace', seed: 7, tier: 'forensicReporting' },
    });

    expect(again).toMatchObject({
      input: {
        options: {
          model: 'acme-trace',
          seed: 7,
          tier: 'forensicReporting',
          decisionStrategy: 'default',
        },
      },
      inferenceStatus: {
        status: 'pending',
        version: '1.0.0',
        retryCount: 0,
        processingStartTime: null,
        processingFinishTime: null,
      },
      tierUpgradedFrom: null,
    });
    expect(await sent()).toEqual(['processing', 'failed']);
    await worker.drain();
    expect(await status(id)).toMatchObject({ status: 'completed' });
    expect(sandbox.examined.at(-1)!.options).toMatchObject({ model: 'acme-trace', seed: 7 });
  });

  test('start is refused and says to use retry', async () => {
    const { id, analyses, caller } = await openFailed();

    await expect(analyses.start(caller, id)).rejects.toMatchObject({
      code: 'analysis_not_pending',
      message: expect.stringContaining('retry'),
    });
  });

  test('of several retries at once, one runs', async () => {
    const { id, analyses, caller, queue } = await openFailed();

    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => analyses.retry(caller, { id, options: {} })),
    );

    expect(outcomes.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(1);
    expect(await queue.count('analysis.run')).toBe(1);
  });
});

describe('completed', () => {
  test.each([
    ['nothing', {}],
    ['the same options', { tier: 'flagging', seed: 1337 }],
    ['another seed', { seed: 1 }],
    ['an upgrade with another seed', { tier: 'forensicReporting', seed: 1 }],
  ])('retry with %s is refused', async (_, options) => {
    const { complete, analyses, caller } = await openWorkshop();
    const id = await complete();

    await expect(analyses.retry(caller, { id, options })).rejects.toMatchObject({
      code: 'analysis_not_retryable',
      status: 409,
    });
  });
});

describe('a refused retry says why', () => {
  test('pending: not started, or waiting', async () => {
    const { create, start, analyses, caller } = await openWorkshop();
    const draft = await create();
    const waiting = await start();

    await expect(analyses.retry(caller, { id: draft.id, options: {} })).rejects.toThrow(
      'not been started yet',
    );
    await expect(analyses.retry(caller, { id: waiting, options: {} })).rejects.toThrow(
      'is pending; wait',
    );
  });

  test('processing', async () => {
    const { start, analyses, caller, worker, sandbox } = await openWorkshop();
    sandbox.next(sandbox.fail('inference_crashed'));
    const id = await start();
    await worker.drain();

    await expect(analyses.start(caller, id)).rejects.toMatchObject({
      code: 'analysis_not_pending',
    });
    await expect(analyses.retry(caller, { id, options: {} })).rejects.toMatchObject({
      code: 'analysis_not_retryable',
      message: expect.stringContaining('is processing; wait'),
    });
  });

  test('completed: only its tier can change, and only once', async () => {
    const { complete, analyses, caller } = await openWorkshop();
    const id = await complete();
    const upgrade = { id, options: { tier: 'forensicReporting' } };

    await expect(analyses.retry(caller, { id, options: { seed: 1 } })).rejects.toThrow(
      'only its tier can still be upgraded',
    );
    await analyses.retry(caller, upgrade);
    await expect(analyses.retry(caller, upgrade)).rejects.toThrow(
      'already has the forensicReporting tier; read it with GET',
    );
  });
});

describe('any', () => {
  test('a downgrade is refused before the state is checked', async () => {
    const { complete, start, analyses, caller } = await openWorkshop();
    const options = { tier: 'flagging' };
    const done = await complete('forensicReporting');
    const waiting = await start('forensicReporting');

    for (const id of [done, waiting]) {
      await expect(analyses.retry(caller, { id, options })).rejects.toMatchObject({
        code: 'tier_downgrade',
        status: 400,
      });
    }
  });

  test('remove hides it everywhere, keeps its status in the message, and works once', async () => {
    const { complete, analyses, caller, messages } = await openWorkshop();
    const id = await complete();

    await analyses.remove(caller, id);

    expect((await messages()).at(-1)).toMatchObject({
      event: 'delete',
      analysisId: id,
      status: 'completed',
      resultClass: 1,
    });
    const gone = { code: 'analysis_not_found', status: 404 };
    await expect(analyses.get(caller, id)).rejects.toMatchObject(gone);
    await expect(analyses.remove(caller, id)).rejects.toMatchObject(gone);
    await expect(analyses.start(caller, id)).rejects.toMatchObject(gone);
    await expect(analyses.retry(caller, { id, options: {} })).rejects.toMatchObject(gone);
    expect((await analyses.list(caller, {})).totalCount).toBe(0);
  });

  test('a queued analysis that is removed is not run', async () => {
    const { start, analyses, caller, worker, sandbox, queue, messages } = await openWorkshop();
    const id = await start();
    await analyses.remove(caller, id);

    await worker.drain();

    expect(sandbox.examined).toEqual([]);
    expect(await queue.count('analysis.run')).toBe(0);
    expect((await messages()).map(({ event }) => event)).toEqual(['delete']);
  });

  test('an analysis that is removed while it runs leaves no result, message or charge', async () => {
    const { start, analyses, caller, worker, sandbox, messages, counters, queue } =
      await openWorkshop();
    const id = await start('forensicReporting');
    sandbox.next(async (request) => {
      await analyses.remove(caller, id);
      return examinationOf(request);
    });

    await worker.drain();

    expect((await messages()).map(({ event }) => event)).toEqual(['update', 'delete']);
    expect(await counters()).toEqual({ runs: 1 });
    expect(await queue.count('analysis.run')).toBe(0);
  });

  test('another tenant cannot find it', async () => {
    const { complete, analyses, openTenant } = await openWorkshop();
    const id = await complete();
    const other = await openTenant('other');

    const gone = { code: 'analysis_not_found' };
    await expect(analyses.get(other, id)).rejects.toMatchObject(gone);
    await expect(analyses.remove(other, id)).rejects.toMatchObject(gone);
    await expect(analyses.start(other, id)).rejects.toMatchObject(gone);
    await expect(analyses.retry(other, { id, options: {} })).rejects.toMatchObject(gone);
    expect((await analyses.list(other, {})).analyses).toEqual([]);
  });
});
