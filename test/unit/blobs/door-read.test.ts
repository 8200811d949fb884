import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bucket, type DoorServer, otherBucket, startDoor } from './door-server.ts';
import { sendRaw } from './raw-request.ts';
import { signHeaders } from './sign-headers.ts';

const patience = { timeout: 10_000, interval: 5 };
let server: DoorServer;
const body = '0123456789';
const etag = '"781e5e245d69b566979b86e28d23f2c7"';

beforeAll(async () => {
  server = await startDoor();
  await server.storeOf(bucket).put('ten', Buffer.from(body), { contentType: 'image/png' });
  await server.storeOf(bucket).put('page', Buffer.from('<script>'), { contentType: 'text/html' });
  await server.storeOf(otherBucket).put('ten', Buffer.from('theirs'));
});

afterAll(() => server.close());

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  sendRaw(server, server.urlFor(method, 'ten'), { method, headers });

const getWith = (parameter: string, value: string) => {
  const query = `response-${parameter}=${encodeURIComponent(value)}`;
  const url = `${server.origin}/${bucket}/ten?${query}`;
  return sendRaw(server, server.urlFor('GET', '', { url }));
};

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

  test('obey the overrides that were signed, and refuse what no header may hold', async () => {
    const type = await getWith('content-type', 'application/x-case');
    const name = await getWith('content-disposition', 'attachment; filename="a b.png"');
    const split = await getWith('content-disposition', 'x\r\nset-cookie: a=b');

    expect(type.headers['content-type']).toBe('application/x-case');
    expect(name.headers['content-disposition']).toBe('attachment; filename="a b.png"');
    expect([split.status, split.code]).toEqual([400, 'InvalidArgument']);
    expect(split.headers['set-cookie']).toBeUndefined();
  });

  test('never let a page that was uploaded run', async () => {
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

describe('who is let in', () => {
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
    ['POST', 'ten', 405, 'MethodNotAllowed'],
    ['GET', 'x'.repeat(1025), 400, 'KeyTooLongError'],
    ['GET', 'ten?acl', 501, 'NotImplemented'],
    ['GET', 'ten?partNumber=1', 501, 'NotImplemented'],
    ['PUT', 'ten?partNumber=1&uploadId=2', 404, 'NoSuchUpload'],
    ['PUT', 'ten?cors', 501, 'NotImplemented'],
    ['GET', '?uploadId=2', 501, 'NotImplemented'],
    ['DELETE', 'ten?uploads&uploadId=2', 501, 'NotImplemented'],
    ['DELETE', 'ten?uploads', 405, 'MethodNotAllowed'],
    ['PUT', '?cors', 501, 'NotImplemented'],
    ['PATCH', '?cors', 405, 'MethodNotAllowed'],
    ['POST', '?delete', 400, 'MalformedXML'],
    ['PUT', '', 409, 'BucketAlreadyOwnedByYou'],
    ['DELETE', '', 405, 'MethodNotAllowed'],
    ['GET', '?list-type=2&max-keys=-1', 400, 'InvalidArgument'],
    ['GET', '?list-type=2&encoding-type=x', 400, 'InvalidArgument'],
  ])('%s of %s answers %i', async (method, place, status, code) => {
    const url = `${server.origin}/${bucket}/${place}`;

    const got = await sendRaw(server, server.urlFor(method, '', { url }), { method });

    expect([got.status, got.code]).toEqual([status, code]);
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

describe('a listing', () => {
  test.each([
    ['ListObjectsV2', 'list-type=2&', 'continuation-token', 'NextContinuationToken'],
    ['ListObjects', '', 'marker', 'NextMarker'],
  ])('gives its pages one after the other: %s', async (_name, version, parameter, element) => {
    const names = ['page/1', 'page/2', 'page/<3>', 'page/4/a', 'page/4/b', 'page/5'];
    for (const name of names) await server.storeOf(bucket).put(name, Buffer.from('x'));
    const found: string[] = [];
    let next: string | undefined;
    let pages = 0;

    do {
      const place = next === undefined ? '' : `&${parameter}=${next}`;
      const rest = 'max-keys=2&prefix=page%2F&delimiter=%2F&encoding-type=url';
      const url = `${server.origin}/${bucket}/?${version}${rest}${place}`;
      const { body: xml } = await sendRaw(server, server.urlFor('GET', '', { url }));
      const entries = xml.matchAll(/<(?:Contents><Key|CommonPrefixes><Prefix)>(.*?)</g);
      for (const [, name] of entries) found.push(decodeURIComponent(name!));
      next = new RegExp(`<${element}>(.*?)<`).exec(xml)?.[1];
      pages++;
    } while (next !== undefined);

    expect(found).toEqual(['page/1', 'page/2', 'page/4/', 'page/5', 'page/<3>']);
    expect(pages).toBe(3);
  });
});

describe('a damaged file', () => {
  test('is an error of the store, told and reported', async () => {
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
