import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolder, checkRemote } from '../../../src/service/health.ts';
import { ForensicsError } from '../../../src/errors.ts';
import { steppedClock, temporaryFolder } from '../ports/db/temporary.ts';

test('a folder that can be written to is well, and the look leaves nothing behind', async () => {
  const folder = temporaryFolder();

  await checkFolder(folder)();

  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that is gone is told, and not made', async () => {
  const folder = join(temporaryFolder(), 'gone');

  await expect(checkFolder(folder)()).rejects.toThrow(/ENOENT/);
  expect(existsSync(folder)).toBe(false);
});

test('a store is asked once in ten seconds, and its failure is told as long', async () => {
  const { now, step } = steppedClock();
  let asked = 0;
  const store = {
    async head() {
      asked++;
      if (asked === 1) throw new ForensicsError('store_unavailable', 'Away.');
      return null;
    },
  };
  const check = checkRemote(store, { now });

  await expect(Promise.all([check(), check()])).rejects.toThrow('Away.');
  step(9_999);
  await expect(check()).rejects.toThrow('Away.');
  step(1);
  await check();

  expect(asked).toBe(2);
});

test('nobody waits for a store that does not answer', async () => {
  const store = { head: async () => new Promise<null>(() => undefined) };
  const check = checkRemote(store, { now: () => new Date(), timeoutMs: 20 });

  await expect(check()).rejects.toMatchObject({ code: 'store_unavailable' });
});
