import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Chore, createChores } from '../../../../src/service/jobs/worker.ts';
import { steppedClock, temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';

const hourMs = 3_600_000;

function setUp() {
  const file = join(temporaryFolder(), 'test.db');
  const clock = steppedClock();
  const errors: unknown[] = [];
  /** The chores of one process. */
  const open = (...chores: readonly Chore[]) =>
    createChores({
      db: temporaryDb(file),
      now: clock.now,
      chores,
      onError: (error) => void errors.push(error),
    });
  return { clock, errors, open };
}

function countingChore(name: string) {
  const times = { count: 0 };
  return { times, chore: { name, run: () => void times.count++ } };
}

test('a chore runs once a day, whatever the number of processes and restarts', async () => {
  const { clock, open } = setUp();
  const { times, chore } = countingChore('sweep');
  const [one, two] = [open(chore), open(chore)];

  await Promise.all([one.drain(), two.drain(), one.drain()]);
  expect(times.count).toBe(1);
  clock.step(24 * hourMs - 1);
  await two.drain();
  await open(chore).drain();
  expect(times.count).toBe(1);
  clock.step(1);
  await Promise.all([two.drain(), one.drain()]);

  expect(times.count).toBe(2);
});

test('a failed chore is reported, does not block the others, and is retried after an hour', async () => {
  const { clock, open, errors } = setUp();
  const { times, chore } = countingChore('sweep');
  let attempts = 0;
  const broken: Chore = {
    name: 'broken',
    run: async () => {
      attempts++;
      throw new Error('no broom');
    },
  };
  const chores = open(broken, chore);

  await chores.drain();
  await chores.drain();
  expect([attempts, times.count]).toEqual([1, 1]);
  clock.step(hourMs);
  await chores.drain();

  expect([attempts, times.count]).toEqual([2, 1]);
  expect(errors).toEqual([
    expect.objectContaining({ message: 'no broom' }),
    expect.objectContaining({ message: 'no broom' }),
  ]);
});

test('setting the clock back does not stop the chores', async () => {
  const { clock, open } = setUp();
  const { times, chore } = countingChore('sweep');
  const chores = open(chore);
  await chores.drain();

  clock.step(-365 * 24 * hourMs);
  await chores.drain();

  expect(times.count).toBe(2);
});

test('a stop aborts the running chore, waits for its end, and begins no other', async () => {
  const { open } = setUp();
  const { times, chore } = countingChore('sweep');
  const begun = Promise.withResolvers<void>();
  let isAborted = false;
  const long: Chore = {
    name: 'long',
    run: async (signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isAborted = true;
    },
  };
  const chores = open(long, chore);
  chores.start();
  await begun.promise;

  await chores.stop();

  expect([isAborted, times.count]).toEqual([true, 0]);
});
