import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import {
  type Count,
  countLogin,
  countUsage,
  createUsageReports,
} from '../../../../src/service/usage/usage.ts';
import type { ResultClass } from '../../../../src/contract/vocabulary.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import * as tables from '../../../../src/ports/db/schema.ts';
import { hasPostgres } from '../../ports/db/temporary.ts';
import { examinationOf } from '../analyses/scripted-sandbox.ts';
import { openWorkshop } from '../analyses/workshop.ts';

const dayMs = 24 * 60 * 60 * 1000;

async function openReports() {
  const workshop = await openWorkshop();
  const { db, clock, caller, sandbox } = workshop;
  const reports = createUsageReports({ db, now: clock.now });
  const total = () => reports.report(caller.tenant, {});
  return {
    ...workshop,
    total,
    timed: async () => (await total()).processingDurations.byModelTypeAndParallelism.image,
    range: (startTime: string, endTime: string) =>
      reports.report(caller.tenant, { type: 'range', startTime, endTime }),
    /** Makes the next run take a minute and find this. */
    find: (resultClass: ResultClass, fakeProbability: number) =>
      sandbox.next((request) => {
        clock.step(60_000);
        const found = examinationOf(request);
        return { ...found, decision: { ...found.decision, resultClass, fakeProbability } };
      }),
  };
}

test('an inactive tenant has a report with every field', async () => {
  const { total, caller, clock } = await openReports();
  clock.step(1000);

  expect(await total()).toEqual({
    id: `${caller.tenant.id}-total`,
    tenantId: caller.tenant.id,
    updatedAt: '2026-03-01T12:00:01.000Z',
    startTime: '2026-03-01T12:00:00.000Z',
    endTime: '2026-03-01T12:00:01.000Z',
    queuedAnalyses: 0,
    successfulProcessing: {
      byType: { api: 0, app: 0, total: 0 },
      byResult: { fake: 0, real: 0, uncertain: 0, abstain: 0, total: 0, confidenceScore: 0 },
      byModelTypeAndTier: { image: { forensicReporting: 0, flagging: 0 } },
    },
    userInteraction: { appLogins: 0 },
    impediments: { processingErrors: 0, retries: 0 },
    qualityIndicators: { errorRatePercent: 0, backpressurePercent: 0 },
    processingDurations: { byModelTypeAndParallelism: { image: { single: null, bulk: null } } },
  });
});

describe('successes', () => {
  test('are counted by the creator of the analysis, whoever started it', async () => {
    const { create, upload, analyses, caller, worker, total } = await openReports();
    const user = { ...caller, principal: { ...caller.principal, type: 'user' as const } };
    for (const [creator, starter] of [
      [user, caller],
      [caller, user],
      [caller, caller],
    ] as const) {
      const { id } = await upload(await create({}, creator));
      await analyses.start(starter, id);
      await worker.drain();
    }

    const { successfulProcessing } = await total();

    expect(successfulProcessing.byType).toEqual({ api: 2, app: 1, total: 3 });
  });

  test('are counted by result, and the confidence is that of the decided ones', async () => {
    const { complete, find, total } = await openReports();
    find('fake', 0.9);
    find('real', 0.1);
    find('real', 0.3);
    find('uncertain', 0.99);
    find('abstain', 0.99);
    for (let n = 0; n < 5; n++) await complete();

    const { successfulProcessing } = await total();

    expect(successfulProcessing.byResult).toEqual({
      fake: 1,
      real: 2,
      uncertain: 1,
      abstain: 1,
      total: 5,
      confidenceScore: expect.closeTo((0.9 + 0.9 + 0.7) / 3, 9),
    });
  });

  test.skipIf(hasPostgres)(
    'are timed separately when others of the tenant wait or run',
    async () => {
      const { complete, create, find, start, worker, timed, openTenant, db } = await openReports();
      const other = await openTenant('other');
      const givenAway = await start();
      await db
        .update(tables.analyses)
        .set({ tenantId: other.tenant.id })
        .where(eq(tables.analyses.id, givenAway))
        .run();
      await worker.drain();
      await create();
      find('fake', 0.9);
      await complete();
      await start();
      await start();
      await worker.drain();

      expect(await timed()).toEqual({ single: 1, bulk: 0 });
    },
  );

  test('are timed while processing, including failed attempts but not waiting', async () => {
    const { start, worker, sandbox, find, clock, timed } = await openReports();
    sandbox.next(sandbox.fail('inference_busy'), sandbox.fail('inference_crashed'));
    find('fake', 0.9);
    await start();
    clock.step(3_600_000);
    await worker.drain();
    clock.step(60_000);
    await worker.drain();
    clock.step(60_000);
    await worker.drain();

    expect(await timed()).toEqual({ single: 2, bulk: null });
  });
});

