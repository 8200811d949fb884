import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { withRoom } from '../../../src/service/jobs/worker.ts';
import { transact } from '../../../src/ports/db/database.ts';
import { createQueue } from '../../../src/service/jobs/queue.ts';
import { steppedClock, testDb } from '../ports/db/temporary.ts';

const kind = 'analysis.run';
const context = { signal: new AbortController().signal };

/** Each worker stands for a process: they share only the database. */
async function setUp(bytes: number) {
  const [db, clock] = [await testDb(), steppedClock()];
  const queue = createQueue({ db, now: clock.now });
  const runsUnderWay = async () => queue.countLeased(kind, 'here:');
  const ran: string[] = [];
  return {
    ran,
    clock,
    claim: async (workerId: string) => {
      await transact(db, (tx) => queue.enqueue(tx, kind, {}));
      return (await queue.claim({ workerId, leaseMs: 60_000, kinds: [kind] }))!;
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

const noRoom = expect.objectContaining({
  code: 'no_space_left',
  message: expect.stringContaining('free some space'),
});

test('a run does not begin if the disk has no room for what it writes', async () => {
  const { claim, run, ran } = await setUp(2 ** 60);

  await expect(run(await claim('here:1'), context)).rejects.toEqual(noRoom);

  expect(ran).toEqual([]);
});

test('the room of a run is not given to a run of another process until the first one ends', async () => {
  const { claim, finish, run, ran } = await setUp(await moreThanHalfOfFree());

  const first = await claim('here:1');
  await run(first, context);
  const second = await claim('here:2');
  await expect(run(second, context)).rejects.toEqual(noRoom);
  await finish(first);
  await run(second, context);

  expect(ran).toEqual([first.id, second.id]);
});

test('of two runs that are taken at once, neither begins if there is room for only one', async () => {
  const { claim, run, ran } = await setUp(await moreThanHalfOfFree());

  const jobs = [await claim('here:1'), await claim('here:2')];
  const outcomes = await Promise.allSettled(jobs.map(async (job) => run(job, context)));

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ran).toEqual([]);
});

test('runs of other machines and of processes that died do not count', async () => {
  const { claim, run, ran, clock } = await setUp(await moreThanHalfOfFree());

  await claim('here:1');
  clock.step(60_001);
  await claim('there:1');
  const job = await claim('here:2');
  await run(job, context);

  expect(ran).toEqual([job.id]);
});
