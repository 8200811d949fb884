import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { bucket, otherBucket, startEmbeddedServer } from '../../fixtures/embedded-server.ts';
import { sendRaw } from '../../fixtures/raw-request.ts';

const patience = { timeout: 10_000, interval: 5 };
const body = '0123456789';
const etag = '"781e5e245d69b566979b86e28d23f2c7"';

const server = await startEmbeddedServer();
afterAll(() => server.close());
await server.storeOf(bucket).put('ten', Buffer.from(body), { contentType: 'image/png' });
await server.storeOf(bucket).put('page', Buffer.from('<script>'), { contentType: 'text/html' });
await server.storeOf(otherBucket).put('ten', Buffer.from('theirs'));

const past = 'Sun, 06 Nov 1994 08:49:37 GMT';

const signed = (key = 'ten', ...more: [{ expires: number }?]) => server.sign('GET', key, ...more);
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  sendRaw(server, signed(), { method, headers });

async function damage(key: string, sizeBytes: number, at: number): Promise<void> {
  const before = new Set(server.files());
  await server.storeOf(bucket).put(key, Buffer.alloc(sizeBytes, 1));
  const path = server.files().find((file) => !before.has(file))!;
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

describe('GET and HEAD', () => {
  test('answer with the object’s headers', async () => {
    const [got, head] = [await get(), await get({}, 'HEAD')];

    expect([got.status, got.body, head.status, head.body]).toEqual([200, body, 200, '']);
    for (const { headers } of [got, head]) {
      expect(headers).toMatchObject({
        etag,
        'content-type': 'image/png',
        'content-length': '10',
        'accept-ranges': 'bytes',
        'last-modified': expect.stringMatching(/ GMT$/),
        'cache-control': 'private, no-cache',
      });
    }
  });

  test.each([
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=7-99', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, body, 'bytes 0-9/10'],
    ['bytes=0-99999999999999999999', 206, body, 'bytes 0-9/10'],
    ['bytes=4-2', 200, body, undefined],
    ['bytes=0-1,3-4', 200, body, undefined],
    ['bytes=-', 200, body, undefined],
    ['bytes=a-b', 200, body, undefined],
    ['lines=0-1', 200, body, undefined],
  ])('answer the range %s with status %i', async (range, status, text, contentRange) => {
    const got = await get({ range });

    expect([got.status, got.body, got.headers['content-range']]).toEqual([
      status,
      text,
      contentRange,
    ]);
    expect(got.headers['content-length']).toBe(String(text.length));
  });

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('refuse the range %s', async (range) => {
    const got = await get({ range });

    expect([got.status, got.code]).toEqual([416, 'invalid_request']);
    expect(got.headers['content-range']).toBe('bytes */10');
  });

  test.each([
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ range: 'bytes=0-1', 'if-range': etag }, 206],
    [{ range: 'bytes=0-1', 'if-range': '"x"' }, 200],
    [{ range: 'bytes=0-1', 'if-range': `W/${etag}` }, 200],
    [{ range: 'bytes=0-1', 'if-range': past }, 200],
  ])('answer the conditions %j with status %i', async (headers, status) => {
    const answers = [await get(headers), await get(headers, 'HEAD')];

    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  });

  test('offer anything but a picture as a download', async () => {
    const { headers } = await sendRaw(server, signed('page'));

    expect(headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect((await get()).headers['content-disposition']).toBe('inline');
  });
});

describe('a request', () => {
  test.each([
    ['no signature', () => `/${bucket}/ten`, 'forbidden'],
    ['a later expiry', () => signed().replace(/(expires=\d+)/, '$10'), 'forbidden'],
    ['a shorter signature', () => signed().slice(0, -1), 'forbidden'],
    ['a second expiry', () => `${signed()}&expires=9999999999`, 'forbidden'],
    ['a path out of the bucket', () => signed(`../${otherBucket}/ten`), 'blob_not_found'],
    ['a past expiry', () => signed('ten', { expires: 1 }), 'url_expired'],
  ])('with %s is refused', async (_what, path, code) => {
    const got = await sendRaw(server, path());

    expect(got.code).toBe(code);
    expect(got.status).toBe(code === 'blob_not_found' ? 404 : 403);
  });

  test.each(['/%ff', '/%', '/%c3'])('to a path that is not UTF-8 is refused: %s', async (path) => {
    expect((await sendRaw(server, `/${bucket}${path}`)).status).toBe(400);
  });

  test('takes dots, slashes and NUL in a key literally', async () => {
    for (const key of ['../../etc/passwd', '..', '.', 'a/./b', '\u0000', '//', 'a\nb']) {
      const put = await sendRaw(server, server.sign('PUT', key), { method: 'PUT', body: key });
      const got = await sendRaw(server, signed(key));

      expect([key, put.status, got.status, got.body]).toEqual([key, 200, 200, key]);
    }
  });
});

describe('a damaged file', () => {
  test('is an error of the store, which is returned and logged', async () => {
    await damage('damaged', 1000, 500);

    const got = await sendRaw(server, signed('damaged'));

    expect([got.status, got.code]).toEqual([500, 'blob_damaged']);
    expect(server.logged).toEqual(['blob_damaged']);
  });

  test('whose last byte is wrong is never sent completely', async () => {
    await damage('damaged large', 300_000, 299_999);
    server.logged.length = 0;

    await expect(sendRaw(server, signed('damaged large'))).rejects.toThrow('aborted');
    await vi.waitUntil(() => server.logged.length > 0, patience);
    expect(server.logged).toEqual(['blob_damaged']);
  });
});
