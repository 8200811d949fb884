import { expect, test } from 'vitest';
import { createCached } from '../../../../../src/service/access/oidc/discovery.ts';
import { steppedClock } from '../../../ports/db/temporary.ts';

/** A value that is fresh for 100 ms, retried every 10 ms and kept for 1000 ms. */
function openCached(load: () => Promise<number>) {
  const { now, step } = steppedClock();
  const cached = createCached({ load, freshMs: 100, pauseMs: 10, keptMs: 1000, now });
  return { cached, step };
}

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
