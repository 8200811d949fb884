import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BucketsSettings, createBuckets } from '../../../src/blobs/buckets.ts';
import type { Upload, Uploads } from '../../../src/blobs/multipart/uploads.ts';
import { codeOf } from './code-of.ts';
import { bucket } from './door-server.ts';
import { type Act, createFailingDisk } from './failing-disk.ts';
import { filesUnder } from './files-under.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'forensics-parts-'));
});

afterEach(() => rmSync(root, { recursive: true }));

const facts = { contentType: 'image/png', headers: { 'cache-control': 'no-store' } };
const all = { choose: <T>(parts: readonly T[]) => parts };
const open = (settings: Partial<BucketsSettings> = {}) =>
  createBuckets({ ...settings, root }).of(bucket);
const files = () => filesUnder(root);
const partFiles = () => files().filter((path) => /\.\d{5}$/.test(path));

async function textOf(key: string): Promise<string | null> {
  const object = await open().objects.open(key);
  if (object === null) return null;
  const blocks: Uint8Array[] = [];
  for await (const block of object.bytes(0, object.record.sizeBytes)) blocks.push(block);
  await object.close();
  return Buffer.concat(blocks).toString();
}

async function* source(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const putPart = (uploads: Uploads, upload: Upload, number: number, text: string) =>
  uploads.putPart(upload, number, { source: source(text) });

function age(path: string, days: number): void {
  const at = Date.now() / 1000 - days * 86_400;
  utimesSync(path, at, at);
}

async function putObject(key: string, text: string): Promise<void> {
  await open().objects.write(key, { ...facts, source: source(text) });
}

async function killDuringUploads(round: number): Promise<void> {
  const script = new URL('endless-uploads.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let steps = 0;
  // Each round ends in another step of an upload: two parts, three, completing, and the next one's beginning.
  createInterface({ input: child.stdout }).on('line', () => {
    if (++steps > 4 + round) child.kill('SIGKILL');
  });
  await ended;
  expect(steps).toBeGreaterThan(round);
}

describe('an upload in parts', () => {
  test('becomes one object with the facts that it began with, and leaves nothing else', async () => {
    const { uploads, objects } = open();
    const upload = await uploads.create('key', facts);
    await putPart(uploads, upload, 7, 'three');
    await putPart(uploads, upload, 2, 'not the last word');
    await putPart(uploads, upload, 2, 'two, ');

    const record = await uploads.complete(upload, all);

    expect([await textOf('key'), files().length]).toEqual(['two, three', 1]);
    expect(record).toMatchObject({ ...facts, key: 'key', sizeBytes: 10, etag: /-2$/ });
    expect(await objects.head('key')).toEqual(record);
  });

  test('goes on after a restart, and is found by its key only', async () => {
    const before = open().uploads;
    const { id } = await before.create('key', facts);
    await putPart(before, await before.find(id, 'key'), 1, 'one');

    const { uploads } = open();
    const upload = await uploads.find(id, 'key');
    await putPart(uploads, upload, 2, ' two');
    await uploads.complete(upload, all);

    expect(await textOf('key')).toBe('one two');
    expect(upload.facts).toEqual(facts);
    const other = await uploads.create('key', facts);
    for (const [wrongId, key] of [
      [other.id, 'other key'],
      [id, 'key'],
      ['../objects', 'key'],
    ] as const) {
      expect(await codeOf(() => uploads.find(wrongId, key))).toBe('NoSuchUpload');
    }
  });

  test('is completed once, however many ask for it at the same time', async () => {
    const { uploads } = open();
    const upload = await uploads.create('key', facts);
    await putPart(uploads, upload, 1, 'x'.repeat(100_000));
    const complete = () => uploads.complete(upload, all);

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => codeOf(complete)));

    expect(outcomes.filter((code) => code === 'admitted').length).toBe(1);
    expect(outcomes.filter((code) => code === 'NoSuchUpload').length).toBe(7);
    expect([await textOf('key'), files().length]).toEqual(['x'.repeat(100_000), 1]);
  });

  test('that is aborted takes parts no more, not even one that was on its way', async () => {
    const { uploads } = open();
    const upload = await uploads.create('key', facts);
    await putPart(uploads, upload, 1, 'one');
    async function* abortedMeanwhile() {
      yield Buffer.from('tw');
      await uploads.abort(upload);
      yield Buffer.from('o');
    }

    const late = () => uploads.putPart(upload, 2, { source: abortedMeanwhile() });

    expect(await codeOf(late)).toBe('NoSuchUpload');
    expect(await codeOf(() => uploads.abort(upload))).toBe('NoSuchUpload');
    expect(files()).toEqual([]);
  });

  test('holds in all its parts together what one object may hold, and not a byte more', async () => {
    const { uploads } = open({ maxObjectBytes: 10_000 });
    const upload = await uploads.create('key', facts);
    for (let number = 1; number <= 9; number++) {
      await putPart(uploads, upload, number, 'x'.repeat(1000));
    }
    const announced = () =>
      uploads.putPart(upload, 10, { source: source('x'), announcedBytes: 9000 });
    const tooMuch = ['x'.repeat(5500), 'x'.repeat(5500)];

    expect(await codeOf(announced)).toBe('EntityTooLarge');
    expect(await codeOf(() => putPart(uploads, upload, 10, 'x'.repeat(9000)))).toBe(
      'EntityTooLarge',
    );
    await putPart(uploads, upload, 10, 'x'.repeat(1000));
    expect((await uploads.complete(upload, all)).sizeBytes).toBe(10_000);

    const other = await uploads.create('other', facts);
    const codes = await Promise.all(
      tooMuch.map((text, index) => codeOf(() => putPart(uploads, other, index + 1, text))),
    );
    expect(codes.toSorted()).toEqual(['EntityTooLarge', 'admitted']);
  });

  test('with a damaged part is refused, and the object that was there stays', async () => {
    await putObject('key', 'old');
    const { uploads } = open();
    const upload = await uploads.create('key', facts);
    await putPart(uploads, upload, 1, 'one');
    const [path] = partFiles();
    const bytes = readFileSync(path!);
    bytes[0]! ^= 4;
    writeFileSync(path!, bytes);

    expect(await codeOf(() => uploads.complete(upload, all))).toBe('blob_damaged');
    expect(await textOf('key')).toBe('old');
    await putPart(uploads, upload, 1, 'new');
    await uploads.complete(upload, all);
    expect(await textOf('key')).toBe('new');
  });
});

