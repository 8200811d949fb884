import {
  statSync,
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFailingDisk, type Act } from './failing-disk.ts';
import { createLocalStore, type LocalStore, bucket } from '../../../fixtures/embedded-server.ts';
import { fromDist } from '../../../built.ts';
import { canMount, onOwnDisk } from '../../../fixtures/own-disk.ts';
import { createBuckets } from '../../../../src/ports/storage/embedded/embedded.ts';
import { codeOf } from './code-of.ts';

let local: LocalStore;

beforeEach(() => {
  local = createLocalStore();
});

afterEach(() => local.remove());

describe('a put', () => {
  test('is synced before the rename, and its folder afterwards', async () => {
    const disk = createFailingDisk();
    const store = local.open({ fileSystem: disk.fileSystem });
    await store.put('key', Buffer.from('first'));
    disk.acts.length = 0;

    await store.put('key', Buffer.from('second'));

    expect(disk.acts).toEqual(['open', 'write', 'write', 'sync', 'rename', 'sync folder']);
  });

  test('into a new bucket syncs every folder that it creates', async () => {
    const disk = createFailingDisk();

    await local.open({ fileSystem: disk.fileSystem }).put('key', Buffer.from('x'));

    const foldersAfterRename = disk.acts.slice(disk.acts.indexOf('rename'));
    expect(disk.acts.filter((act) => act === 'sync folder').length).toBeGreaterThanOrEqual(5);
    expect(foldersAfterRename).toEqual(['rename', 'sync folder']);
  });

  test('leaves files that only the owner can read, with meaningless names', async () => {
    await local.open().put('../../secret name', Buffer.from('x'));

    const [path] = local.files();
    expect(path).toMatch(
      new RegExp(`^${local.root}/${bucket}/objects/([0-9a-f]{2})/\\1[0-9a-f]{62}$`),
    );
    expect(statSync(path!).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path!)).mode & 0o777).toBe(0o700);
  });
});

describe('presign', () => {
  test('names the public endpoint, and the second in which the URLs expire', () => {
    const urls = local
      .open({ expirySeconds: 3600 })
      .presign('ä b', new Date('2026-01-02T03:04:05.678Z'));

    expect(urls).toMatchObject({
      type: 's3',
      objectKey: 'ä b',
      expiresAt: '2026-01-02T04:04:05.000Z',
    });
    for (const url of [urls.putUrl, urls.getUrl, urls.deleteUrl]) {
      expect(url).toMatch(`https://store.example:8443/${bucket}/%C3%A4%20b?expires=1767326645&`);
    }
    expect(new Set([urls.putUrl, urls.getUrl, urls.deleteUrl]).size).toBe(3);
  });

  test('signs 2,100 URLs in less than 100 ms of processor time', () => {
    const store = local.open();
    const now = new Date();
    // Processor time, best of three: other load on this machine is not measured.
    const roundsMs = [0, 1, 2].map(() => {
      const before = process.cpuUsage();
      for (let i = 0; i < 700; i++) store.presign(`analyses/${i}/input.jpg`, now);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });

    expect(Math.min(...roundsMs)).toBeLessThan(100);
  });
});

test.each(['', '..', 'b-../../../../../../etc', 'B-0123456789abcdef01234567'])(
  'the bucket name %j is refused',
  (name) => {
    expect(() => local.open({ bucket: name })).toThrow(RangeError);
  },
);

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

  test.runIf(canMount)(
    'that is really full is no_space_left, and works again for a smaller object',
    () => {
      const script = new URL('full-disk.ts', import.meta.url).pathname;

      expect(JSON.parse(onOwnDisk('1m', local.root, [script]))).toEqual({
        code: 'no_space_left',
        files: 1,
        old: 'old',
        afterwards: 'small',
      });
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

  test('leaves files that are removed after an hour, at the next sweep', async () => {
    const incoming = join(local.root, bucket, 'incoming');
    mkdirSync(incoming, { recursive: true });
    const hoursAgo = Date.now() / 1000 - 7200;
    for (const file of ['old.part', 'new.part', 'notes.txt']) {
      writeFileSync(join(incoming, file), 'x');
      if (file !== 'new.part') utimesSync(join(incoming, file), hoursAgo, hoursAgo);
    }

    await createBuckets({ root: local.root }).sweep();

    expect(readdirSync(incoming).toSorted()).toEqual(['new.part', 'notes.txt']);
  });
});

test('a sweep of a folder that cannot be read is store_unavailable', async () => {
  mkdirSync(join(local.root, bucket));
  writeFileSync(join(local.root, bucket, 'incoming'), 'a file in the way');

  const { sweep } = createBuckets({ root: local.root });
  expect(await codeOf(sweep)).toBe('store_unavailable');
});
