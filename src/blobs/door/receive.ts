/**
 * The body of a PUT: its bytes as they come in, freed from chunks, counted, and held against every digest that the
 * client gave. Nothing here is trusted until `check` has passed.
 */

import type { IncomingMessage } from 'node:http';
import type { ObjectRecord } from '../files/record.ts';
import { Refusal } from '../refusal.ts';
import { decodeChunks, type Trailers } from '../signature/chunked.ts';
import { type Call, oneHeader } from './call.ts';
import { type Checksum, checksums } from './checksums.ts';
import { pacedBytes } from './pace.ts';

export interface Incoming {
  /** The client is asked for them when the first is wanted. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Null when it is not known before the end. */
  readonly announcedBytes: number | null;
  /** @throws {Refusal} when what came is not what was announced. */
  readonly check: (came: Came) => void;
}

type Came = Pick<ObjectRecord, 'sizeBytes' | 'md5' | 'sha256'>;

/**
 * Reads the headers only.
 *
 * @param expected - Digests of the body beside its MD5; those of the headers when left out.
 * @throws {Refusal} for a length or digest that is missing, malformed or too large.
 */
export function receive(
  call: Call,
  expected: readonly Announced[] = announcedChecksums(call),
): Incoming {
  const { request, payload, limits } = call;
  const isChunked = payload.kind === 'chunked';
  if (!isChunked && /\baws-chunked\b/.test(oneHeader(request, 'content-encoding') ?? '')) {
    throw new Refusal('InvalidRequest', 'aws-chunked needs a STREAMING- value in the signature.');
  }
  const length = declaredLength(request, isChunked);
  if (length !== null && length > limits.maxObjectBytes) throw new Refusal('EntityTooLarge');
  const md5 = digestHeader(request, 'content-md5', 16);
  let trailers: Trailers = new Map();

  async function* bytes(): AsyncGenerator<Uint8Array> {
    call.askForBody();
    // Chunk heads are overhead; a body that is mostly heads is an attack. Without chunks the writer counts.
    const maxBytes = isChunked && length !== null ? 2 * length + 65_536 : Number.POSITIVE_INFINITY;
    const raw = pacedBytes(request, { ...limits, maxBytes });
    const plain = isChunked ? decodeChunks(raw, payload, (found) => (trailers = found)) : raw;
    for await (const part of plain) {
      for (const { sum } of expected) sum.update(part);
      yield part;
    }
  }

  function check(came: Came): void {
    if (length !== null && came.sizeBytes !== length) throw new Refusal('IncompleteBody');
    if (payload.kind === 'digest' && payload.sha256 !== came.sha256) {
      throw new Refusal('XAmzContentSHA256Mismatch');
    }
    if (md5 !== null && md5.toString('hex') !== came.md5) throw new Refusal('BadDigest');
    for (const { name, sum, value } of expected) {
      const wanted = value ?? parseDigest(trailers.get(name) ?? '', sum.bytes);
      if (!wanted.equals(sum.digest())) throw new Refusal('BadDigest');
    }
  }

  return { bytes: bytes(), announcedBytes: length, check };
}

function declaredLength(request: IncomingMessage, isChunked: boolean): number | null {
  const name = isChunked ? 'x-amz-decoded-content-length' : 'content-length';
  const text = oneHeader(request, name);
  if (text === null) {
    if (!isChunked && request.headers['transfer-encoding'] !== undefined) return null;
    throw new Refusal('MissingContentLength');
  }
  if (!/^\d{1,15}$/.test(text)) throw new Refusal('InvalidArgument', `${name} must be a number.`);
  return Number(text);
}

export interface Announced {
  readonly name: string;
  readonly sum: Checksum;
  /** Null when it comes in a trailer. */
  readonly value: Buffer | null;
}

export function announcedChecksums({ request, payload }: Call): Announced[] {
  const isChunked = payload.kind === 'chunked';
  const trailer = isChunked ? (oneHeader(request, 'x-amz-trailer') ?? '') : '';
  const inTrailer = trailer
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const inHeader = Object.keys(request.headers).filter((name) =>
    name.startsWith('x-amz-checksum-'),
  );
  const hints = ['x-amz-checksum-algorithm', 'x-amz-checksum-type', 'x-amz-checksum-mode'];
  return [...inHeader.filter((name) => !hints.includes(name)), ...inTrailer].map((name) => {
    const make = checksums[name];
    if (make === undefined) throw new Refusal('NotImplemented', `${name} is not known here.`);
    const sum = make();
    const value = inTrailer.includes(name) ? null : digestHeader(request, name, sum.bytes);
    return { name, sum, value };
  });
}

function digestHeader(request: IncomingMessage, name: string, bytes: number): Buffer | null {
  const text = oneHeader(request, name);
  return text === null ? null : parseDigest(text, bytes);
}

/** @throws {Refusal} `InvalidDigest` unless it is the Base64 of so many bytes. */
export function parseDigest(text: string, bytes: number): Buffer {
  const digest = Buffer.from(text, 'base64');
  // Node skips what is not Base64; only a value that survives the way back was sound.
  if (digest.length !== bytes || digest.toString('base64') !== text) {
    throw new Refusal('InvalidDigest');
  }
  return digest;
}
