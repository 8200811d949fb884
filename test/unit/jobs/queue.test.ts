import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transact } from '../../../src/db/open.ts';
import { createQueue, type Queue } from '../../../src/jobs/queue.ts';
import { steppedClock, temporaryDb, temporaryFolder } from '../db/temporary.ts';

const leaseMs = 60_000;
const by = (workerId: string) => ({ workerId, leaseMs, kinds: ['work'] });

function setUp() {
  const path = join(temporaryFolder(), 'jobs.db');
  const clock = steppedClock();
  const open = () => {
    const db = temporaryDb(path);
    const queue = createQueue({ db, now: clock.now });
    const add = (payload: unknown, runAt?: Date) =>
      transact(db, (tx) => queue.enqueue(tx, 'work', payload, runAt ? { runAt } : {}));
    return { db, queue, add };
  };
  return { ...open(), open, clock };
}

const claimed = (queue: Queue, workerId = 'w') => queue.claim(by(workerId))!;
const leaseLost = expect.objectContaining({ code: 'lease_lost' });

test('jobs are claimed in the order in which they became due', () => {
  const { queue, add, clock } = setUp();
  add('later', new Date(clock.now().getTime() + 10));
  add('first');
  clock.step(1);
  add('second');
  clock.step(9);

  const order = [claimed(queue), claimed(queue), claimed(queue)].map(({ payload }) => payload);

  expect(order).toEqual(['first', 'second', 'later']);
  expect(queue.claim(by('w'))).toBeNull();
});

test('a job is not claimed before it is due, nor by a worker for other kinds', () => {
  const { queue, add, clock } = setUp();
  add('x', new Date(clock.now().getTime() + 5));

  expect(queue.claim(by('w'))).toBeNull();
  expect(queue.nextDueAt(['work'])).toEqual(new Date(clock.now().getTime() + 5));
  expect(queue.nextDueAt(['other'])).toBeNull();
  clock.step(5);
  expect(queue.claim({ ...by('w'), kinds: ['other'] })).toBeNull();
  expect(queue.claim(by('w'))).toMatchObject({ payload: 'x', fence: 1 });
});

test('a job made before the clock was put back a day does not wait for that day', () => {
  const { queue, add, clock } = setUp();
  const dayMs = 24 * 3_600_000;
  clock.step(dayMs);
  add('made tomorrow');
  clock.step(-dayMs);

  expect(queue.nextDueAt(['work'])).toEqual(clock.now());
  expect(queue.claim(by('w'))).toMatchObject({ payload: 'made tomorrow' });
  // Its lease is one of the present clock.
  expect(queue.claim(by('v'))).toBeNull();
});

test('a lease taken before the clock was put back a day does not last that day', () => {
  const { queue, add, clock } = setUp();
  const dayMs = 24 * 3_600_000;
  add('x');
  clock.step(dayMs);
  const lost = claimed(queue);
  clock.step(-dayMs);

  expect(queue.claim(by('v'))).toMatchObject({ payload: 'x', fence: lost.fence + 1 });
});

test('an enqueue that is rolled back leaves no job', () => {
  const { db, queue } = setUp();

  const act = () =>
    transact(db, (tx) => {
      queue.enqueue(tx, 'work', 'x');
      throw new Error('no');
    });

  expect(act).toThrow('no');
  expect(queue.count('work')).toBe(0);
});

test('two processes never hold the same job', () => {
  const { queue, add, open } = setUp();
  const other = open().queue;
  for (let i = 0; i < 20; i++) add(i);

  const taken = Array.from({ length: 20 }, (_, i) => claimed(i % 2 === 0 ? queue : other).payload);

  expect(taken.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 20 }, (_, i) => i),
  );
  expect(other.claim(by('w'))).toBeNull();
});

test('a lease that is renewed holds; one that runs out is taken over and says so', () => {
  const { queue, add, clock } = setUp();
  add('x');
  const first = claimed(queue, 'one');
  clock.step(leaseMs - 1);
  expect(queue.extendLease(first, leaseMs)).toBe(true);
  clock.step(leaseMs - 1);
  expect(queue.claim(by('two'))).toBeNull();
  clock.step(1);

  const second = queue.claim(by('two'));

  expect(second).toMatchObject({ id: first.id, fence: 2 });
  expect(queue.extendLease(first, leaseMs)).toBe(false);
});

test('who lost the lease can neither finish nor release nor go on', () => {
  const { db, queue, add, clock } = setUp();
  add('x');
  const late = claimed(queue, 'one');
  clock.step(leaseMs);
  const holder = claimed(queue, 'two');

  expect(() => transact(db, (tx) => queue.assertLease(tx, late))).toThrow(leaseLost);
  expect(() => transact(db, (tx) => queue.release(tx, late, clock.now()))).toThrow(leaseLost);
  expect(() => transact(db, (tx) => queue.finish(tx, late))).toThrow(leaseLost);
  transact(db, (tx) => queue.finish(tx, holder));
  expect(queue.count('work')).toBe(0);
});

test('a released job comes back at its time, and only to its new holder', () => {
  const { db, queue, add, clock } = setUp();
  add('x');
  const job = claimed(queue);

  transact(db, (tx) => queue.release(tx, job, new Date(clock.now().getTime() + 1000)));

  expect(queue.claim(by('w'))).toBeNull();
  clock.step(1000);
  expect(queue.claim(by('w'))).toMatchObject({ fence: 2 });
  expect(() => transact(db, (tx) => queue.finish(tx, job))).toThrow(leaseLost);
});

test('the next job is found in the index, however long the queue', () => {
  const { db } = setUp();

  const plan = db.$client
    .prepare<[string], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE kind = ?
       ORDER BY coalesce(leased_until, run_at), jobs.rowid LIMIT 1`,
    )
    .all('work');

  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH jobs USING INDEX jobs_by_due (kind=?)',
  ]);
});
