import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolder, checkRemote } from '../../../src/service/health.ts';
import { ForensicsError } from '../../../src/errors.ts';
import { steppedClock, temporaryFolder } from '../ports/db/temporary.ts';

test('a writable folder passes, and the check leaves nothing behind', async () => {
  const folder = temporaryFolder();

  await checkFolder(folder);

  expect(readdirSync(folder)).toEqual([]);
});

const mayMount = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0;

test.runIf(mayMount)('a full disk is reported before writing becomes impossible', () => {
  const folder = temporaryFolder();
  const module = new URL('../../../src/service/health.ts', import.meta.url).href;
  const script = `const { checkFolder } = await import('${module}');
    await checkFolder('${folder}').catch(({ code }) => process.stdout.write(code));`;
  const mount = `mount -t tmpfs -o size=8m tmpfs ${folder} && exec "$@"`;
  const command = ['sh', '-c', mount, 'sh', process.execPath, '--input-type=module', '-e', script];

  const { stdout } = spawnSync('unshare', ['--map-root-user', '--mount', ...command]);

  expect(stdout.toString()).toBe('no_space_left');
});

test('a missing folder is reported and not created', async () => {
  const folder = join(temporaryFolder(), 'gone');

  await expect(checkFolder(folder)).rejects.toThrow(/ENOENT/);
  expect(existsSync(folder)).toBe(false);
});

test('a store is asked once in ten seconds, and its failure is repeated until then', async () => {
  const { now, step } = steppedClock();
  let requests = 0;
  const store = {
    async head() {
      requests++;
      if (requests === 1) throw new ForensicsError('store_unavailable', 'Away.');
      return null;
    },
  };
  const check = checkRemote(store, { now });

  await expect(Promise.all([check(), check()])).rejects.toThrow('Away.');
  step(9_999);
  await expect(check()).rejects.toThrow('Away.');
  step(1);
  await check();

  expect(requests).toBe(2);
});

test('a store that does not answer fails at the timeout', async () => {
  const store = { head: async () => new Promise<null>(() => undefined) };
  const check = checkRemote(store, { now: () => new Date(), timeoutMs: 20 });

  await expect(check()).rejects.toMatchObject({ code: 'store_unavailable' });
});
