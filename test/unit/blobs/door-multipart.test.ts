import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bucket, type DoorServer, startDoor } from './door-server.ts';
import { type Answer, sendRaw } from './raw-request.ts';
import { signHeaders } from './sign-headers.ts';

const key = 'a/ü.png';
const path = `/${bucket}/a/%C3%BC.png`;
let server: DoorServer;

beforeAll(async () => {
  server = await startDoor();
});

afterEach(async () => {
  const { uploads, objects } = server.buckets.of(bucket);
  for await (const upload of uploads.all()) await uploads.abort(upload);
  await objects.remove(key);
});

afterAll(() => server.close());

const md5 = (text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('md5').update(text).digest(encoding);

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
const checksum = (text: string) => `<ChecksumSHA256>${sha256(text)}</ChecksumSHA256>`;

/** Signed in its headers, as clients with the key do it. */
function send(
  method: string,
  target: string,
  body = '',
  more: Record<string, string> = {},
): Promise<Answer> {
  const length = { 'content-length': Buffer.byteLength(body).toString() };
  const { headers } = signHeaders(server, method, target, { ...length, ...more });
  return sendRaw(server, target, { method, body, headers });
}

async function start(headers: Record<string, string> = {}): Promise<string> {
  const { body } = await send('POST', `${path}?uploads`, '', headers);
  return /<UploadId>(.*?)</.exec(body)![1]!;
}

const putPart = (id: string, number: number | string, body: string, more = {}) =>
  send('PUT', `${path}?partNumber=${number}&uploadId=${id}`, body, more);

const complete = (id: string, parts: string, more = {}) =>
  send(
    'POST',
    `${path}?uploadId=${id}`,
    `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`,
    more,
  );

const part = (number: number | string, body: string, more = '') =>
  `<Part><PartNumber>${number}</PartNumber><ETag>"${md5(body)}"</ETag>${more}</Part>`;

const put = (body: string, headers: Record<string, string>) => send('PUT', path, body, headers);

async function stored(): Promise<string | null> {
  const { status, body } = await sendRaw(server, server.urlFor('GET', key));
  return status === 200 ? body : null;
}

describe('a part', () => {
  test('can be put to a URL that was signed for it, and for no other', async () => {
    const id = await start();
    const urlOf = (number: number) =>
      server.urlFor('PUT', key, {
        url: `${server.origin}${path}?partNumber=${number}&uploadId=${id}`,
      });
    const putAt = (url: string) => sendRaw(server, url, { method: 'PUT', body: 'bytes' });

    const answer = await putAt(urlOf(1));
    const refused = await Promise.all([
      putAt(urlOf(1).replace('partNumber=1', 'partNumber=2')),
      putAt(urlOf(1).replace(id, 'f'.repeat(32))),
      putAt(urlOf(1).replace('.png', '.jpg')),
      sendRaw(server, urlOf(1), { method: 'DELETE' }),
    ]);

    expect([answer.status, answer.headers.etag]).toEqual([200, `"${md5('bytes')}"`]);
    expect(refused.map(({ code }) => code)).toEqual(Array(4).fill('SignatureDoesNotMatch'));
    expect((await complete(id, part(1, 'bytes'))).status).toBe(200);
    expect(await stored()).toBe('bytes');
  });

  test.each([
    ['a wrong MD5', 1, { 'content-md5': md5('other', 'base64') }, 'BadDigest'],
    ['a wrong CRC-32', 1, { 'x-amz-checksum-crc32': 'AAAAAA==' }, 'BadDigest'],
    [
      'another digest in the signature',
      1,
      { 'x-amz-content-sha256': 'a'.repeat(64) },
      'XAmzContentSHA256Mismatch',
    ],
    ['a source to copy from', 1, { 'x-amz-copy-source': '/a/b' }, 'NotImplemented'],
    ['the number 0', 0, {}, 'InvalidArgument'],
    ['the number 10001', 10_001, {}, 'InvalidArgument'],
    ['no number', 'x', {}, 'InvalidArgument'],
  ])('with %s is not kept', async (_what, number, headers, code) => {
    const id = await start();

    const answer = await putPart(id, number, 'bytes', headers);

    expect(answer.code).toBe(code);
    expect(server.files().length).toBe(1);
  });

  test('is asked for only when there is an upload', async () => {
    const expecting = { expect: '100-continue', 'content-length': '5' };
    const id = await start();

    const taken = await putPart(id, 1, 'bytes', expecting);
    const refused = await putPart('f'.repeat(32), 1, 'bytes', expecting);

    expect([taken.status, taken.wasContinued]).toEqual([200, true]);
    expect([refused.code, refused.wasContinued]).toEqual(['NoSuchUpload', false]);
  });
});

describe('completing', () => {
  test('gives the object its ETag, type and metadata', async () => {
    const id = await start({ 'content-type': 'image/png', 'x-amz-meta-case': 'A 17' });
    await putPart(id, 1, 'bytes');

    const named = part(1, 'bytes', checksum('bytes'));
    const answer = await complete(id, named, {
      'x-amz-mp-object-size': '5',
      'x-amz-checksum-sha256': sha256('bytes'),
    });
    const { headers } = await sendRaw(server, server.urlFor('GET', key));

    const etag = `"${createHash('md5').update(md5('bytes'), 'hex').digest('hex')}-1"`;
    expect(answer.body).toContain(`<ETag>${etag.replaceAll('"', '&quot;')}</ETag>`);
    expect(headers).toMatchObject({
      etag,
      'content-type': 'image/png',
      'content-length': '5',
      'x-amz-meta-case': 'A 17',
    });
  });

  test.each([
    ['no parts', '', {}, 'MalformedXML'],
    ['a part without number', '<Part><ETag>x</ETag></Part>', {}, 'MalformedXML'],
    ['XML that does not end', '<Part>', {}, 'MalformedXML'],
    ['a part that was never put', part(2, 'bytes'), {}, 'InvalidPart'],
    ['the ETag of other bytes', part(1, 'other'), {}, 'InvalidPart'],
    ['the checksum of other bytes', part(1, 'bytes', checksum('other')), {}, 'InvalidPart'],
    ['one part twice', part(1, 'bytes') + part(1, 'bytes'), {}, 'InvalidPartOrder'],
    ['another size', part(1, 'bytes'), { 'x-amz-mp-object-size': '6' }, 'InvalidRequest'],
    [
      'the checksum of another object',
      part(1, 'bytes'),
      { 'x-amz-checksum-sha256': sha256('other') },
      'BadDigest',
    ],
    [
      'the digest of another body',
      part(1, 'bytes'),
      { 'content-md5': md5('x', 'base64') },
      'BadDigest',
    ],
    [
      'a condition that is not met',
      part(1, 'bytes'),
      { 'if-none-match': '*' },
      'PreconditionFailed',
    ],
    [
      'a condition that nobody knows',
      part(1, 'bytes'),
      { 'if-none-match': '"x"' },
      'NotImplemented',
    ],
  ])(
    'with %s is refused, and both the object and the upload stay',
    async (_what, parts, headers, code) => {
      await server.buckets.of(bucket).objects.write(key, {
        contentType: 'text/plain',
        source: (async function* () {
          yield Buffer.from('old');
        })(),
      });
      const id = await start();
      await putPart(id, 1, 'bytes');

      const answer = await complete(id, parts, headers);

      expect([answer.code, await stored(), server.errors]).toEqual([code, 'old', []]);
      expect((await complete(id, part(1, 'bytes'))).status).toBe(200);
      expect([await stored(), server.files().length]).toEqual(['bytes', 1]);
    },
  );
});

describe('listing uploads', () => {
  test('gives pages in the order of keys and beginnings, and common beginnings once', async () => {
    const { uploads } = server.buckets.of(bucket);
    const facts = { contentType: 'image/png', headers: {} };
    const keys = ['p/b', 'p/a/1', 'p/b', 'p/a/2', 'p/c', 'q'];
    const ids = new Map<string, string>();
    for (const name of keys) {
      const { id } = await uploads.create(name, facts);
      ids.set(id, name);
    }
    const found: string[] = [];
    let place = '';

    do {
      const { body } = await send(
        'GET',
        `/${bucket}?uploads&prefix=p%2F&delimiter=%2F&max-uploads=2${place}`,
      );
      for (const [, name] of body.matchAll(/<(?:Upload><Key|CommonPrefixes><Prefix)>(.*?)</g)) {
        found.push(name!);
      }
      for (const [, id] of body.matchAll(/<UploadId>(.*?)</g)) ids.delete(id!);
      const next = /<NextKeyMarker>(.*?)<.*<NextUploadIdMarker>(.*?)</.exec(body);
      place =
        next === null
          ? ''
          : `&key-marker=${encodeURIComponent(next[1]!)}&upload-id-marker=${next[2]}`;
    } while (place !== '');

    expect(found).toEqual(['p/a/', 'p/b', 'p/b', 'p/c']);
    expect([...ids.values()].toSorted()).toEqual(['p/a/1', 'p/a/2', 'q']);
  });
});

describe('conditions of writing and deleting', () => {
  const etag = `"${md5('old')}"`;
  test('let one of several writers through that mean the same object', async () => {
    await put('old', {});

    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((body) => put(body, { 'if-match': etag })),
    );

    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    expect(answers.filter(({ code }) => code === 'PreconditionFailed').length).toBe(3);
  });

  test('are told apart: another object, no object', async () => {
    const missing = await put('new', { 'if-match': etag });
    await put('old', {});
    const other = await put('new', { 'if-match': `"${md5('other')}"` });
    const wrong = await send('DELETE', path, '', { 'if-match': `"${md5('other')}"` });
    const unknown = await send('DELETE', path, '', { 'x-amz-if-match-size': '4' });
    const right = await send('DELETE', path, '', { 'if-match': etag });
    const again = await send('DELETE', path, '', { 'if-match': etag });

    expect([missing.code, other.code, wrong.code, unknown.code]).toEqual([
      'NoSuchKey',
      'PreconditionFailed',
      'PreconditionFailed',
      'NotImplemented',
    ]);
    expect([right.status, again.status, await stored()]).toEqual([204, 204, null]);
  });
});
