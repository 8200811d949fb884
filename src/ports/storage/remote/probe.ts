import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ForensicsError } from '../../../errors.ts';
import { readUpTo } from '../../files/streams.ts';
import type { BlobStore } from '../store.ts';

/** A new key each time, so that concurrent probes do not collide. */
export function probeKey(): string {
  return `forensics-probe/${randomUUID()}`;
}

/**
 * Does with a small object what the service does with pictures.
 *
 * @throws {ForensicsError} `store_refused`, `store_unavailable`.
 */
export async function probeStore(
  store: Pick<BlobStore, 'put' | 'read' | 'delete' | 'head'>,
): Promise<void> {
  const key = probeKey();
  const bytes = randomBytes(64);
  await store.put(key, bytes);
  let read: Uint8Array;
  try {
    read = await store.read(key, bytes.length);
  } finally {
    await store.delete(key);
  }
  if (!bytes.equals(read)) throw isDifferent();
  // A missing object must be distinguishable from a forbidden one: S3 tells them apart only for keys with permission to
  // list the bucket.
  await store.head(key);
}

function isDifferent(): ForensicsError {
  return new ForensicsError(
    'store_refused',
    'The store returned bytes that differ from those written. Check any proxy between the store and this server.',
  );
}

/**
 * Collects a body, so that it can be sent with its length and digest, and resent after a failure.
 *
 * @throws {ForensicsError} `blob_too_large` if there are more than `maxBytes`.
 */
export async function gather(body: Uint8Array | Readable, maxBytes: number): Promise<Buffer> {
  if (body instanceof Readable) return gatherStream(body, maxBytes);
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/**
 * Collects the bytes of a response.
 *
 * @param expected - its declared length; null if the store did not declare it.
 * @throws {ForensicsError} `blob_too_large`; `store_unavailable` if there are fewer than declared.
 */
export async function gatherAnswer(
  answer: AsyncIterable<unknown> & { destroy(): unknown },
  expected: number | null,
  maxBytes: number,
): Promise<Buffer> {
  if (expected !== null && expected > maxBytes) {
    answer.destroy();
    throw tooLarge(maxBytes);
  }
  const bytes = await gatherStream(answer, maxBytes);
  if (expected === null || bytes.length === expected) return bytes;
  throw new ForensicsError(
    'store_unavailable',
    'The store sent only part of the object. Try again later.',
  );
}

async function gatherStream(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const bytes = await readUpTo(stream, maxBytes);
  if (bytes === undefined) throw tooLarge(maxBytes);
  return bytes;
}

function tooLarge(maxBytes: number): ForensicsError {
  return new ForensicsError('blob_too_large', `The object is larger than ${maxBytes} bytes.`);
}
