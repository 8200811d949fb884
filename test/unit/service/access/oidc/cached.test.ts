import { expect, test } from 'vitest';
import { createCached } from '../../../../../src/service/access/oidc/discovery.ts';
import { steppedClock } from '../../../ports/db/temporary.ts';

/** A value that is fresh for 100 ms, retried every 10 ms and kept for 1000 ms. */
function openCached(load: () => Promise<number>) {
  const { now, step } = steppedClock();
  const cached = createCached({ load, freshMs: 100, pauseMs: 10, keptMs: 1000, now });
  return { cached, step };
}

test('twenty calls at once share one load', async () => {
  let loads = 0;
  const { cached } = openCached(async () => (loads += 1));

  const values = await Promise.all(Array.from({ length: 20 }, () => cached.current()));

  expect(new Set(values)).toEqual(new Set([1]));
});

test('a fresh value is not loaded again, an old one is', async () => {
  let loads = 0;
  const { cached, step } = openCached(async () => (loads += 1));

  const values = [await cached.current()];
  step(99);
  values.push(await cached.current());
  step(1);
  values.push(await cached.current());

  expect(values).toEqual([1, 1, 2]);
});

test('after a failed load, the old value is returned without waiting for the next load', async () => {
  let loads = 0;
  const { cached, step } = openCached(async () => {
    loads += 1;
    if (loads === 2) throw new Error('away');
    return loads === 1 ? 1 : new Promise<never>(() => undefined);
  });
  await cached.current();
  step(100);
  await cached.current();
  step(10);

  const value = await cached.current();

  expect([value, loads]).toEqual([1, 3]);
});

test('a value that could not be renewed for too long is not returned', async () => {
  let isAway = false;
  const { cached, step } = openCached(async () => {
    if (isAway) throw new Error('away');
    return 1;
  });
  await cached.current();
  isAway = true;

  step(999);
  expect(await cached.current()).toBe(1);
  step(1);
  await expect(cached.current()).rejects.toThrow('away');
});

test('a failure is repeated without another load until the pause is over', async () => {
  let loads = 0;
  const { cached, step } = openCached(async () => {
    loads += 1;
    throw new Error(`away ${loads}`);
  });

  await expect(cached.renewed()).rejects.toThrow('away 1');
  await expect(cached.current()).rejects.toThrow('away 1');
  step(10);
  await expect(cached.renewed()).rejects.toThrow('away 2');
});
