/**
 * Takes the chunks of the `aws-chunked` coding apart again: `<hex size>[;chunk-signature=<hex>]CRLF<bytes>CRLF`, a
 * chunk of size 0, then trailers. Signatures are checked as the bytes go by, so a reader must not trust what it got
 * before the last step.
 *
 * @see Amazon S3 API Reference, "Transferring payload in multiple chunks", with and without trailing headers.
 */

import { createHash, type Hash } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import { createByteReader } from './byte-reader.ts';
import { sha256Hex } from './canonical.ts';
import type { Payload, Seed } from './payload.ts';
import { equalText, hmacHex } from './signing-key.ts';

type Chunked = Extract<Payload, { kind: 'chunked' }>;

/** Lower-case names. */
export type Trailers = ReadonlyMap<string, string>;

/** A line that announces a chunk has some 100 bytes, trailers with their signature some 200. */
const maxLineBytes = 1024;
const maxTrailerBytes = 4096;
const emptyHash = sha256Hex('');

/**
 * The bytes inside the chunks.
 *
 * @param onTrailers - Called once, after the last byte, when all signatures were right.
 * @throws {Refusal} `SignatureDoesNotMatch`, `MalformedTrailerError`, `IncompleteBody`.
 */
export async function* decodeChunks(
  source: AsyncIterable<Uint8Array>,
  how: Chunked,
  onTrailers: (trailers: Trailers) => void,
): AsyncGenerator<Uint8Array> {
  const reader = createByteReader(source);
  const chain = how.seed === null ? null : createChain(how.seed);
  try {
    for (;;) {
      const head = parseHead(await reader.line(maxLineBytes));
      const digest = chain === null ? null : createHash('sha256');
      for (let left = head.size; left > 0; ) {
        const part = await reader.atMost(left);
        digest?.update(part);
        left -= part.length;
        yield part;
      }
      if (digest !== null) chain?.checkChunk(digest, head.signature);
      if (head.size === 0) break;
      if ((await reader.line(maxLineBytes)) !== '') throw malformed();
    }
    onTrailers(readTrailers(await reader.rest(maxTrailerBytes), how, chain));
  } finally {
    await reader.close();
  }
}

interface Chain {
  checkChunk(digest: Hash, signature: string | null): void;
  checkTrailers(trailers: Trailers, signature: string | null): void;
}

/** Each signature covers the one before it: no chunk can be left out, added or moved. */
function createChain({ key, time, scope, signature: first }: Seed): Chain {
  let previous = first;

  function check(word: string, hashes: string, signature: string | null): void {
    const text = `AWS4-HMAC-SHA256-${word}\n${time}\n${scope}\n${previous}\n${hashes}`;
    const expected = hmacHex(key, text);
    if (signature === null || !equalText(signature, expected)) {
      throw new Refusal('SignatureDoesNotMatch', 'The signature of a chunk does not match it.');
    }
    previous = expected;
  }

  return {
    checkChunk: (digest, signature) =>
      check('PAYLOAD', `${emptyHash}\n${digest.digest('hex')}`, signature),
    checkTrailers(trailers, signature) {
      const text = [...trailers].map(([name, value]) => `${name}:${value}\n`).join('');
      check('TRAILER', sha256Hex(text), signature);
    },
  };
}

function parseHead(line: string): { size: number; signature: string | null } {
  const parts = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line);
  if (parts === null) throw malformed();
  return { size: Number.parseInt(parts[1]!, 16), signature: parts[2] ?? null };
}

function readTrailers(text: string, how: Chunked, chain: Chain | null): Trailers {
  const trailers = new Map<string, string>();
  // Clients differ in the empty lines that they put between and after trailers.
  for (const line of text.split(/\r?\n/).filter((part) => part !== '')) {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (name === '' || trailers.has(name)) throw malformed();
    trailers.set(name, line.slice(at + 1).trim());
  }
  if (!how.hasTrailer && trailers.size > 0) throw malformed();
  const signature = trailers.get('x-amz-trailer-signature') ?? null;
  trailers.delete('x-amz-trailer-signature');
  if (how.hasTrailer) chain?.checkTrailers(trailers, signature);
  return trailers;
}

function malformed(): Refusal {
  return new Refusal('MalformedTrailerError');
}
