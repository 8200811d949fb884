/**
 * PUT object: the body as it comes in, counted and compared with every digest that the client gave. Nothing of it is
 * visible before all of them match.
 */

import type { IncomingMessage } from 'node:http';
import type { ObjectRecord } from '../embedded/record.ts';
import { defaultContentType } from '../store.ts';
import { S3Error } from './errors.ts';
import { writeConditions } from './headers.ts';
import { type ObjectRequest, oneHeader, pacedBytes } from './request.ts';

/** Stored with the object and returned with it. */
const storedHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
];

/** @throws {S3Error} with nothing written. */
export async function putObject(put: ObjectRequest): Promise<void> {
  const { request, response, objects, key, limits } = put;
  const conditions = writeConditions(request);
  const length = declaredLength(request);
  if (length !== null && length > limits.maxObjectBytes) throw new S3Error('EntityTooLarge');
  const md5 = contentMd5(request);
  // Before the body is requested, and again when it has arrived.
  conditions.mayReplace?.(await objects.head(key));
  const { etag } = await objects.write(key, {
    ...conditions,
    contentType: oneHeader(request, 'content-type') || defaultContentType,
    headers: headersToStore(request),
    source: body(put),
    announcedBytes: length ?? 0,
    beforeCommit: (record) => check(record, { length, md5, sha256: put.bodySha256 }),
  });
  response.setHeader('ETag', `"${etag}"`);
  response.setHeader('Content-Length', 0);
  response.statusCode = 200;
  response.end();
}

/** Requested from the client when the first byte is read. */
async function* body({ request, limits, askForBody }: ObjectRequest): AsyncGenerator<Uint8Array> {
  askForBody();
  yield* pacedBytes(request, limits.idleTimeoutMs);
}

interface Declared {
  readonly length: number | null;
  readonly md5: string | null;
  readonly sha256: string | null;
}

function check(record: ObjectRecord, { length, md5, sha256 }: Declared): void {
  if (length !== null && record.sizeBytes !== length) throw new S3Error('IncompleteBody');
  if (sha256 !== null && sha256 !== record.sha256) throw new S3Error('XAmzContentSHA256Mismatch');
  if (md5 !== null && md5 !== record.md5) throw new S3Error('BadDigest');
}

/** Null when it is not known before the end. */
function declaredLength(request: IncomingMessage): number | null {
  const text = oneHeader(request, 'content-length');
  if (text === null) {
    if (request.headers['transfer-encoding'] !== undefined) return null;
    throw new S3Error('MissingContentLength');
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw new S3Error('InvalidArgument', 'Content-Length must be a number.');
  }
  return Number(text);
}

/** In lower-case hex. @throws {S3Error} `InvalidDigest` unless it is the Base64 of 16 bytes. */
function contentMd5(request: IncomingMessage): string | null {
  const text = oneHeader(request, 'content-md5');
  if (text === null) return null;
  const digest = Buffer.from(text, 'base64');
  // Node skips what is not Base64; only a value that survives the way back was valid.
  if (digest.length !== 16 || digest.toString('base64') !== text) {
    throw new S3Error('InvalidDigest');
  }
  return digest.toString('hex');
}

function headersToStore(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    storedHeaders.flatMap((name) => {
      const value = oneHeader(request, name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}
