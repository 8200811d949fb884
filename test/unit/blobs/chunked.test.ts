import { describe, expect, test } from 'vitest';
import { decodeChunks, type Trailers } from '../../../src/blobs/signature/chunked.ts';
import type { Payload } from '../../../src/blobs/signature/payload.ts';
import { verifyRequest } from '../../../src/blobs/sigv4.ts';
import { codeOf } from './code-of.ts';

// The examples of the Amazon S3 API Reference, "Transferring Payload in Multiple Chunks (Chunked Upload)", with and
// without trailing headers: 65 KiB of the letter a, in chunks of 64 KiB and 1 KiB.
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

function signedPayload(kind: string, signature: string, more: Record<string, string>): Payload {
  const headers: Record<string, string> = {
    'content-encoding': 'aws-chunked',
    host: 's3.amazonaws.com',
    'x-amz-content-sha256': kind,
    'x-amz-date': '20130524T000000Z',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    ...more,
  };
  const signedHeaders = Object.keys(headers).toSorted().join(';');
  headers['authorization'] =
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
    `SignedHeaders=${signedHeaders},Signature=${signature}`;
  return verifyRequest({
    method: 'PUT',
    target: '/examplebucket/chunkObject.txt',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    secretFor: () => credentials,
    region: 'us-east-1',
    now: new Date('2013-05-24T00:00:00Z'),
  }).payload;
}

const plain = signedPayload(
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  { 'content-length': '66824' },
);
const trailing = signedPayload(
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
  { 'x-amz-trailer': 'x-amz-checksum-crc32c' },
);

function chunk(size: number, signature: string): string {
  return `${size.toString(16)};chunk-signature=${signature}\r\n${'a'.repeat(size)}\r\n`;
}

const plainBody =
  chunk(65_536, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648') +
  chunk(1024, '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497') +
  chunk(0, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9');
const trailerBody =
  chunk(65_536, 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2') +
  chunk(1024, '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7') +
  '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n' +
  'x-amz-checksum-crc32c:sOO8/Q==\r\n' +
  'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n';
const unsigned: Payload = { kind: 'chunked', hasTrailer: true, seed: null };

async function decode(body: string, payload: Payload, step = 1000) {
  if (payload.kind !== 'chunked') throw new TypeError('Not a chunked payload.');
  async function* source() {
    for (let at = 0; at < body.length; at += step) yield Buffer.from(body.slice(at, at + step));
  }
  let trailers: Trailers | null = null;
  const parts: Uint8Array[] = [];
  for await (const part of decodeChunks(source(), payload, (found) => (trailers = found))) {
    parts.push(part);
  }
  const found: Trailers | null = trailers;
  return { text: Buffer.concat(parts).toString(), trailers: found === null ? null : [...found] };
}

describe('signed chunks', () => {
  test.each([1, 7, 1000, 65_536, 100_000])(
    'of the published example decode in steps of %i bytes',
    async (step) => {
      const { text, trailers } = await decode(plainBody, plain, step);

      expect(text === 'a'.repeat(66_560)).toBe(true);
      expect(trailers).toEqual([]);
    },
  );

  test('of the published example with a trailer decode, and the trailer is told', async () => {
    const { text, trailers } = await decode(trailerBody, trailing);

    expect(text === 'a'.repeat(66_560)).toBe(true);
    expect(trailers).toEqual([['x-amz-checksum-crc32c', 'sOO8/Q==']]);
  });

  test.each([
    ['a changed byte', plainBody.replace('aaa', 'aab'), plain],
    ['a changed signature', plainBody.replace('=0055', '=0056'), plain],
    ['a chunk left out', plainBody.slice(plainBody.indexOf('400;')), plain],
    ['no signature', plainBody.replace(/;chunk-signature=\w+/, ''), plain],
    ['a changed trailer', trailerBody.replace('sOO8', 'tOO8'), trailing],
    ['an unsigned trailer', trailerBody.replace(/x-amz-trailer-signature:\w+\r\n/, ''), trailing],
    ['the seed of another request', plainBody, trailing],
  ])('with %s are refused', async (_what, body, payload) => {
    expect(await codeOf(() => decode(body, payload))).toBe('SignatureDoesNotMatch');
  });

  test('that end too early are refused at every length', async () => {
    const body = '3\r\nabc\r\n0\r\n\r\n';
    const whole = await decode(body, unsigned);
    const codes = new Set<string>();
    // Without its last CRLF a body is complete: clients differ in the empty line at the end.
    for (let length = 0; length < body.length - 2; length++) {
      codes.add(await codeOf(() => decode(body.slice(0, length), unsigned)));
    }

    expect(whole.text).toBe('abc');
    expect([...codes]).toEqual(['IncompleteBody']);
  });
});

describe('unsigned chunks', () => {
  test('tell their trailer', async () => {
    const body = '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Amz-Checksum-Crc32: NSRBwg==\r\n\r\n';

    expect(await decode(body, unsigned, 1)).toEqual({
      text: 'abcde',
      trailers: [['x-amz-checksum-crc32', 'NSRBwg==']],
    });
  });

  test.each([
    ['a size that is no number', 'x\r\nabc\r\n'],
    ['a negative size', '-1\r\nabc\r\n'],
    ['a size beyond 32 bits', '100000000\r\nabc\r\n'],
    ['more bytes than announced', '2\r\nabc\r\n0\r\n\r\n'],
    ['an endless line', 'a'.repeat(5000)],
    ['endless trailers', `0\r\n${'a:b\r\n'.repeat(2000)}`],
    ['a trailer without a name', '0\r\n: b\r\n\r\n'],
    ['a trailer given twice', '0\r\na: b\r\na: c\r\n\r\n'],
  ])('with %s are malformed', async (_what, body) => {
    expect(await codeOf(() => decode(body, unsigned))).toBe('MalformedTrailerError');
  });
});
