import { count } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { createHolds } from '../../../../src/service/holds/legal-holds.ts';
import {
  analyses as analysisRows,
  examinations,
  orphanObjects,
} from '../../../../src/ports/db/schema.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { logOf } from '../audit/log-of.ts';
import { openWorkshop } from './workshop.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

async function openCounted(
  retention: NonNullable<Parameters<typeof openWorkshop>[0]>['retention'] = {},
) {
  const workshop = await openWorkshop({ retention });
  const { analyses, db, caller, store, clock, notices } = workshop;
  /** Records every object that is ever put, to count those that are left. */
  const put = store.put.bind(store);
  const everPut = new Set<string>();
  store.put = (key, ...rest) => {
    everPut.add(key);
    return put(key, ...rest);
  };
  const objects = async () => {
    const infos = await Promise.all([...everPut].map(async (key) => store.head(key)));
    return infos.filter((info) => info !== null).length;
  };
  const cleanUp = async (by = analyses) => {
    await by.cleanUp(new AbortController().signal);
    return notices.at(-1);
  };
  return {
    ...workshop,
    holds: createHolds({ db, now: clock.now }),
    objects,
    cleanUp,
    remove: async (id: string) => analyses.remove(caller, id),
    /** The numbers of analyses, examinations and orphaned objects. */
    rows: () =>
      Promise.all(
        [analysisRows, examinations, orphanObjects].map(
          async (table) => (await db.select({ rows: count() }).from(table).get())!.rows,
        ),
      ),
    ids: async () => (await analyses.list(caller, {})).analyses.map(({ id }) => id),
  };
}

const retentionNotice = (deleted: number, purged: number, objects: number, objectsLeft = 0) => ({
  what: 'retention',
  deleted,
  purged,
  objects,
  objectsLeft,
});

describe('a deleted analysis', () => {
  test('is kept for thirty days and then purged with all its objects, but stays billed', async () => {
    const { complete, remove, clock, cleanUp, objects, rows, counters } = await openCounted();
    const gone = await complete('forensicReporting');
    await complete('forensicReporting');
    const billed = await counters();
    await remove(gone);

    clock.step(30 * dayMs - 1);
    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 0));
    expect([await rows(), await objects()]).toEqual([[2, 2, 0], 16]);
    clock.step(1);

    // The upload, its copy, four heatmaps and two reports.
    expect(await cleanUp()).toEqual(retentionNotice(0, 1, 8));
    expect([await rows(), await objects()]).toEqual([[1, 1, 0], 8]);
    expect(await counters()).toEqual(billed);
    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 0));
  });

  test('is purged once in any state, even when two processes clean up at once', async () => {
    const { create, start, remove, cleanUp, openProcess, rows, notices } = await openCounted({
      deletedRetentionDays: 0,
    });
    await remove(await start());
    for (let n = 0; n < 44; n++) await remove((await create()).id);

    await Promise.all([cleanUp(), cleanUp((await openProcess('two')).analyses)]);

    const sum = (field: string) =>
      notices.reduce((total, notice) => total + Number(Object(notice)[field]), 0);
    expect(sum('purged')).toBe(45);
    expect((await rows())[0]).toBe(0);
  });

  test('whose store is down is purged from the database at once and from the store later', async () => {
    const { complete, remove, clock, cleanUp, store, errors, rows, objects } = await openCounted();
    await remove(await complete('forensicReporting'));
    clock.step(30 * dayMs);
    const failure = new ForensicsError('store_unavailable', 'no');
    const removeObject = store.delete.bind(store);
    store.delete = () => Promise.reject(failure);

    expect(await cleanUp()).toEqual(retentionNotice(0, 1, 0, 8));
    expect([await rows(), await objects()]).toEqual([[0, 0, 8], 8]);
    expect(errors).toEqual([failure]);
    store.delete = removeObject;

    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 8));
    expect([await rows(), await objects()]).toEqual([[0, 0, 0], 0]);
  });

  test('stays purged when a client uses a URL that is still valid', async () => {
    const { create, upload, remove, clock, cleanUp, rows, objects } = await openCounted({
      deletedRetentionDays: 1,
    });
    const analysis = await upload(await create());
    await remove(analysis.id);
    clock.step(dayMs);
    expect(await cleanUp()).toEqual(retentionNotice(0, 1, 1));

    await upload(analysis);
    clock.step(7 * dayMs - 1);
    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 0));
    expect(await objects()).toBe(1);
    clock.step(1);

    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 1));
    expect([await rows(), await objects()]).toEqual([[0, 0, 0], 0]);
  });

  test('is purged later if a stop interrupts the clean-up', async () => {
    const { create, remove, analyses, cleanUp, rows } = await openCounted({
      deletedRetentionDays: 0,
    });
    for (let n = 0; n < 25; n++) await remove((await create()).id);
    const { signal } = new AbortController();
    vi.spyOn(signal, 'aborted', 'get').mockReturnValueOnce(false).mockReturnValue(true);

    await analyses.cleanUp(signal);
    expect(await rows()).toEqual([5, 0, 40]);

    expect(await cleanUp()).toEqual(retentionNotice(0, 5, 25));
  });
});

