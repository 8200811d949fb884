import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/blobs/signature/canonical.ts';
import type { Seed } from '../../../src/blobs/signature/payload.ts';
import { hmacHex } from '../../../src/blobs/signature/signing-key.ts';
import { bucket, type DoorServer, startDoor } from './door-server.ts';
import { sendRaw } from './raw-request.ts';
import { signHeaders } from './sign-headers.ts';

let server: DoorServer;

beforeAll(async () => {
  server = await startDoor({ maxObjectBytes: 100_000 });
});

afterEach(async () => {
  await server.storeOf(bucket).delete('key');
});

afterAll(() => server.close());

async function stored(): Promise<string | null> {
  const got = await sendRaw(server, server.urlFor('GET', 'key'));
  return got.status === 200 ? got.body : null;
}

describe('a body in chunks', () => {
  const unsigned = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  const signed = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
  const crc = { 'x-amz-trailer': 'x-amz-checksum-crc32' };

  test('that are signed is stored without its chunks', async () => {
    const answer = await putChunked(signed, {}, (seed) => signedBody(['by', 'tes'], seed));
    const got = await sendRaw(server, server.urlFor('GET', 'key'));

    expect([answer.code, got.body, got.headers['content-encoding']]).toEqual([
      null,
      'bytes',
      undefined,
    ]);
  });

  test('with a trailing checksum is stored when the checksum is right', async () => {
    const body = '5\r\nbytes\r\n0\r\nx-amz-checksum-crc32:sZlDzg==\r\n\r\n';

    const answer = await putChunked(unsigned, crc, () => body);

    expect([answer.code, await stored()]).toEqual([null, 'bytes']);
  });

  test.each([
    [
      'a changed byte',
      signed,
      {},
      (seed: Seed) => signedBody(['bytes'], seed).replace('bytes', 'bytez'),
      'SignatureDoesNotMatch',
    ],
    ['too few bytes', signed, {}, (seed: Seed) => signedBody(['byte'], seed), 'IncompleteBody'],
    [
      'an end too early',
      signed,
      {},
      (seed: Seed) => signedBody(['bytes'], seed).slice(0, 95),
      'IncompleteBody',
    ],
    [
      'a wrong trailer',
      unsigned,
      crc,
      () => '5\r\nbytes\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n',
      'BadDigest',
    ],
    ['a trailer left out', unsigned, crc, () => '5\r\nbytes\r\n0\r\n\r\n', 'InvalidDigest'],
    [
      'a length beyond the limit',
      signed,
      { 'x-amz-decoded-content-length': '100001' },
      (seed: Seed) => signedBody(['bytes'], seed),
      'EntityTooLarge',
    ],
    ['more heads than bytes', unsigned, {}, () => '1\r\nx\r\n'.repeat(20_000), 'EntityTooLarge'],
  ])('with %s leaves nothing', async (_what, kind, more, bodyFor, code) => {
    const answer = await putChunked(kind, more, bodyFor);

    expect([answer.code, await stored(), server.files()]).toEqual([code, null, []]);
  });
});

function putChunked(kind: string, more: Record<string, string>, bodyFor: (seed: Seed) => string) {
  const target = `/${bucket}/key`;
  const { headers, seed } = signHeaders(server, 'PUT', target, {
    'x-amz-content-sha256': kind,
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '5',
    ...more,
  });
  return sendRaw(server, target, { method: 'PUT', body: bodyFor(seed), headers });
}

function signedBody(parts: readonly string[], { key, time, scope, signature }: Seed): string {
  let previous = signature;
  return [...parts, '']
    .map((part) => {
      const hashes = `${sha256Hex('')}\n${sha256Hex(part)}`;
      const text = `AWS4-HMAC-SHA256-PAYLOAD\n${time}\n${scope}\n${previous}\n${hashes}`;
      previous = hmacHex(key, text);
      return `${part.length.toString(16)};chunk-signature=${previous}\r\n${part}\r\n`;
    })
    .join('');
}
