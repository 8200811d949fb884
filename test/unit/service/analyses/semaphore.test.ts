import { expect, test } from 'vitest';
import { createSemaphore } from '../../../../src/service/analyses/context.ts';

test('one tenant never takes every place, however many of its acts wait', async () => {
  const semaphore = createSemaphore(4);
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
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
