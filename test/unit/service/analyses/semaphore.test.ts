import { expect, test } from 'vitest';
import { createSemaphore } from '../../../../src/service/analyses/context.ts';
import { deferred } from '../jobs/deferred.ts';

test('no more acts run at once than there are places, and all run in order of arrival', async () => {
  const semaphore = createSemaphore(2);
  const ends = Array.from({ length: 5 }, () => deferred());
  const begun: number[] = [];
  const acts = ends.map(({ promise }, n) =>
    semaphore(`tenant ${n}`, async () => {
      begun.push(n);
      await promise;
      return n;
    }),
  );

  const seen = [];
  for (const { resolve } of ends) {
    await new Promise(setImmediate);
    seen.push([...begun]);
    resolve();
  }

  expect(seen).toEqual([
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 1, 2, 3, 4],
    [0, 1, 2, 3, 4],
  ]);
  expect(await Promise.all(acts)).toEqual([0, 1, 2, 3, 4]);
});

test('a failed act gives its place to the next', async () => {
  const semaphore = createSemaphore(1);

  const failing = semaphore('acme', async () => {
    throw new Error('no');
  });
  const next = semaphore('acme', async () => 'yes');

  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

test('one tenant never takes every place, however many of its acts wait', async () => {
  const semaphore = createSemaphore(4);
  const begun: string[] = [];
  const end = deferred();
  const enter = (tenant: string) =>
    semaphore(tenant, async () => {
      begun.push(tenant);
      await end.promise;
    });

  const acts = [...Array.from({ length: 6 }, () => enter('slow')), enter('acme'), enter('late')];
  await new Promise(setImmediate);
  const held = [...begun];
  end.resolve();
  await Promise.all(acts);

  expect(held).toEqual(['slow', 'slow', 'slow', 'acme']);
  expect(begun.toSorted()).toEqual(['acme', 'late', ...Array(6).fill('slow')]);
});