describe('an analysis that has not changed for long', () => {
  test('is kept for ever unless a rule says otherwise', async () => {
    const { complete, clock, cleanUp, ids } = await openCounted();
    const id = await complete();
    clock.step(20 * 365 * dayMs);

    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 0));
    expect(await ids()).toEqual([id]);
  });

  test('is deleted by the system, with one message, and purged later', async () => {
    const { complete, create, caller, clock, cleanUp, ids, messages, db, rows } = await openCounted(
      { retentionDays: 90, deletedRetentionDays: 30 },
    );
    const done = await complete();
    clock.step(1);
    const neverStarted = (await create()).id;
    const before = (await messages()).length;

    clock.step(90 * dayMs - 1);
    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 0));
    clock.step(2);
    expect(await cleanUp()).toEqual(retentionNotice(2, 0, 0));

    expect(await ids()).toEqual([]);
    expect((await messages()).slice(before)).toMatchObject([
      { event: 'delete', analysisId: done, status: 'completed', resultClass: 1 },
      { event: 'delete', analysisId: neverStarted, status: 'pending' },
    ]);
    const changed = await db.select().from(analysisRows).all();
    expect(changed.map(({ lastChangedByType }) => lastChangedByType)).toEqual(['system', 'system']);
    expect((await logOf(db, { chain: caller.tenant.id, subject: done })).at(-1)).toEqual([
      'service',
      'analysis.deleted',
      { because: 'retention' },
    ]);
    clock.step(30 * dayMs);
    expect(await cleanUp()).toEqual(retentionNotice(0, 2, 3));
    expect(await rows()).toEqual([0, 0, 0]);
  });

  test('is neither one that waits for a worker nor one that was upgraded yesterday', async () => {
    const { complete, start, analyses, caller, clock, cleanUp, ids } = await openCounted({
      retentionDays: 90,
    });
    const upgraded = await complete();
    const waiting = await start();
    clock.step(90 * dayMs);
    await analyses.retry(caller, { id: upgraded, options: { tier: 'forensicReporting' } });
    clock.step(dayMs);

    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 0));
    expect((await ids()).toSorted()).toEqual([upgraded, waiting].toSorted());
  });
});

