import { describe, expect, test } from 'vitest';
import { fromRow } from '../../../../src/service/analyses/examination-row.ts';
import * as tables from '../../../../src/ports/db/schema.ts';
import type { Examination } from '../../../../src/detectors/result.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { examinationOf } from './scripted-sandbox.ts';
import { createRequest, openWorkshop } from './workshop.ts';

const options = { tier: 'forensicReporting' };

const fulfilled = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.filter(({ status }) => status === 'fulfilled').length;
const codes = (outcomes: readonly PromiseSettledResult<unknown>[]) => [
  ...new Set(outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))),
];

/** The next examination has begun when `hanging` is resolved, and ends when `late` is. */
function answerLate(sandbox: Awaited<ReturnType<typeof openWorkshop>>['sandbox']) {
  const hanging = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Examination>();
  sandbox.next((request) => {
    hanging.resolve();
    return late.promise.then(() => examinationOf(request));
  });
  return { hanging, late };
}

test('of simultaneous starts one succeeds, the others are refused, and one copy of the picture is kept', async () => {
  const { create, upload, analyses, caller, queue, store, db, evidence } = await openWorkshop();
  const analysis = await upload(await create());
  const kept = new Set<string>();
  const put = store.put.bind(store);
  const remove = store.delete.bind(store);
  store.put = (key, ...rest) => {
    kept.add(key);
    return put(key, ...rest);
  };
  store.delete = (key) => {
    kept.delete(key);
    return remove(key);
  };

  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, () => analyses.start(caller, analysis.id)),
  );

  expect(fulfilled(outcomes)).toBe(1);
  expect(codes(outcomes)).toEqual(['analysis_not_pending']);
  expect(await queue.count('analysis.run')).toBe(1);
  expect([...kept]).toEqual([(await evidence()).key]);
  expect(await db.select().from(tables.orphanObjects).all()).toEqual([]);
});

describe('an upgrade', () => {
  test('is complete at once and billed once, without a new inference or a message', async () => {
    const { complete, analyses, caller, sandbox, counters, messages, clock, db, store } =
      await openWorkshop();
    const id = await complete();
    const before = (await messages()).length;
    const { examination, examinedAt } = fromRow(
      (await db.select().from(tables.examinations).get())!,
    );
    clock.step(5000);

    const upgraded = await analyses.retry(caller, { id, options });

    expect(upgraded).toMatchObject({
      tierUpgradedFrom: 'flagging',
      tierUpgradedAt: '2026-03-01T12:00:05.000Z',
      input: { options },
      inferenceStatus: {
        status: 'completed',
        retryCount: 0,
        processingFinishTime: '2026-03-01T12:00:00.000Z',
        result: { predictions: { fake: 0.9 }, report: { de: { summary: 'summary de' } } },
      },
    });
    expect(sandbox.examined).toHaveLength(1);
    expect(sandbox.rendered).toMatchObject([{ examination, item: { analysisId: id, examinedAt } }]);
    expect(await messages()).toHaveLength(before);
    expect(await counters()).toMatchObject({
      'billed.flagging': 1,
      'billed.forensicReporting': 1,
      'result.fake': 1,
      'success.api': 1,
      upgrades: 1,
    });
    const { objectKey } = upgraded.inferenceStatus.result!.report!.en.pdfStorageUrls;
    expect(Buffer.from(await store.read(objectKey, 100)).toString()).toBe('pdf en');
  });

  test('called 100 times at once in two processes succeeds once and is billed once', async () => {
    const { complete, analyses, caller, counters, openProcess, sandbox } = await openWorkshop();
    const other = (await openProcess('two')).analyses;
    const id = await complete();

    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        (n % 2 === 0 ? analyses : other).retry(caller, { id, options }),
      ),
    );

    expect(fulfilled(outcomes)).toBe(1);
    expect(codes(outcomes)).toEqual(['analysis_not_retryable']);
    expect(await counters()).toMatchObject({ 'billed.forensicReporting': 1, upgrades: 1 });
    // Each process renders at most once.
    expect(sandbox.rendered.length).toBeLessThanOrEqual(2);
  });

  test('that cannot be rendered changes nothing and can be tried again', async () => {
    const { complete, analyses, caller, sandbox, counters } = await openWorkshop();
    const id = await complete();
    sandbox.breakRendering(new Error('no'));

    await expect(analyses.retry(caller, { id, options })).rejects.toThrow('no');
    expect(await analyses.get(caller, id)).toMatchObject({ tierUpgradedFrom: null });
    expect(await counters()).not.toHaveProperty('upgrades');
    sandbox.breakRendering(null);

    expect(await analyses.retry(caller, { id, options })).toMatchObject({
      tierUpgradedFrom: 'flagging',
    });
  });

  test('refuses a stored copy that differs from what was examined', async () => {
    const { complete, analyses, caller, store, evidence } = await openWorkshop();
    const id = await complete();
    await store.put((await evidence()).key, Buffer.from('something else'));

    const answer = analyses.retry(caller, { id, options });

    await expect(answer).rejects.toMatchObject({ code: 'evidence_damaged' });
  });
});

