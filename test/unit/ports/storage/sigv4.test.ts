import { describe, expect, test } from 'vitest';
import { presignUrl, verifyRequest } from '../../../../src/ports/storage/sigv4/sigv4.ts';
import { codeOf } from './code-of.ts';

// The examples of the Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters" and "Signature
// Calculations for the Authorization Header: Transferring Payload in a Single Chunk".
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const region = 'us-east-1';
const now = new Date('2013-05-24T00:00:00Z');
const host = 'examplebucket.s3.amazonaws.com';
const minutesFromNow = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function secretFor(accessKeyId: string) {
  return accessKeyId === credentials.accessKeyId ? credentials : null;
}

function headersOf(headers: Record<string, string>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

interface Changes {
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly now?: Date;
  readonly region?: string;
}

function verifyUrl(url: string, changes: Changes = {}) {
  const { pathname, search } = new URL(url);
  return verifyRequest({
    method: changes.method ?? 'GET',
    target: `${pathname}${search}`,
    headers: headersOf({ host: changes.host ?? new URL(url).host, ...changes.headers }),
    secretFor,
    region: changes.region ?? region,
    now: changes.now ?? now,
  });
}

function presignExample(changes: Partial<Parameters<typeof presignUrl>[0]> = {}) {
  return presignUrl({
    method: 'GET',
    url: `https://${host}/test.txt`,
    credentials,
    region,
    expiresSeconds: 86_400,
    now,
    ...changes,
  });
}

describe('a presigned URL', () => {
  test('is the one of the published example', () => {
    expect(presignExample()).toBe(
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  test('is admitted until the second in which it expires', async () => {
    const url = presignExample();
    const lastMs = now.getTime() + 86_400_000;

    expect(verifyUrl(url, { now: new Date(lastMs) }).bodySha256).toBeNull();
    expect(await codeOf(() => verifyUrl(url, { now: new Date(lastMs + 1) }))).toBe('AccessDenied');
  });

  test('is not admitted more than 15 minutes before it was made', async () => {
    const url = presignExample();

    expect(await codeOf(() => verifyUrl(url, { now: minutesFromNow(-15) }))).toBe('admitted');
    expect(await codeOf(() => verifyUrl(url, { now: minutesFromNow(-16) }))).toBe('AccessDenied');
  });

  test.each([
    ['another method', (url: string) => verifyUrl(url, { method: 'PUT' })],
    ['another host', (url: string) => verifyUrl(url, { host: 'evil.example' })],
    ['another key', (url: string) => verifyUrl(url.replace('test.txt', 'tesu.txt'))],
    ['a longer key', (url: string) => verifyUrl(url.replace('test.txt', 'test.txt/'))],
    ['a longer life', (url: string) => verifyUrl(url.replace('=86400', '=86401'))],
    ['a life beyond all bounds', (url: string) => verifyUrl(url.replace('=86400', '=9999999'))],
    ['a later date', (url: string) => verifyUrl(url.replace('T000000Z', 'T000001Z'))],
    ['another day', (url: string) => verifyUrl(url.replace('%2F20130524', '%2F20130525'))],
    ['another region', (url: string) => verifyUrl(url.replace('us-east-1', 'eu-west-1'))],
    ['one more parameter', (url: string) => verifyUrl(`${url}&response-content-type=text/html`)],
    ['another signature', (url: string) => verifyUrl(url.replace(/4$/, '5'))],
    ['a shorter signature', (url: string) => verifyUrl(url.slice(0, -1))],
  ])('with %s no longer matches its signature', async (_what, verify) => {
    expect(await codeOf(() => verify(presignExample()))).toBe('SignatureDoesNotMatch');
  });

  test.each([
    ['no algorithm', /X-Amz-Algorithm=[^&]*&/],
    ['no credential', /X-Amz-Credential=[^&]*&/],
    ['no date', /X-Amz-Date=[^&]*&/],
    ['no life', /X-Amz-Expires=[^&]*&/],
    ['no headers', /X-Amz-SignedHeaders=[^&]*&/],
    ['no signature', /&X-Amz-Signature=.*/],
  ])('with %s is malformed', async (_what, part) => {
    const url = presignExample().replace(part, '');

    expect(await codeOf(() => verifyUrl(url))).toBe('AuthorizationQueryParametersError');
  });

  test('with a parameter given twice is malformed', async () => {
    const url = `${presignExample()}&X-Amz-Expires=604800`;

    expect(await codeOf(() => verifyUrl(url))).toBe('AuthorizationQueryParametersError');
  });

  test('of an unknown key names the key as the reason, and no secret', async () => {
    const url = presignExample().replace('AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLF');

    expect(await codeOf(() => verifyUrl(url))).toBe('InvalidAccessKeyId');
    expect(() => verifyUrl(url)).toThrow(/^There is no such access key\.$/);
  });

  test('for another region than that of the server names the right one', async () => {
    const url = presignExample({ region: 'eu-central-1' });

    expect(await codeOf(() => verifyUrl(url))).toBe('AuthorizationQueryParametersError');
    expect(await codeOf(() => verifyUrl(url, { region: 'eu-central-1' }))).toBe('admitted');
  });

  test('is refused beside an Authorization header, with a session token, and with unsigned x-amz headers', async () => {
    const url = presignExample();
    const token = `${url}&X-Amz-Security-Token=abc`;
    const withHeader = (name: string) => verifyUrl(url, { headers: { [name]: 'x' } });

    expect(await codeOf(() => withHeader('authorization'))).toBe('InvalidArgument');
    expect(await codeOf(() => verifyUrl(token))).toBe('InvalidToken');
    expect(await codeOf(() => withHeader('x-amz-acl'))).toBe('AccessDenied');
    expect(await codeOf(() => withHeader('content-type'))).toBe('admitted');
  });

  test('binds the headers that were signed with it', async () => {
    const url = presignExample({ headers: { 'Content-Type': 'image/png' } });

    const png = () => verifyUrl(url, { headers: { 'content-type': 'image/png' } });
    const html = () => verifyUrl(url, { headers: { 'content-type': 'text/html' } });

    const bare = () => verifyUrl(url);

    expect([await codeOf(png), await codeOf(html), await codeOf(bare)]).toEqual([
      'admitted',
      'SignatureDoesNotMatch',
      'SignatureDoesNotMatch',
    ]);
  });

  test('reads a plus sign in a parameter as a space, as forms do', async () => {
    const url = presignExample({ url: `https://${host}/test.txt?response-content-type=a%20b%2Bc` });

    expect(url).toContain('a%20b%2Bc');
    expect(await codeOf(() => verifyUrl(url.replace('a%20b', 'a+b')))).toBe('admitted');
    expect(await codeOf(() => verifyUrl(url.replace('b%2Bc', 'b+c')))).toBe(
      'SignatureDoesNotMatch',
    );
  });

  test.each([0, -1, 604_801, 1.5, Number.NaN])('is never made for %s seconds', (expiresSeconds) => {
    expect(() => presignExample({ expiresSeconds })).toThrow(RangeError);
  });
});

/** What the examples send beside their Authorization header. */
const examples = [
  {
    name: 'GET object with a range',
    method: 'GET',
    target: '/test.txt',
    headers: { range: 'bytes=0-9', 'x-amz-content-sha256': emptySha256 },
    signedHeaders: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT object',
    method: 'PUT',
    target: '/test$file.text',
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signedHeaders: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET bucket lifecycle',
    method: 'GET',
    target: '/?lifecycle',
    headers: { 'x-amz-content-sha256': emptySha256 },
    signedHeaders: 'host;x-amz-content-sha256;x-amz-date',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'list objects',
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    headers: { 'x-amz-content-sha256': emptySha256 },
    signedHeaders: 'host;x-amz-content-sha256;x-amz-date',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
] as const;

function verifyExample(example: (typeof examples)[number], changes: Changes = {}) {
  const authorization =
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
    `SignedHeaders=${example.signedHeaders},Signature=${example.signature}`;
  const date = { 'x-amz-date': '20130524T000000Z' };
  return verifyRequest({
    method: example.method,
    target: example.target,
    headers: headersOf({ host, authorization, ...date, ...example.headers, ...changes.headers }),
    secretFor,
    region,
    now: changes.now ?? now,
  });
}

describe('a signed Authorization header', () => {
  test.each(examples)('of the published example "$name" is admitted', (example) => {
    const { account, bodySha256 } = verifyExample(example);

    expect(account).toBe(credentials);
    expect(bodySha256).toBe(example.headers['x-amz-content-sha256']);
  });

  test('is admitted for 15 minutes around its date and no longer', async () => {
    const codes = await Promise.all(
      [-16, -15, 15, 16].map((minutes) =>
        codeOf(() => verifyExample(examples[0], { now: minutesFromNow(minutes) })),
      ),
    );

    expect(codes).toEqual(['RequestTimeTooSkewed', 'admitted', 'admitted', 'RequestTimeTooSkewed']);
  });

  test.each([
    ['another range', { range: 'bytes=0-10' }, 'SignatureDoesNotMatch'],
    ['another digest', { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }, 'SignatureDoesNotMatch'],
    ['another date', { 'x-amz-date': '20130524T000001Z' }, 'SignatureDoesNotMatch'],
    ['an x-amz header that is not signed', { 'x-amz-acl': 'public-read' }, 'AccessDenied'],
    ['Signature Version 2', { authorization: 'AWS AKIAIOSFODNN7EXAMPLE:abc=' }, 'InvalidRequest'],
    ['no fields', { authorization: 'AWS4-HMAC-SHA256 x' }, 'AuthorizationHeaderMalformed'],
  ])('with %s is refused', async (_what, headers, code) => {
    expect(await codeOf(() => verifyExample(examples[0], { headers }))).toBe(code);
  });

  test('is needed: a request that nobody signed is refused', async () => {
    const old = '?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=abc&Expires=1500000000';

    expect(await codeOf(() => verifyUrl(`https://${host}/test.txt`))).toBe('AccessDenied');
    expect(await codeOf(() => verifyUrl(`https://${host}/test.txt${old}`))).toBe('InvalidRequest');
  });
});

describe('unusual keys', () => {
  test.each([
    'a b',
    'a+b',
    'a%b',
    'a%20b',
    'a#b',
    'a?b',
    'ä ö/ü',
    "!*'()",
    '日本',
    'a//b',
    '~',
    '\u0000',
  ])('the URL for %j is admitted and decodes to the same path', async (key) => {
    const url = presignExample({ url: `https://${host}/${encodeURIComponent(key)}` });

    expect(await codeOf(() => verifyUrl(url))).toBe('admitted');
    expect(decodeURIComponent(new URL(url).pathname)).toBe(`/${key}`);
  });

  test('dots stay what they are in the signed URL', () => {
    const url = presignExample({ url: `https://${host}/a/../b` });

    expect(url).toContain('/a/../b?');
  });
});
