import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromDist } from '../../../built.ts';
import { createBuckets } from '../../../../src/ports/storage/embedded/embedded.ts';
import { codeOf } from './code-of.ts';
import { type Act, createFailingDisk } from './failing-disk.ts';
import { createLocalStore, type LocalStore, bucket } from '../../../fixtures/embedded-server.ts';

let local: LocalStore;

beforeEach(() => {
  local = createLocalStore();
});

afterEach(() => local.remove());

async function putAndFind(key: string): Promise<string> {
  await local.open().put(key, Buffer.from('0123456789'));
  return local.files()[0]!;
}

async function killDuringPuts(round: number): Promise<void> {
  const script = new URL('endless-puts.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...fromDist, script, local.root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let puts = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    puts = Number(line) + 1;
    if (puts > round) child.kill('SIGKILL');
  }
  await ended;
  expect(puts).toBeGreaterThan(round);
}

describe('a failing disk', () => {
  test.each<[Act, string, string]>([
    ['open', 'ENOSPC', 'no_space_left'],
    ['write', 'ENOSPC', 'no_space_left'],
    ['write', 'EDQUOT', 'no_space_left'],
    ['write', 'EIO', 'store_unavailable'],
    ['sync', 'ENOSPC', 'no_space_left'],
    ['sync', 'EIO', 'store_unavailable'],
    ['rename', 'ENOSPC', 'no_space_left'],
    ['rename', 'EROFS', 'store_unavailable'],
    ['mkdir', 'EACCES', 'store_unavailable'],
  ])(
    'at %s with %s is %s: the old object survives, nothing is left over, and puts work again',
    async (act, code, expected) => {
      const disk = createFailingDisk();
      const store = local.open({ fileSystem: disk.fileSystem });
      if (act !== 'mkdir') await store.put('key', Buffer.from('old'));
      disk.fail(act, code);

      const failed = await store.put('key', Buffer.from('new')).catch((error: unknown) => error);
      const left = local.files().length;
      disk.fail(null);

      const message = expect.not.stringContaining(local.root);
      expect(failed).toMatchObject({ code: expected, message });
      expect(left).toBe(act === 'mkdir' ? 0 : 1);
      if (act !== 'mkdir') expect(await local.textOf('key')).toBe('old');
      await store.put('key', Buffer.from('new'));
      expect(await local.textOf('key')).toBe('new');
    },
  );

  const canMount =
    spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
  test.skipIf(!canMount)(
    'that is really full is no_space_left, and works again for a smaller object',
    () => {
      const script = new URL('full-disk.ts', import.meta.url).pathname;
      const mount = `mount -t tmpfs -o size=1m none ${local.root} && ${process.execPath} ${script} ${local.root}`;

      const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', mount]);

      expect([stderr.toString(), JSON.parse(stdout.toString())]).toEqual([
        '',
        { code: 'no_space_left', files: 1, old: 'old', afterwards: 'small' },
      ]);
    },
  );
});

describe('a damaged file', () => {
  test('is never read, wherever a bit is flipped', async () => {
    const path = await putAndFind('key');
    const whole = readFileSync(path);
    const outcomes = new Set<string>();

    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 4;
      writeFileSync(path, bytes);
      outcomes.add(await codeOf(() => local.open().read('key', 100)));
    }

    expect([...outcomes]).toEqual(['blob_damaged']);
  });

  test('is never read if it is shorter or longer than written', async () => {
    const path = await putAndFind('key');
    const { size } = statSync(path);
    appendFileSync(path, 'x');
    const longer = local.open().head('key');
    await expect(longer).rejects.toMatchObject({ code: 'blob_damaged' });

    for (let length = size; length >= 0; length--) {
      truncateSync(path, length);
      if (length === size) await expect(local.open().head('key')).resolves.not.toBeNull();
      else await expect(local.open().head('key')).rejects.toMatchObject({ code: 'blob_damaged' });
    }
  });

  test('moved to the name of another key is not read as that key', async () => {
    const path = await putAndFind('one');
    await local.open().put('two', Buffer.from('x'));
    const other = local.files().find((file) => file !== path)!;
    renameSync(path, other);

    await expect(local.open().read('two', 100)).rejects.toMatchObject({ code: 'blob_damaged' });
  });

  test('can be replaced and removed', async () => {
    const path = await putAndFind('key');
    truncateSync(path, 3);

    await local.open().put('key', Buffer.from('new'));
    expect(await local.textOf('key')).toBe('new');

    truncateSync(path, 3);
    await local.open().delete('key');
    expect(await local.open().head('key')).toBeNull();
  });
});

describe('a crash', () => {
  test('at any point leaves the old or the new object', async () => {
    await local.open().put('key', Buffer.alloc(3_000_000, 'A'));

    for (let round = 0; round < 4; round++) {
      await killDuringPuts(round);
      const bytes = await local.open().read('key', 3_000_000);

      expect(bytes.length).toBe(3_000_000);
      expect(new Set(bytes).size).toBe(1);
      // Unfinished files may stay for an hour, in another folder.
      expect(local.files().filter((path) => !path.includes('/incoming/')).length).toBe(1);
    }
  });

  test('leaves files that are removed after an hour, at the next start', () => {
    const incoming = join(local.root, bucket, 'incoming');
    mkdirSync(incoming, { recursive: true });
    const hoursAgo = Date.now() / 1000 - 7200;
    for (const file of ['old.part', 'new.part', 'notes.txt']) {
      writeFileSync(join(incoming, file), 'x');
      if (file !== 'new.part') utimesSync(join(incoming, file), hoursAgo, hoursAgo);
    }

    createBuckets({ root: local.root }).sweep();

    expect(readdirSync(incoming).toSorted()).toEqual(['new.part', 'notes.txt']);
  });
});

test('a start with a folder that cannot be read is store_unavailable', async () => {
  mkdirSync(join(local.root, bucket));
  writeFileSync(join(local.root, bucket, 'incoming'), 'a file in the way');

  const sweep = async () => createBuckets({ root: local.root }).sweep();
  expect(await codeOf(sweep)).toBe('store_unavailable');
});