test('tiers, impediments and rates are computed from the counters', async () => {
  const { db, caller, clock, total } = await openReports();
  const counts: Count[] = [
    ['billed.flagging', 2],
    ['billed.forensicReporting', 3],
    ['success.api', 3],
    ['errors', 1],
    ['retries', 2],
    ['runs', 8],
    ['backpressure', 2],
  ];
  const scope = { tenantId: caller.tenant.id, at: clock.now() };
  await transact(db, (tx) => countUsage(tx, scope, counts));

  expect(await total()).toMatchObject({
    successfulProcessing: {
      byType: { total: 3 },
      byModelTypeAndTier: { image: { flagging: 2, forensicReporting: 3 } },
    },
    impediments: { processingErrors: 1, retries: 2 },
    qualityIndicators: { errorRatePercent: 25, backpressurePercent: 25 },
  });
});

test('a login counts once for each tenant of the person', async () => {
  const { db, caller, clock, total, openTenant } = await openReports();
  const other = await openTenant('other');
  const { id } = caller.tenant;

  await transact(db, (tx) => countLogin(tx, [id, other.tenant.id, id], clock.now()));
  await transact(db, (tx) => countLogin(tx, [id], clock.now()));
  await transact(db, (tx) => countLogin(tx, [], clock.now()));

  expect((await total()).userInteraction).toEqual({ appLogins: 2 });
});

describe('queued', () => {
  test('counts pending analyses, started or not, and no running or removed ones', async () => {
    const { create, start, analyses, caller, worker, sandbox, total, range } = await openReports();
    const running = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    sandbox.next(async (request) => {
      running.resolve();
      await end.promise;
      return examinationOf(request);
    });
    await create();
    await start();
    const drained = worker.drain();
    await running.promise;
    sandbox.next(sandbox.fail('inference_busy'));
    await start();
    await analyses.remove(caller, await start());
    await analyses.remove(caller, (await create()).id);
    const today = await range('2026-03-01', '2026-03-01');
    const yesterday = await range('2026-02-28', '2026-02-28');
    const all = await total();
    end.resolve();
    await drained;

    expect([today, all].map(({ queuedAnalyses }) => queuedAnalyses)).toEqual([2, 2]);
    expect(yesterday.queuedAnalyses).toBe(0);
  });
});

describe('a range', () => {
  test('adds up its days and no others, with each event on the UTC day on which it happened', async () => {
    const { complete, clock, range, total } = await openReports();
    await complete();
    clock.step(dayMs / 2 - 1);
    await complete();
    clock.step(1);
    await complete();
    clock.step(dayMs);
    await complete();
    const count = async (start: string, end: string) =>
      (await range(start, end)).successfulProcessing.byType.total;

    expect(await count('2026-03-01', '2026-03-01')).toBe(2);
    expect(await count('2026-03-02T23:00:00Z', '2026-03-02T23:00:00Z')).toBe(1);
    expect(await count('2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z')).toBe(3);
    expect(await count('2026-02-01', '2026-02-28')).toBe(0);
    expect((await total()).successfulProcessing.byType.total).toBe(4);
  });

  test('has the current update time while it lasts, and its last moment once it is over', async () => {
    const { clock, range } = await openReports();
    clock.step(3 * dayMs);
    const updatedAt = async (start: string, end: string) => (await range(start, end)).updatedAt;

    expect(await updatedAt('2026-03-01', '2026-03-03')).toBe('2026-03-03T23:59:59.999Z');
    expect(await updatedAt('2026-03-01', '2026-03-04')).toBe('2026-03-04T12:00:00.000Z');
    expect(await updatedAt('2026-03-05', '2026-03-06')).toBe('2026-03-04T12:00:00.000Z');
  });

  test('never reports more than 100 percent, even if rollbacks came after midnight', async () => {
    const { start, worker, sandbox, clock, range } = await openReports();
    sandbox.next((request) => {
      clock.step(dayMs);
      return sandbox.fail('inference_busy')(request);
    });
    await start();
    await worker.drain();

    expect((await range('2026-03-02', '2026-03-02')).qualityIndicators.backpressurePercent).toBe(0);
    clock.step(60_000);
    sandbox.next(sandbox.fail('inference_busy'));
    await worker.drain();
    const day = await range('2026-03-02', '2026-03-02');

    expect(day.qualityIndicators.backpressurePercent).toBe(100);
  });
});