test('a part that was moved to the number of another is not that part', async () => {
  const { uploads } = open();
  const upload = await uploads.create('key', facts);
  await putPart(uploads, upload, 1, 'one');
  const [path] = partFiles();
  renameSync(path!, path!.replace(/1$/, '2'));

  expect(await codeOf(() => uploads.complete(upload, all))).toBe('blob_damaged');
});

describe('a sweep', () => {
  test('removes uploads that began more than seven days ago, and parts without an upload', async () => {
    const { uploads } = open();
    const [old, young, gone] = [
      await uploads.create('old', facts),
      await uploads.create('young', facts),
      await uploads.create('gone', facts),
    ];
    for (const upload of [old, young, gone]) await putPart(uploads, upload, 1, 'part');
    const path = (name: string) => files().find((file) => basename(file) === name)!;
    age(path(`${old.id}.upload`), 7.01);
    age(path(`${young.id}.upload`), 6.99);
    rmSync(path(`${gone.id}.upload`));
    writeFileSync(join(root, bucket, 'uploads', 'notes.txt'), 'x');

    const removed = createBuckets({ root }).sweep();

    expect(removed).toBe(3);
    expect(
      files()
        .map((file) => basename(file))
        .toSorted(),
    ).toEqual([`${young.id}.00001`, `${young.id}.upload`, 'notes.txt'].toSorted());
  });
});

describe('a failing disk', () => {
  test.each<[Act, string, string]>([
    ['open', 'ENOSPC', 'no_space_left'],
    ['write', 'ENOSPC', 'no_space_left'],
    ['write', 'EIO', 'store_unavailable'],
    ['sync', 'EIO', 'store_unavailable'],
    ['rename', 'EROFS', 'store_unavailable'],
  ])(
    'at %s with %s is %s: object and upload stay, and it can go on',
    async (act, code, expected) => {
      await putObject('key', 'old');
      const disk = createFailingDisk();
      const { uploads } = open({ fileSystem: disk.fileSystem });
      const upload = await uploads.create('key', facts);
      await putPart(uploads, upload, 1, 'one');
      disk.fail(act, code);

      const failures = [
        await codeOf(() => uploads.create('other', facts)),
        await codeOf(() => putPart(uploads, upload, 1, 'other')),
        await codeOf(() => putPart(uploads, upload, 2, 'two')),
        await codeOf(() => uploads.complete(upload, all)),
      ];
      disk.fail(null);

      expect(failures).toEqual([expected, expected, expected, expected]);
      expect([await textOf('key'), files().length]).toEqual(['old', 3]);
      await putPart(uploads, upload, 2, ' two');
      await uploads.complete(upload, all);
      expect([await textOf('key'), files().length]).toEqual(['one two', 1]);
    },
  );

  test('is asked for one rename and one sync of the folder when an upload is completed', async () => {
    const disk = createFailingDisk();
    const { uploads } = open({ fileSystem: disk.fileSystem });
    await putObject('key', 'old');
    const upload = await uploads.create('key', facts);
    await putPart(uploads, upload, 1, 'one');
    disk.acts.length = 0;

    await uploads.complete(upload, all);

    // The last sync is that of the upload's folder, when the object is safe already.
    expect(disk.acts.filter((act) => act !== 'sync folder')).toEqual([
      'open',
      'write',
      'write',
      'sync',
      'rename',
    ]);
    expect(disk.acts.slice(disk.acts.indexOf('rename'))).toEqual([
      'rename',
      'sync folder',
      'sync folder',
    ]);
  });
});

describe('a crash', () => {
  test('at any point leaves the object whole, and uploads that can be completed or aborted', async () => {
    const size = 1_500_000;
    await putObject('key', 'A'.repeat(size));
    for (let round = 1; round <= 4; round++) {
      await killDuringUploads(round);
      const survivor = open();
      survivor.sweep();
      const { uploads } = survivor;

      const text = (await textOf('key')) ?? '';
      expect([text.length, new Set(text).size]).toEqual([size, 1]);
      for await (const upload of uploads.all()) {
        const parts = await uploads.parts(upload);
        if (parts.length === 3) await uploads.complete(upload, all);
        else await uploads.abort(upload);
      }
      survivor.sweep();
      expect(files().length).toBe(1);
    }
  });
});
