import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sendRaw } from './raw-request.ts';
import { bucket, otherBucket, type S3ApiServer, startS3Api } from './s3-api-server.ts';
import { signHeaders } from './sign-headers.ts';

const patience = { timeout: 10_000, interval: 5 };
let server: S3ApiServer;
const body = '0123456789';
const etag = '"781e5e245d69b566979b86e28d23f2c7"';

beforeAll(async () => {
  server = await startS3Api();
  await server.storeOf(bucket).put('ten', Buffer.from(body), { contentType: 'image/png' });
  await server.storeOf(bucket).put('page', Buffer.from('<script>'), { contentType: 'text/html' });
  await server.storeOf(otherBucket).put('ten', Buffer.from('theirs'));
});

afterAll(() => server.close());

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  sendRaw(server, server.urlFor(method, 'ten'), { method, headers });

async function damage(key: string, sizeBytes: number, at: number): Promise<void> {
  const before = new Set(server.files());
  await server.storeOf(bucket).put(key, Buffer.alloc(sizeBytes, 1));
  const path = server.files().find((file) => !before.has(file))!;
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

describe('GET and HEAD', () => {
  test('answer with the facts of the object', async () => {
    const [got, head] = [await get(), await get({}, 'HEAD')];

    expect([got.status, got.body, head.status, head.body]).toEqual([200, body, 200, '']);
    for (const { headers } of [got, head]) {
      expect(headers).toMatchObject({
        etag,
        'content-type': 'image/png',
        'content-length': '10',
        'accept-ranges': 'bytes',
        'last-modified': expect.stringMatching(/ GMT$/),
        'x-amz-request-id': expect.stringMatching(/^[0-9A-F]{16}$/),
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

    expect([got.status, got.code]).toEqual([416, 'InvalidRange']);
    expect(got.headers['content-range']).toBe('bytes */10');
  });

  test.each([
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-modified-since': new Date(Date.now() + 5000).toUTCString() }, 304],
    [{ 'if-modified-since': 'Fri, 24 May 2013 00:00:00 GMT' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-unmodified-since': 'Fri, 24 May 2013 00:00:00 GMT' }, 412],
    [{ 'if-none-match': '"x"', 'if-modified-since': new Date().toUTCString() }, 200],
    [{ range: 'bytes=0-1', 'if-range': etag }, 206],
    [{ range: 'bytes=0-1', 'if-range': '"x"' }, 200],
  ])('answer the conditions %j with status %i', async (headers, status) => {
    expect((await get(headers)).status).toBe(status);
  });

  test('never let an uploaded page run', async () => {
    const { headers } = await sendRaw(server, server.urlFor('GET', 'page'));

    expect(headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect((await get()).headers['content-disposition']).toBe('inline');
  });

  test('name a missing key, escaped, in an answer that XML can hold', async () => {
    const got = await sendRaw(server, server.urlFor('GET', 'no/<key>&\u0001'));
    const head = await sendRaw(server, server.urlFor('HEAD', 'no'), { method: 'HEAD' });

    expect([got.status, got.code, head.status, head.body]).toEqual([404, 'NoSuchKey', 404, '']);
    expect(got.headers['content-type']).toBe('application/xml');
    expect(got.body).toContain(`<Resource>/${bucket}/no/%3Ckey%3E%26%01</Resource>`);
    expect(got.body).toContain(`<RequestId>${String(got.headers['x-amz-request-id'])}</RequestId>`);
  });
});

describe('authorisation', () => {
  test.each([
    ['nobody', () => `/${bucket}/ten`, 'AccessDenied'],
    ['another method', () => server.urlFor('PUT', 'ten'), 'SignatureDoesNotMatch'],
    [
      'another key',
      () => server.urlFor('GET', 'ten').replace('/ten', '/teo'),
      'SignatureDoesNotMatch',
    ],
    [
      'a longer life',
      () => server.urlFor('GET', 'ten').replace('=60', '=61'),
      'SignatureDoesNotMatch',
    ],
    [
      'another bucket in the path',
      () => server.urlFor('GET', 'ten').replace(`/${bucket}`, `/${otherBucket}`),
      'SignatureDoesNotMatch',
    ],
    [
      'the key of one bucket for another',
      () => server.urlFor('GET', '', { url: `${server.origin}/${otherBucket}/ten` }),
      'AccessDenied',
    ],
    [
      'the key of one bucket for one that never was',
      () => server.urlFor('GET', '', { url: `${server.origin}/b-${'0'.repeat(24)}/ten` }),
      'AccessDenied',
    ],
    [
      'a way out of the bucket',
      () => server.urlFor('GET', '', { url: `${server.origin}/${bucket}/../${otherBucket}/ten` }),
      'NoSuchKey',
    ],
    [
      'a URL that expired',
      () => server.urlFor('GET', 'ten', { now: new Date(Date.now() - 61_000) }),
      'AccessDenied',
    ],
    [
      'a URL that is not valid yet',
      () => server.urlFor('GET', 'ten', { now: new Date(Date.now() + 16 * 60_000) }),
      'AccessDenied',
    ],
  ])('with %s a request is refused', async (_what, target, code) => {
    const got = await sendRaw(server, target());

    expect(got.code).toBe(code);
    expect(got.status).toBe(code === 'NoSuchKey' ? 404 : 403);
  });

  test('another host than the signed one is refused', async () => {
    const got = await get({ host: 'evil.example' });

    expect([got.status, got.code]).toEqual([403, 'SignatureDoesNotMatch']);
  });

  test('a signed header is as good as a signed URL', async () => {
    const target = `/${bucket}/ten`;

    const got = await sendRaw(server, target, signHeaders(server, 'GET', target, {}));

    expect([got.status, got.body]).toEqual([200, body]);
  });

  test.each([
    ['POST', 'ten'],
    ['POST', 'ten?uploads'],
    ['PUT', 'ten?partNumber=1&uploadId=2'],
    ['GET', 'ten?acl'],
    ['GET', 'ten?response-content-type=text%2Fhtml'],
    ['GET', '?list-type=2'],
    ['POST', '?delete'],
    ['PUT', '?cors'],
    ['PUT', ''],
    ['HEAD', ''],
  ])('%s of %j is not implemented, and the answer says what is', async (method, target) => {
    const url = `${server.origin}/${bucket}/${target}`;

    const got = await sendRaw(server, server.urlFor(method, '', { url }), { method });

    expect(got.status).toBe(501);
    if (method === 'HEAD') return;
    expect([got.code, got.body]).toEqual([
      'NotImplemented',
      expect.stringContaining('supports PUT, GET, HEAD and DELETE of single objects'),
    ]);
  });

  test('a key above 1024 bytes is refused', async () => {
    const got = await sendRaw(server, server.urlFor('GET', 'x'.repeat(1025)));

    expect([got.status, got.code]).toEqual([400, 'KeyTooLongError']);
  });

  test.each(['/%ff', '/%', '/%c3'])('a path that is no UTF-8 is refused: %s', async (path) => {
    const got = await sendRaw(server, `/${bucket}${path}`);

    expect([got.status, got.code]).toEqual([400, 'InvalidURI']);
  });

  test('keys with dots and NUL are text', async () => {
    for (const key of ['../../etc/passwd', '..', '.', 'a/./b', '\u0000', '//']) {
      const put = server.urlFor('PUT', key);
      const answer = await sendRaw(server, put, { method: 'PUT', body: key });
      const got = await sendRaw(server, server.urlFor('GET', key));

      expect([key, answer.status, got.status, got.body]).toEqual([key, 200, 200, key]);
    }
  });
});

describe('a damaged file', () => {
  test('is an error of the store, answered and reported', async () => {
    await damage('damaged', 1000, 500);

    const got = await sendRaw(server, server.urlFor('GET', 'damaged'));

    expect([got.status, got.code]).toEqual([500, 'InternalError']);
    expect(server.errors.at(-1)).toMatchObject({ code: 'blob_damaged' });
  });

  test('whose end is wrong is never sent to its end', async () => {
    await damage('damaged large', 300_000, 299_999);
    server.errors.length = 0;

    await expect(sendRaw(server, server.urlFor('GET', 'damaged large'))).rejects.toThrow('aborted');
    await vi.waitUntil(() => server.errors.length > 0, patience);
    expect(server.errors).toMatchObject([{ code: 'blob_damaged' }]);
  });
});
