/**
 * What every store promises, wherever the bytes are kept: the same tests for the embedded store, S3
 * and Azure. A suite, not a test file: each implementation's test file calls it.
 */

import { randomBytes } from 'node:crypto';
import { type Dispatcher, fetch, type RequestInit, type Response } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/ports/storage/store.ts';
import { refusal } from '../fixtures/refusal.ts';

export interface StoreUnderTest {
  readonly store: BlobStore;
  /** Another tenant's store on the same server. */
  readonly stranger: BlobStore;
  /** For presigned URLs; trusts the server's certificate. */
  readonly dispatcher: Dispatcher;
  /** Headers that a client must send with a PUT. */
  readonly putHeaders: Readonly<Record<string, string>>;
  /** The prefix of every key in presigned URLs; none when omitted. */
  readonly keyPrefix?: string;
  close(): Promise<void>;
}

const unusualKeys = [
  'with space',
  'all at once/ä +%2F&?',
  'plus+and&and=and;and,',
  'percent%20%2F%',
  'hash#and?question',
  'umlaute/äöüß/Ünïcödé',
  '日本語/🦊',
  `long/${'x'.repeat(900)}`,
  'quotes"\'<>|^`{}[]',
  "marks!*'()~$@:",
  'Case/key',
  'case/Key',
];

/** @param moreKeys - keys that this store accepts in addition to those of every store. */
export function describeBlobStore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  moreKeys: readonly string[] = [],
): void {
  const keys = [...unusualKeys, ...moreKeys];
  describe(name, () => {
    let opened: StoreUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const send = (url: string, init: RequestInit = {}): Promise<Response> =>
      fetch(url, { ...init, dispatcher: opened.dispatcher });

    describeObjects(() => opened, keys);
    describeUrls(() => opened, send, keys);
  });
}

