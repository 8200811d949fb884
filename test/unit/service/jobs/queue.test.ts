import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transact } from '../../../../src/ports/db/database.ts';
import { createQueue, type Queue } from '../../../../src/service/jobs/queue.ts';
import { steppedClock, testDb, temporaryFolder } from '../../ports/db/temporary.ts';

const leaseMs = 60_000;
const by = (workerId: string) => ({ workerId, leaseMs, kinds: ['work'] });

async function setUp() {
  const path = join(temporaryFolder(), 'jobs.db');
  const clock = steppedClock();
  const open = async () => {
    const db = await testDb(path);
    const queue = createQueue({ db, now: clock.now });
    const add = (payload: unknown, runAt?: Date) =>
      transact(db, (tx) => queue.enqueue(tx, 'work', payload, runAt ? { runAt } : {}));
    return { db, queue, add };
  };
  return { ...(await open()), open, clock };
}

const claimOne = async (queue: Queue, workerId = 'w') => (await queue.claim(by(workerId)))!;
const leaseLost = expect.objectContaining({ code: 'lease_lost' });

test('jobs are claimed in the order in which they became due', async () => {
  const { queue, add, clock } = await setUp();
  await add('later', new Date(clock.now().getTime() + 10));
  await add('first');
  clock.step(1);
  await add('second');
  clock.step(9);

  const order = [await claimOne(queue), await claimOne(queue), await claimOne(queue)].map(
    ({ payload }) => payload,
  );

  expect(order).toEqual(['first', 'second', 'later']);
  expect(await queue.claim(by('w'))).toBeNull();
});

test('a job is not claimed before it is due, nor by a worker for other kinds', async () => {
  const { queue, add, clock } = await setUp();
  await add('x', new Date(clock.now().getTime() + 5));

  expect(await queue.claim(by('w'))).toBeNull();
  expect(await queue.nextDueAt(['work'])).toEqual(new Date(clock.now().getTime() + 5));
  expect(await queue.nextDueAt(['other'])).toBeNull();
  clock.step(5);
  expect(await queue.claim({ ...by('w'), kinds: ['other'] })).toBeNull();
  expect(await queue.claim(by('w'))).toMatchObject({ payload: 'x', fence: 1 });
});

test('a job added before the clock was set back a day does not wait for a day', async () => {
  const { queue, add, clock } = await setUp();
  const dayMs = 24 * 3_600_000;
  clock.step(dayMs);
  await add('made tomorrow');
  clock.step(-dayMs);

  expect(await queue.nextDueAt(['work'])).toEqual(clock.now());
  expect(await queue.claim(by('w'))).toMatchObject({ payload: 'made tomorrow' });
  // Its lease is based on the current clock.
  expect(await queue.claim(by('v'))).toBeNull();
});

test('a lease taken before the clock was set back a day does not last a day', async () => {
  const { queue, add, clock } = await setUp();
  const dayMs = 24 * 3_600_000;
  await add('x');
  clock.step(dayMs);
  const lost = await claimOne(queue);
  clock.step(-dayMs);

  expect(await queue.claim(by('v'))).toMatchObject({ payload: 'x', fence: lost.fence + 1 });
});

test('two processes never hold the same job', async () => {
  const { queue, add, open } = await setUp();
  const other = (await open()).queue;
  for (let i = 0; i < 20; i++) await add(i);

  const payloads: unknown[] = [];
  for (let i = 0; i < 20; i++) payloads.push((await claimOne(i % 2 === 0 ? queue : other)).payload);

  expect(payloads.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 20 }, (_, i) => i),
  );
  expect(await other.claim(by('w'))).toBeNull();
});

test('a renewed lease holds, and one that runs out is taken over', async () => {
  const { queue, add, clock } = await setUp();
  await add('x');
  const first = await claimOne(queue, 'one');
  clock.step(leaseMs - 1);
  expect(await queue.extendLease(first, leaseMs)).toBe(true);
  clock.step(leaseMs - 1);
  expect(await queue.claim(by('two'))).toBeNull();
  clock.step(1);

  const second = await queue.claim(by('two'));

  expect(second).toMatchObject({ id: first.id, fence: 2 });
  expect(await queue.extendLease(first, leaseMs)).toBe(false);
});

test('a worker that lost its lease can neither finish, release nor continue', async () => {
  const { db, queue, add, clock } = await setUp();
  await add('x');
  const late = await claimOne(queue, 'one');
  clock.step(leaseMs);
  const holder = await claimOne(queue, 'two');

  await expect(() => transact(db, (tx) => queue.assertLease(tx, late))).rejects.toThrow(leaseLost);
  await expect(() => transact(db, (tx) => queue.release(tx, late, clock.now()))).rejects.toThrow(
    leaseLost,
  );
  await expect(() => transact(db, (tx) => queue.finish(tx, late))).rejects.toThrow(leaseLost);
  await transact(db, (tx) => queue.finish(tx, holder));
  expect(await queue.count('work')).toBe(0);
});

test('a released job is due at its time, and belongs to its new holder', async () => {
  const { db, queue, add, clock } = await setUp();
  await add('x');
  const job = await claimOne(queue);

  await transact(db, (tx) => queue.release(tx, job, new Date(clock.now().getTime() + 1000)));

  expect(await queue.claim(by('w'))).toBeNull();
  clock.step(1000);
  expect(await queue.claim(by('w'))).toMatchObject({ fence: 2 });
  await expect(() => transact(db, (tx) => queue.finish(tx, job))).rejects.toThrow(leaseLost);
});

test('a job is found at once behind a long queue of another owner', async () => {
  const { db, queue, clock } = await setUp();
  const add = (owner: string, jobs: number) =>
    transact(db, async (tx) => {
      for (let n = 0; n < jobs; n++) await queue.enqueue(tx, 'work', owner, { owner });
    });
  await add('long', 120);
  clock.step(1);
  await add('b', 1);
  await add('a', 2);
  const except = ['long'];
  const dueAt = await queue.nextDueAt(['work'], except);

  const order = [];
  for (let n = 0; n < 4; n++)
    order.push((await queue.claim({ ...by('w'), except: [except] }))?.payload ?? 'none');

  expect(dueAt).toEqual(clock.now());
  expect(order.slice(0, 3)).toEqual(expect.arrayContaining(['a', 'b']));
  expect(order[3]).toBe('none');
  expect(await queue.claim({ ...by('w'), except: [['long', 'a', 'b']] })).toBeNull();
  expect(await claimOne(queue)).toMatchObject({ payload: 'long' });
});

test('leased jobs are counted by the location of their workers, until the lease ends', async () => {
  const { queue, add, clock } = await setUp();
  for (const payload of ['a', 'b', 'c', 'waiting']) await add(payload);
  await claimOne(queue, 'here:1');
  await claimOne(queue, 'there:1');
  clock.step(leaseMs / 2);
  await claimOne(queue, 'here:2');

  expect(await queue.countLeased('work', 'here:')).toBe(2);
  expect(await queue.countLeased('other', 'here:')).toBe(0);
  clock.step(leaseMs / 2);
  expect(await queue.countLeased('work', 'here:')).toBe(1);
});