describe('a hold', () => {
  test('keeps a deleted analysis until it is lifted', async () => {
    const { complete, remove, ids, clock, cleanUp, holds, caller, objects, rows } =
      await openCounted();
    const tenantId = caller.tenant.id;
    const [held, free] = [await complete(), await complete()];
    await remove(held);
    await remove(free);
    const hold = await holds.add({ tenantId, analysisId: held, reason: 'case 17' });
    clock.step(300 * dayMs);

    expect(await cleanUp()).toEqual(retentionNotice(0, 1, 2));
    expect([await ids(), await rows(), await objects()]).toEqual([[], [1, 1, 0], 2]);
    expect(await holds.list(tenantId)).toMatchObject([
      { analysisId: held, reason: 'case 17', createdDate: hold.createdDate },
    ]);
    await holds.remove({ tenantId, analysisId: held });

    expect(await cleanUp()).toEqual(retentionNotice(0, 1, 2));
    expect([await rows(), await objects()]).toEqual([[0, 0, 0], 0]);
  });

  test('on a tenant keeps all its analyses, deleted or only old, and none of others', async () => {
    const { analyses, complete, create, remove, ids, clock, cleanUp, holds, caller, openTenant } =
      await openCounted({ retentionDays: 1, deletedRetentionDays: 1 });
    const other = await openTenant('other');
    const old = await complete();
    await remove((await create()).id);
    await create({}, other);
    await holds.add({ tenantId: caller.tenant.id, analysisId: null, reason: '' });
    clock.step(2 * dayMs);

    expect(await cleanUp()).toEqual(retentionNotice(1, 0, 0));
    expect(await ids()).toEqual([old]);
    expect((await analyses.list(other, {})).analyses).toEqual([]);
  });

  test('of another tenant can neither be placed on an analysis nor lifted', async () => {
    const { create, holds, caller, openTenant } = await openCounted();
    const { id: analysisId } = await create();
    const foreign = { tenantId: (await openTenant('other')).tenant.id, analysisId, reason: '' };

    const placed = holds.add(foreign);
    await expect(placed).rejects.toMatchObject({ code: 'analysis_not_found' });
    await holds.add({ ...foreign, tenantId: caller.tenant.id });
    await expect(holds.remove(foreign)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('after a crash', () => {
  test('the copy of a start that never ended is removed after a day', async () => {
    const { create, upload, analyses, caller, clock, cleanUp, openProcess, store, objects } =
      await openCounted();
    const analysis = await upload(await create());
    const written = Promise.withResolvers<void>();
    const put = store.put.bind(store);
    store.put = async (...args) => {
      await put(...args);
      written.resolve();
      return new Promise(() => undefined);
    };
    // Times out after a minute, when nobody waits for it any more.
    analyses.start(caller, analysis.id).catch(() => undefined);
    await written.promise;
    const survivor = (await openProcess('two')).analyses;

    clock.step(dayMs - 1);
    expect(await cleanUp(survivor)).toEqual(retentionNotice(0, 0, 0));
    expect(await objects()).toBe(2);
    clock.step(1);

    expect(await cleanUp(survivor)).toEqual(retentionNotice(0, 0, 1));
    expect(await objects()).toBe(1);
  });

  test.each([
    ['was removed', true],
    ['may be removed at any moment', false],
  ])('a start that slept for a day does not use a copy that %s', async (_, isSwept) => {
    const { create, upload, analyses, caller, clock, cleanUp, store, status, objects } =
      await openCounted();
    const analysis = await upload(await create());
    const [written, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const put = store.put.bind(store);
    store.put = async (...args) => {
      const info = await put(...args);
      written.resolve();
      await awake.promise;
      return info;
    };
    const starting = analyses.start(caller, analysis.id);
    await written.promise;

    clock.step(dayMs);
    if (isSwept) await cleanUp();
    store.put = put;
    awake.resolve();

    await expect(starting).rejects.toMatchObject({ code: 'conflict' });
    expect(await status(analysis.id)).toMatchObject({ status: 'pending' });
    await analyses.start(caller, analysis.id);
    expect(await objects()).toBe(2);
  });

  test('heatmaps of unfinished runs are removed, those of finished runs stay', async () => {
    const { complete, start, worker, sandbox, store, clock, cleanUp, objects, errors } =
      await openCounted();
    await complete('forensicReporting');
    const [put, remove] = [store.put.bind(store), store.delete.bind(store)];
    const failure = new ForensicsError('store_unavailable', 'no');
    store.put = async (key, ...rest) => {
      if (key.endsWith('.pdf')) throw failure;
      return put(key, ...rest);
    };
    store.delete = () => Promise.reject(failure);
    await start('forensicReporting');
    await worker.drain();
    expect([errors.length > 0, sandbox.rendered.length]).toEqual([true, 2]);
    expect(await objects()).toBe(8 + 2 + 4);
    store.delete = remove;
    clock.step(dayMs);

    expect(await cleanUp()).toEqual(retentionNotice(0, 0, 6));
    expect(await objects()).toBe(8 + 2);
  });
});
