import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBuckets } from '../../../../src/ports/storage/embedded/buckets.ts';
import type { BlobStore } from '../../../../src/ports/storage/store.ts';
import { codeOf } from './code-of.ts';
import { createLocalStore, type LocalStore } from '../../../fixtures/embedded-server.ts';
import { sendRaw } from '../../../fixtures/raw-request.ts';
import { otherBucket, startEmbeddedServer } from '../../../fixtures/embedded-server.ts';

const quotaBytes = 100_000;
/** More than the metadata of any object in these tests. */
const slackBytes = 1000;
let local: LocalStore;
let nowMs: number;

beforeEach(() => {
  local = createLocalStore();
  nowMs = Date.now();
});

afterEach(() => local.remove());

const now = () => new Date(nowMs);

async function* failingStream() {
  yield Buffer.alloc(80_000);
  throw new Error('gone');
}

/** Stands for a process: it shares the folder with the others, and nothing else. */
function openProcess(settings: Partial<Parameters<typeof createBuckets>[0]> = {}): BlobStore {
  return local.open({ buckets: createBuckets({ root: local.root, quotaBytes, now, ...settings }) });
}

const put = (store: BlobStore, key: string, sizeBytes: number) =>
  codeOf(() => store.put(key, Buffer.alloc(sizeBytes)));
const putStream = (store: BlobStore, key: string, sizeBytes: number) =>
  codeOf(() =>
    store.put(key, Readable.from([Buffer.alloc(sizeBytes / 2), Buffer.alloc(sizeBytes / 2)])),
  );
const bytesOnDisk = () => local.files().reduce((bytes, path) => bytes + statSync(path).size, 0);

describe('a quota', () => {
  test('applies to buffers and streams, and the error names it', async () => {
    const store = openProcess();

    expect(await put(store, 'a', 60_000)).toBe('admitted');
    expect([await put(store, 'b', 60_000), await putStream(store, 'b', 60_000)]).toEqual([
      'no_space_left',
      'no_space_left',
    ]);
    await expect(store.put('b', Buffer.alloc(60_000))).rejects.toThrow(/quota.*100000 bytes/);
    expect([await putStream(store, 'c', 30_000), local.files().length]).toEqual(['admitted', 2]);
  });

  test('has room again after objects are deleted or shrink', async () => {
    const store = openProcess();
    await put(store, 'a', 60_000);
    await put(store, 'b', 30_000);
    expect(await put(store, 'c', 30_000)).toBe('no_space_left');

    await store.delete('b');
    expect(await put(store, 'c', 30_000)).toBe('admitted');

    await store.delete('c');
    expect(await put(store, 'a', 30_000)).toBe('admitted');
    expect(await put(store, 'd', 60_000)).toBe('admitted');
  });

  test('is not exceeded by any number of concurrent writers', async () => {
    const store = openProcess();
    const sizes = Array.from({ length: 20 }, () => 12_000);

    const byBytes = await Promise.all(sizes.map((size, i) => put(store, `b${i}`, size)));
    for (let i = 0; i < sizes.length; i++) await store.delete(`b${i}`);
    const byStream = await Promise.all(sizes.map((size, i) => putStream(store, `s${i}`, size)));

    expect(byBytes.filter((code) => code === 'admitted').length).toBe(8);
    expect(byStream.filter((code) => code === 'admitted').length).toBeLessThanOrEqual(8);
    expect(bytesOnDisk()).toBeLessThan(quotaBytes + slackBytes * 8);
  });

  test('releases what a failed writer had reserved', async () => {
    const store = openProcess();

    await expect(store.put('a', Readable.from(failingStream()))).rejects.toThrow('gone');

    expect(await put(store, 'a', 80_000)).toBe('admitted');
  });

  test('is recounted after a restart', async () => {
    await put(openProcess(), 'a', 85_000);

    expect(await put(openProcess(), 'b', 20_000)).toBe('no_space_left');
    expect(await put(openProcess(), 'b', 10_000)).toBe('admitted');
  });

  test('counts another process’s puts within ten seconds, and its deletions within one', async () => {
    const [server, worker] = [openProcess(), openProcess()];
    await put(server, 'a', 10_000);
    await put(worker, 'b', 60_000);

    nowMs += 10_001;
    expect(await put(server, 'c', 60_000)).toBe('no_space_left');

    await worker.delete('b');
    nowMs += 1001;
    expect(await put(server, 'c', 60_000)).toBe('admitted');
  });

  test('applies to one bucket, and 0 means unlimited', async () => {
    const buckets = createBuckets({ root: local.root, quotaBytes });
    const [mine, other] = [local.open({ buckets }), local.open({ buckets, bucket: otherBucket })];
    await put(mine, 'a', 90_000);

    expect(await put(other, 'a', 90_000)).toBe('admitted');
    expect(await put(openProcess({ quotaBytes: 0 }), 'b', 90_000)).toBe('admitted');
  });
});

describe('the server', () => {
  test('answers 507 to a body that does not fit', async () => {
    const server = await startEmbeddedServer({ quotaBytes });
    const send = (key: string) =>
      sendRaw(server, server.sign('PUT', key), { method: 'PUT', body: Buffer.alloc(60_000) });

    const [first, second] = [await send('a'), await send('b')];

    expect([first.status, second.status, second.code]).toEqual([200, 507, 'no_space_left']);
    expect(second.body).toMatch(
      /"message":"This would exceed this tenant's storage quota, 100000 bytes/,
    );
    expect(server.files().length).toBe(1);
    await server.close();
  });
});