function describeObjects(opened: () => StoreUnderTest, keys: readonly string[]): void {
  test('a stored object is read back byte for byte, with its metadata', async () => {
    const { store } = opened();
    const bytes = randomBytes(100_000);

    const info = await store.put('facts', bytes, { contentType: 'image/png' });

    expect(Buffer.compare(await store.read('facts', 100_000), bytes)).toBe(0);
    expect(info).toMatchObject({ sizeBytes: 100_000, contentType: 'image/png' });
    expect(info.etag).not.toBe('');
    expect(await store.head('facts')).toEqual(info);
  });

  test('an object may be empty', async () => {
    const { store } = opened();

    await store.put('empty', new Uint8Array(0));

    expect((await store.read('empty', 0)).length).toBe(0);
    expect(await store.head('empty')).toMatchObject({ sizeBytes: 0 });
  });

  test('an object of 50 MB is stored', async () => {
    const { store } = opened();
    const bytes = randomBytes(50_000_000);

    const info = await store.put('fifty', bytes);

    const read = await store.read('fifty', 50_000_000);
    expect(info.sizeBytes).toBe(50_000_000);
    expect(Buffer.compare(read, bytes)).toBe(0);
    await store.delete('fifty');
  });

  test('a second put replaces the whole object', async () => {
    const { store } = opened();
    await store.put('twice', Buffer.from('a long first version'), { contentType: 'text/plain' });

    const second = await store.put('twice', Buffer.from('short'), { contentType: 'image/jpeg' });

    expect(Buffer.from(await store.read('twice', 100)).toString()).toBe('short');
    expect(await store.head('twice')).toEqual(second);
  });

  test('concurrent puts leave one whole version', async () => {
    const { store } = opened();
    const versions = Array.from({ length: 8 }, (_, i) => Buffer.alloc(50_000, 65 + i));

    await Promise.all(versions.map((version) => store.put('race', version)));

    const read = Buffer.from(await store.read('race', 50_000));
    expect(versions.some((version) => version.equals(read))).toBe(true);
  });

  test('a missing object is null to head and blob_not_found to read', async () => {
    const { store } = opened();

    expect(await store.head('nothing')).toBeNull();
    await expect(store.read('nothing', 10)).rejects.toMatchObject({ code: 'blob_not_found' });
  });

  test('an object above the reader’s limit is blob_too_large', async () => {
    const { store } = opened();
    await store.put('large', randomBytes(1001));

    await expect(store.read('large', 1000)).rejects.toMatchObject({ code: 'blob_too_large' });
    expect((await store.read('large', 1001)).length).toBe(1001);
  });

  test('delete removes the object, and deleting again succeeds', async () => {
    const { store } = opened();
    await store.put('gone', Buffer.from('x'));

    await store.delete('gone');
    await store.delete('gone');

    expect(await store.head('gone')).toBeNull();
  });

  test('no key of one tenant reaches the object of another', async () => {
    const { store, stranger } = opened();
    await store.put('private', Buffer.from('mine'));

    expect(await stranger.head('private')).toBeNull();
    await stranger.put('private', Buffer.from('theirs'));
    await stranger.delete('private');
    expect(Buffer.from(await store.read('private', 10)).toString()).toBe('mine');
  });

  test.each(keys)('stores under the key %j', async (key) => {
    const { store } = opened();
    const bytes = Buffer.from(key);

    await store.put(key, bytes);

    expect(Buffer.from(await store.read(key, 2000)).equals(bytes)).toBe(true);
    expect((await store.head(key))?.sizeBytes).toBe(Buffer.byteLength(key));
    await store.delete(key);
    expect(await store.head(key)).toBeNull();
  });

  test.each(['', 'x'.repeat(1025), 'half a pair \ud800'])('refuses the key %j', async (key) => {
    const { store } = opened();

    await expect(store.put(key, Buffer.from('x'))).rejects.toEqual(refusal('invalid_request'));
    expect(() => store.presign(key, new Date())).toThrow();
  });
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

function describeUrls(
  opened: () => StoreUnderTest,
  send: (url: string, init?: RequestInit) => Promise<Response>,
  keys: readonly string[],
): void {
  test('presigned URLs put, get and delete without other credentials', async () => {
    const { store, putHeaders } = opened();
    const urls = store.presign('signed', new Date());
    const headers = { ...putHeaders, 'content-type': 'image/jpeg' };

    const put = await send(urls.putUrl, { method: 'PUT', body: Buffer.from('picture'), headers });
    const got = await send(urls.getUrl);
    const deleted = await send(urls.deleteUrl, { method: 'DELETE' });

    expect([put.ok, got.status, deleted.ok]).toEqual([true, 200, true]);
    expect(await got.text()).toBe('picture');
    expect(got.headers.get('content-type')).toBe('image/jpeg');
    expect(await store.head('signed')).toBeNull();
  });

  test.each(keys)('presigned URLs work for the key %j', async (key) => {
    const { store, putHeaders } = opened();
    const urls = store.presign(key, new Date());

    const put = await send(urls.putUrl, { method: 'PUT', body: key, headers: putHeaders });
    const got = await send(urls.getUrl);

    expect([put.ok, await got.text()]).toEqual([true, key]);
    expect((await store.head(key))?.sizeBytes).toBe(Buffer.byteLength(key));
    expect(urls.objectKey).toBe(`${opened().keyPrefix ?? ''}${key}`);
  });

  test('a presigned URL supports ranges', async () => {
    const { store } = opened();
    await store.put('range', Buffer.from('0123456789'));
    const { getUrl } = store.presign('range', new Date());

    const part = await send(getUrl, { headers: { range: 'bytes=2-4' } });

    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 2-4/10');
    expect(await part.text()).toBe('234');
  });

  test('a presigned URL of a missing object returns 404', async () => {
    const { store } = opened();

    const got = await send(store.presign('never', new Date()).getUrl);
    await got.text();

    expect(got.status).toBe(404);
  });

  test('presigned URLs state their expiry, and are refused afterwards', async () => {
    const { store } = opened();
    await store.put('expired', Buffer.from('x'));
    const longAgo = new Date(Date.now() - 8 * 86_400_000);
    const urls = store.presign('expired', longAgo);

    const got = await send(urls.getUrl);
    await got.text();

    expect(got.status).toBe(403);
    const lifeMs = Date.parse(urls.expiresAt) - longAgo.getTime();
    expect(lifeMs).toBeGreaterThan(0);
    expect(lifeMs).toBeLessThanOrEqual(7 * 86_400_000);
  });

  test('a presigned URL is valid for one method and one key', async () => {
    const { store, stranger, putHeaders } = opened();
    await store.put('kept', Buffer.from('kept'));
    await stranger.put('kept', Buffer.from('theirs'));
    const urls = store.presign('kept', new Date());
    const otherUrl = urls.getUrl.replace(
      pathOf(urls.getUrl),
      pathOf(stranger.presign('kept', new Date()).getUrl),
    );

    const answers = await Promise.all([
      send(urls.getUrl, { method: 'DELETE' }),
      send(urls.getUrl, { method: 'PUT', body: 'x', headers: putHeaders }),
      send(urls.getUrl.replace('kept', 'kepu')),
      send(otherUrl),
    ]);
    await Promise.all(answers.map((answer) => answer.text()));

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(Buffer.from(await store.read('kept', 10)).toString()).toBe('kept');
  });
}
