import { describe, expect, test } from 'vitest';
import { toSqliteError } from '../../../../src/ports/db/errors.ts';
import { openWorkshop } from './workshop.ts';
import { refusal } from '../../../fixtures/refusal.ts';

describe('processing', () => {
  test('success makes it completed, with the result, a message and one charge', async () => {
    const { complete, status, messages, caller, counters, queue } = await openWorkshop();

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
    const times = {
      timestamp: '2026-03-01T12:00:00.000Z',
      processingStartTime: '2026-03-01T12:00:00.000Z',
    };
    const about = {
      event: 'update',
      analysisId: id,
      tenantId: caller.tenant.id,
      name: 'A photograph',
    };
    expect(await messages()).toEqual([
      { ...about, ...times, status: 'processing', processingFinishTime: null },
      {
        ...about,
        ...times,
        status: 'completed',
        resultClass: 1,
        resultSubClasses: [0, 2],
        processingFinishTime: '2026-03-01T12:00:00.000Z',
      },
    ]);
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

  test('a failure of the store or of the database’s disk does not count as an attempt: the run waits', async () => {
    const { start, status, worker, sandbox, clock, sent } = await openWorkshop();
    for (let n = 0; n < 6; n++) sandbox.next(sandbox.fail('store_unavailable'));
    for (const code of ['SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT', 'SQLITE_FULL', 'SQLITE_BUSY']) {
      const error = toSqliteError(Object.assign(new Error('disk'), { code }));
      sandbox.next(async () => Promise.reject(error));
    }
    const id = await start();

    for (let attempt = 0; attempt < 11; attempt++) {
      await worker.drain();
      clock.step(60_000);
    }

    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 0 });
    expect(await sent()).toEqual(['processing', 'completed']);
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

    await expect(analyses.start(caller, id)).rejects.toEqual(
      refusal('analysis_not_pending', 'retry'),
    );
  });
});

type Workshop = Awaited<ReturnType<typeof openWorkshop>>;

test.each<[string, (workshop: Workshop) => Promise<string>, RegExp, object?]>([
  ['not started', async ({ create }) => (await create()).id, /not been started yet/],
  ['waiting', ({ start }) => start(), /is pending; wait/],
  [
    'processing',
    async ({ start, worker, sandbox }) => {
      sandbox.next(sandbox.fail('inference_crashed'));
      const id = await start();
      await worker.drain();
      return id;
    },
    /is processing; wait/,
  ],
  ['complete', ({ complete }) => complete(), /only its tier can still be upgraded/, { seed: 1 }],
  [
    'complete in the highest tier',
    ({ complete }) => complete('forensicReporting'),
    /already has the forensicReporting tier; read it with GET/,
    { tier: 'forensicReporting' },
  ],
])(
  'the refused retry of an analysis that is %s says why',
  async (_what, make, message, options = {}) => {
    const workshop = await openWorkshop();
    const id = await make(workshop);

    await expect(workshop.analyses.retry(workshop.caller, { id, options })).rejects.toEqual(
      refusal('analysis_not_retryable', message),
    );
  },
);

test('another tenant cannot find an analysis', async () => {
  const { complete, analyses, openTenant } = await openWorkshop();
  const id = await complete();
  const other = await openTenant('other');

  const gone = { code: 'analysis_not_found' };
  await expect(analyses.get(other, id)).rejects.toMatchObject(gone);
  await expect(analyses.remove(other, id)).rejects.toMatchObject(gone);
  await expect(analyses.start(other, id)).rejects.toMatchObject(gone);
  await expect(analyses.retry(other, { id, options: {} })).rejects.toMatchObject(gone);
  await expect(analyses.describe(other, id, { comment: 'Mine' })).rejects.toMatchObject(gone);
  expect((await analyses.list(other, {})).analyses).toEqual([]);
});