test('a retry whose options were merged before another retry ran and failed changes nothing', async () => {
  const { create, upload, analyses, caller, store, worker, sandbox, status, clock, openProcess } =
    await openWorkshop();
  const other = (await openProcess('two')).analyses;
  const analysis = await upload(await create(), Buffer.from('no picture'));
  const { id } = analysis;
  await expect(analyses.start(caller, id)).rejects.toThrow('not what was declared');
  await upload(analysis);
  const head = store.head.bind(store);
  store.head = async (key) => {
    store.head = head;
    clock.step(1000);
    sandbox.next(sandbox.fail('image_unreadable'));
    await other.retry(caller, { id, options });
    await worker.drain();
    return head(key);
  };

  const late = analyses.retry(caller, { id, options: { seed: 7 } });

  await expect(late).rejects.toMatchObject({ code: 'analysis_not_retryable' });
  expect(await status(id)).toMatchObject({ status: 'failed' });
  expect((await analyses.get(caller, id)).input.options).toMatchObject({
    tier: 'forensicReporting',
    seed: 1337,
  });
});

describe('a worker that dies', () => {
  const leaseMs = 60_000;

  test('repeatedly uses up no attempt, however often the server is killed', async () => {
    const { start, queue, clock, worker, status, sent, analyses, counters, sandbox } =
      await openWorkshop();
    const id = await start();
    const claim = { workerId: 'dying', leaseMs, kinds: ['analysis.run'] };
    const signal = new AbortController().signal;

    // Each of these claims the job, locks the analysis and never finishes.
    for (let life = 0; life < 100; life++) {
      const begun = Promise.withResolvers<void>();
      sandbox.next(() => {
        begun.resolve();
        return new Promise(() => undefined);
      });
      void analyses.run((await queue.claim(claim))!, { signal });
      await begun.promise;
      clock.step(leaseMs);
    }
    await worker.drain();

    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 0 });
    expect(await sent()).toEqual(['processing', 'completed']);
    expect(await counters()).toMatchObject({ runs: 1, 'billed.flagging': 1 });
    expect(await counters()).not.toHaveProperty('retries');
    expect(await queue.count('analysis.run')).toBe(0);
  });

  test('cannot lock an analysis after its lease has run out', async () => {
    const { start, queue, clock, analyses, status, messages, sandbox } = await openWorkshop();
    const id = await start();
    const claim = { workerId: 'slow', leaseMs, kinds: ['analysis.run'] };
    const late = (await queue.claim(claim))!;
    clock.step(leaseMs);
    await queue.claim({ ...claim, workerId: 'quick' });

    const run = analyses.run(late, { signal: new AbortController().signal });

    await expect(run).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await status(id)).toMatchObject({ status: 'pending' });
    expect(await messages()).toEqual([]);
    expect(sandbox.examined).toEqual([]);
  });

  test('returns the run on a clean stop, without a message or a counted retry', async () => {
    const { start, worker, openProcess, sandbox, status, sent } = await openWorkshop();
    const hanging = Promise.withResolvers<void>();
    sandbox.next((_, signal) => {
      hanging.resolve();
      return new Promise((_resolve, reject) => {
        // The child is killed mid-run: its crash is our doing and does not count as an attempt.
        const crash = new ForensicsError('inference_crashed', 'The child has gone.');
        signal!.addEventListener('abort', () => reject(crash));
      });
    });
    const id = await start();
    worker.start();
    await hanging.promise;

    await worker.stop({ graceMs: 0 });

    expect(await status(id)).toMatchObject({ status: 'processing', retryCount: 0 });
    await (await openProcess('two')).worker.drain();
    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 0 });
    expect(await sent()).toEqual(['processing', 'completed']);
  });
});

describe('a crash of the database', () => {
  const leaseMs = 60_000;
  const unbegun = { status: 'pending', processingStartedAt: null } as const;
  const unclaimed = { fence: 0, leasedBy: null, leasedUntil: null };

  test.each(['the beginning of a run', 'its claim as well, and another has it'])(
    'that undoes %s does not leave the analysis without a job',
    async (undone) => {
      const { start, worker, openProcess, sandbox, clock, db, queue, ...seen } =
        await openWorkshop();
      const { hanging, late } = answerLate(sandbox);
      const id = await start();
      const first = worker.drain();
      await hanging.promise;
      await db.update(tables.analyses).set(unbegun).run();
      if (undone.startsWith('its claim')) {
        await db.update(tables.jobs).set(unclaimed).run();
        expect(
          await queue.claim({ workerId: 'other', leaseMs, kinds: ['analysis.run'] }),
        ).not.toBeNull();
      }

      late.resolve(examinationOf(sandbox.examined[0]!));
      await first;
      clock.step(leaseMs);
      await (await openProcess('two')).worker.drain();

      expect(seen.errors).toMatchObject([{ code: 'lease_lost' }]);
      expect(await seen.status(id)).toMatchObject({ status: 'completed' });
      expect(await seen.counters()).toMatchObject({ 'billed.flagging': 1 });
      expect(await queue.count('analysis.run')).toBe(0);
    },
  );
});

