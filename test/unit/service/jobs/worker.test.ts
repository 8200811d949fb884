import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { transact } from '../../../../src/ports/db/database.ts';
import { createQueue } from '../../../../src/service/jobs/queue.ts';
import { createWorker, type Handler, withRoom } from '../../../../src/service/jobs/worker.ts';
import { steppedClock, testDb } from '../../ports/db/temporary.ts';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { refusal } from '../../../fixtures/refusal.ts';

/** A worker that finishes a job after its `work`; `done` are the payloads of those that are finished. */
async function setUp({
  work = async () => undefined,
  ...options
}: Partial<Parameters<typeof createWorker>[0]> & { work?: Handler } = {}) {
  const db = await testDb();
  const clock = steppedClock();
  const queue = createQueue({ db, now: clock.now });
  const errors: unknown[] = [];
  const done: unknown[] = [];
  const handler: Handler = async (job, how) => {
    await work(job, how);
    await transact(db, (tx) => queue.finish(tx, job));
    done.push(job.payload);
  };
  const worker = createWorker({
    db,
    queue,
    handlers: { work: handler },
    workerId: 'w',
    concurrency: 2,
    now: clock.now,
    pollMs: 3_600_000,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => worker.stop({ graceMs: 0 }));
  const add = (payload: unknown, owner?: string) =>
    transact(db, (tx) => queue.enqueue(tx, 'work', payload, owner === undefined ? {} : { owner }));
  return { clock, queue, worker, add, done, errors };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('drain runs everything that is due, at most `concurrency` at a time', async () => {
  let most = 0;
  const { queue, worker, add, done } = await setUp({
    work: async () => {
      await setTimeout(5);
      most = Math.max(most, worker.running());
    },
  });
  for (let i = 0; i < 5; i++) await add(i);

  await worker.drain();

  expect(done).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
  expect(await queue.count('work')).toBe(0);
});

test('no job is claimed while none could begin', async () => {
  let isFree = false;
  const { clock, worker, add, done } = await setUp({ canBegin: () => isFree });
  await add(1);
  await worker.drain();
  expect(done).toEqual([]);

  isFree = true;
  clock.step(250);
  await worker.drain();
  expect(done).toEqual([1]);
});

test('a new job wakes the worker at once, long before its next poll', async () => {
  const { worker, add, done } = await setUp();
  worker.start();
  await new Promise(setImmediate);

  await add('x');

  await expect.poll(() => done).toEqual(['x']);
});

test('a started worker takes the next job when one ends', async () => {
  const { worker, add, done } = await setUp({ work: async () => new Promise(setImmediate) });
  for (let i = 0; i < 5; i++) await add(i);
  // Jobs added before the start do not wake the worker.
  await new Promise(setImmediate);

  worker.start();

  await expect.poll(() => done).toEqual([0, 1, 2, 3, 4]);
});

test('a job whose handler throws is put back, for longer each time', async () => {
  const { queue, worker, add, clock, errors } = await setUp({
    work: async () => {
      throw new Error('broken');
    },
  });
  await add('x');

  await worker.drain();
  const firstPause = (await queue.nextDueAt(['work']))!.getTime() - clock.now().getTime();
  clock.step(firstPause);
  await worker.drain();
  const secondPause = (await queue.nextDueAt(['work']))!.getTime() - clock.now().getTime();

  expect([firstPause, secondPause]).toEqual([1000, 2000]);
  expect(errors).toEqual([new Error('broken'), new Error('broken')]);
});

test('a handler is told when another worker has taken over its job', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { queue, worker, add, clock } = await setUp({
    leaseMs: 30,
    work: async (_, { signal }) => {
      // The lease runs out, and another worker is quicker than the next heartbeat.
      clock.step(1000);
      await queue.claim({ workerId: 'other', leaseMs: 60_000, kinds: ['work'] });
      await untilAborted(signal).catch(resolve);
    },
  });
  await add('x');

  await worker.drain();

  expect(await promise).toMatchObject({ code: 'lease_lost' });
  expect(await queue.count('work')).toBe(1);
});

/** A started worker whose only job has begun its `work`. */
async function withBegunJob(work: (signal: AbortSignal) => Promise<void>) {
  const started = Promise.withResolvers<void>();
  const begun = await setUp({
    work: async (_, { signal }) => {
      started.resolve();
      await work(signal);
    },
  });
  begun.worker.start();
  await begun.add('x');
  await started.promise;
  return begun;
}

test('stop aborts a job that runs too long and puts it back, due at once', async () => {
  const { queue, worker, errors } = await withBegunJob(untilAborted);

  await worker.stop({ graceMs: 0 });

  const again = await queue.claim({ workerId: 'next', leaseMs: 1000, kinds: ['work'] });
  expect(again).toMatchObject({ payload: 'x', fence: 2 });
  expect(errors).toEqual([]);
});

test('stop waits for a handler that ends in time', async () => {
  const finish = Promise.withResolvers<void>();
  const { queue, worker } = await withBegunJob(async () => finish.promise);

  const stopped = worker.stop();
  finish.resolve();
  await stopped;

  expect(await queue.count('work')).toBe(0);
});

test('owners take turns, however many jobs one of them has added first', async () => {
  const { worker, add, done } = await setUp({ concurrency: 1 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) await add(name, 'a');
  for (const name of ['b1', 'b2']) await add(name, 'b');

  await worker.drain();

  expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('an owner whose job fails is paused for ten times as long, and the others do not wait', async () => {
  const begun: unknown[] = [];
  const { worker, add, clock } = await setUp({
    concurrency: 1,
    work: async ({ payload, owner }) => {
      begun.push(payload);
      if (owner !== 'slow') return;
      clock.step(60_000);
      throw new Error('no answer');
    },
  });
  for (const name of ['slow1', 'slow2', 'slow3']) await add(name, 'slow');
  for (const name of ['b1', 'b2', 'b3']) await add(name, 'b');

  await worker.drain();
  const first = begun.splice(0);
  clock.step(599_999);
  await worker.drain();
  const whilePaused = begun.splice(0);
  clock.step(1);
  await worker.drain();

  expect(first).toEqual(['slow1', 'b1', 'b2', 'b3']);
  expect(whilePaused).toEqual([]);
  expect(begun).toHaveLength(1);
});

test('an owner whose job failed gets one at a time until one succeeds', async () => {
  let isBroken = true;
  let running = 0;
  const most: number[] = [];
  const { queue, worker, add, clock } = await setUp({
    concurrency: 3,
    work: async () => {
      running += 1;
      most.push(running);
      await new Promise(setImmediate);
      running -= 1;
      if (isBroken) throw new Error('no answer');
    },
  });
  for (let i = 0; i < 6; i++) await add(i, 'slow');

  await worker.drain();
  const atFirst = most.splice(0);
  isBroken = false;
  clock.step(60_000);
  await worker.drain();

  expect(Math.max(...atFirst)).toBe(3);
  expect(most).toEqual([1, 1, 2, 3, 3, 3]);
  expect(await queue.count('work')).toBe(0);
});

test('a worker sleeps until a pause ends, not until a job of a paused owner is due', async () => {
  const again = Promise.withResolvers<void>();
  let tries = 0;
  const { worker, add } = await setUp({
    concurrency: 1,
    now: () => new Date(),
    work: async () => {
      tries += 1;
      if (tries === 2) again.resolve();
      throw new Error('no answer');
    },
  });
  worker.start();

  await add('x', 'slow');
  await add('y', 'slow');

  await again.promise;
  expect(tries).toBe(2);
});

const context = { signal: new AbortController().signal };

/** Each worker stands for a process: they share only the database. */
async function openRoom(bytes: number) {
  const [db, clock] = [await testDb(), steppedClock()];
  const queue = createQueue({ db, now: clock.now });
  const runsUnderWay = async () => queue.countLeased('work', 'here:');
  const ran: string[] = [];
  return {
    ran,
    clock,
    claim: async (workerId: string) => {
      await transact(db, (tx) => queue.enqueue(tx, 'work', {}));
      return (await queue.claim({ workerId, leaseMs: 60_000, kinds: ['work'] }))!;
    },
    finish: async (job: Parameters<typeof queue.finish>[1]) =>
      transact(db, (tx) => queue.finish(tx, job)),
    run: withRoom({ folder: tmpdir(), bytes, runsUnderWay }, async ({ id }) => void ran.push(id)),
  };
}

/** One such run fits on the disk and two do not, whatever other programs write meanwhile. */
async function moreThanHalfOfFree(): Promise<number> {
  const { bavail, bsize } = await statfs(tmpdir());
  return Math.floor(0.6 * bavail * bsize);
}

const noRoom = refusal('no_space_left', 'free some space');

test('a run does not begin if the disk has no room for what it writes', async () => {
  const { claim, run, ran } = await openRoom(2 ** 60);

  await expect(run(await claim('here:1'), context)).rejects.toEqual(noRoom);

  expect(ran).toEqual([]);
});

test('the room of a run is not given to a run of another process until the first one ends', async () => {
  const { claim, finish, run, ran } = await openRoom(await moreThanHalfOfFree());

  const first = await claim('here:1');
  await run(first, context);
  const second = await claim('here:2');
  await expect(run(second, context)).rejects.toEqual(noRoom);
  await finish(first);
  await run(second, context);

  expect(ran).toEqual([first.id, second.id]);
});

test('of two runs that are taken at once, neither begins if there is room for only one', async () => {
  const { claim, run, ran } = await openRoom(await moreThanHalfOfFree());

  const jobs = [await claim('here:1'), await claim('here:2')];
  const outcomes = await Promise.allSettled(jobs.map(async (job) => run(job, context)));

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ran).toEqual([]);
});

test('runs of other machines and of processes that died do not count', async () => {
  const { claim, run, ran, clock } = await openRoom(await moreThanHalfOfFree());

  await claim('here:1');
  clock.step(60_001);
  await claim('there:1');
  const job = await claim('here:2');
  await run(job, context);

  expect(ran).toEqual([job.id]);
});
