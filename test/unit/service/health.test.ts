import { expect, test } from 'vitest';
import { createHealth } from '../../../src/service/health.ts';

function healthOf(change: Partial<Parameters<typeof createHealth>[0]> = {}) {
  return createHealth({
    database: { check: async () => undefined },
    queue: { nextDueAt: async () => null },
    checkModel: async () => undefined,
    checkStorage: async () => undefined,
    jobKinds: ['run'],
    jobsInHand: () => 0,
    hasFailingReceiver: async () => false,
    isLogWorking: () => true,
    now: () => new Date(),
    ...change,
  });
}

async function failingParts(health: ReturnType<typeof createHealth>) {
  return (await health()).filter(({ cause }) => cause !== null).map(({ name }) => name);
}

test('nothing fails when everything works', async () => {
  expect(await failingParts(healthOf())).toEqual([]);
});

test('each failing part is named', async () => {
  const health = healthOf({
    database: {
      check: async () => {
        throw new Error('closed');
      },
    },
    checkStorage: async () => {
      throw new Error('gone');
    },
    checkModel: async () => {
      throw new Error('none');
    },
  });

  expect(await failingParts(health)).toEqual(['database', 'storage', 'model']);
});

test('a long queue is healthy while a worker is busy', async () => {
  const now = new Date();
  const queue = { nextDueAt: async () => new Date(now.getTime() - 3_600_000) };

  expect(await failingParts(healthOf({ queue, now: () => now, jobsInHand: () => 1 }))).toEqual([]);
  expect(await failingParts(healthOf({ queue, now: () => now }))).toEqual(['queue']);
});

test('a receiver that does not answer is reported, and is not vital', async () => {
  const checks = await healthOf({ hasFailingReceiver: async () => true })();

  expect(checks.filter(({ cause }) => cause !== null)).toMatchObject([
    { name: 'webhooks', isVital: false },
  ]);
  expect(checks.filter(({ isVital }) => isVital).map(({ name }) => name)).toEqual([
    'database',
    'storage',
    'model',
    'queue',
  ]);
});

test('a log that loses lines is reported, and is not vital', async () => {
  const checks = await healthOf({ isLogWorking: () => false })();

  expect(checks.filter(({ cause }) => cause !== null)).toMatchObject([
    { name: 'log', isVital: false },
  ]);
});

test('a second check within a second returns the result of the first', async () => {
  let checks = 0;
  let now = new Date();
  const database = { check: async () => void checks++ };
  const health = healthOf({ database, now: () => now });
  await Promise.all([health(), health()]);
  await health();
  now = new Date(now.getTime() + 1000);
  await health();

  expect(checks).toBe(2);
});