describe('what is rendered', () => {
  test('is stored before anybody is told, and removed if nobody will be', async () => {
    const { start, worker, store, sandbox, analyses, caller, status } = await openWorkshop();
    const id = await start('forensicReporting');
    const written: string[] = [];
    const put = store.put.bind(store);
    store.put = async (key, ...rest) => {
      expect(await status(id)).toMatchObject({ status: 'processing' });
      written.push(key);
      if (written.length === 6) await analyses.remove(caller, id);
      return put(key, ...rest);
    };

    await worker.drain();

    expect(written).toHaveLength(6);
    expect(await Promise.all(written.map((key) => store.head(key)))).toEqual(Array(6).fill(null));
    expect(sandbox.rendered).toHaveLength(1);
  });

  test('leaves nothing behind when the store fails half-way, and is rendered again', async () => {
    const { start, worker, store, status, clock } = await openWorkshop();
    const id = await start('forensicReporting');
    const put = store.put.bind(store);
    const keys: string[] = [];
    store.put = async (key, ...rest) => {
      keys.push(key);
      if (keys.length === 3) throw new Error('disk on fire');
      return put(key, ...rest);
    };

    await worker.drain();
    const first = keys.slice(0, 6);
    expect(await Promise.all(first.map((key) => store.head(key)))).toEqual(Array(6).fill(null));
    clock.step(60_000);
    await worker.drain();

    expect(await status(id)).toMatchObject({ status: 'completed', retryCount: 1 });
  });
});

describe('an Idempotency-Key', () => {
  test('makes a create and a start happen once when sent twice', async () => {
    const { analyses, caller, upload, queue } = await openWorkshop();
    const create = () => analyses.create({ ...caller, idempotencyKey: 'c' }, createRequest());

    const [one, two] = await Promise.all([create(), create()]);
    await upload(one);
    const start = () => analyses.start({ ...caller, idempotencyKey: 's' }, one.id);
    await Promise.all([start(), start()]);
    await start();

    expect(two.id).toBe(one.id);
    expect((await analyses.list(caller, {})).total).toBe(1);
    expect(await queue.count('analysis.run')).toBe(1);
  });

  test('makes an upgrade answer every time and bill once, at once or later', async () => {
    const { complete, analyses, caller, counters, sandbox } = await openWorkshop();
    const id = await complete();
    const upgrade = () => analyses.retry({ ...caller, idempotencyKey: 'u' }, { id, options });

    const [one, two] = await Promise.all([upgrade(), upgrade()]);
    const three = await upgrade();

    expect([two, three]).toEqual([one, one]);
    expect(sandbox.rendered).toHaveLength(1);
    expect(await counters()).toMatchObject({ upgrades: 1 });
  });

  test('makes an upgrade answer twice and bill once when sent to two processes at once', async () => {
    const { complete, analyses, caller, counters, openProcess } = await openWorkshop();
    const id = await complete();
    const keyed = { ...caller, idempotencyKey: 'u' };
    const request = { id, options };

    const answers = await Promise.all(
      [analyses, (await openProcess('two')).analyses].map((one) => one.retry(keyed, request)),
    );

    expect(answers.map(({ tierUpgradedFrom }) => tierUpgradedFrom)).toEqual([
      'flagging',
      'flagging',
    ]);
    expect(await counters()).toMatchObject({ upgrades: 1 });
  });

  test('of a running upgrade cannot be used for another one', async () => {
    const { complete, analyses, caller, counters } = await openWorkshop();
    const ids = [await complete(), await complete()];
    const keyed = { ...caller, idempotencyKey: 'u' };

    const outcomes = await Promise.allSettled(
      ids.map((id) => analyses.retry(keyed, { id, options })),
    );

    expect(fulfilled(outcomes)).toBe(1);
    expect(codes(outcomes)).toEqual(['conflict']);
    expect(await counters()).toMatchObject({ upgrades: 1 });
  });

  test('of another request is a conflict', async () => {
    const { analyses, caller } = await openWorkshop();
    const keyed = { ...caller, idempotencyKey: 'c' };
    await analyses.create(keyed, createRequest());

    const other = analyses.create(keyed, { ...createRequest(), name: 'Another' });

    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });
});
