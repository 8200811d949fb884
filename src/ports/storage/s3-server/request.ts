/** One signed request for an object, and how long the server waits for its client, in both directions. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectFiles } from '../embedded/object-files.ts';
import { S3Error } from './errors.ts';

export interface ObjectRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly key: string;
  readonly objects: ObjectFiles;
  /** The digest of the body that was signed, in lower-case hex; null when the body is not signed. */
  readonly bodySha256: string | null;
  readonly limits: Limits;
  /** Tells a client that waits with its body (`Expect: 100-continue`) to send it. */
  readonly askForBody: () => void;
}

export interface Limits {
  readonly maxObjectBytes: number;
  /** A client that neither sends nor takes a byte for so long is disconnected. */
  readonly idleTimeoutMs: number;
}

export function oneHeader(request: IncomingMessage, name: string): string | null {
  const values = request.headersDistinct[name];
  return values === undefined ? null : values.join(', ');
}

/** A client may be slow, but not forever: after the first minute it must have sent so much on average. */
const minBytesPerMs = 1;
const graceMs = 60_000;

/**
 * The body of a request as it comes in. Leaves the connection open when its reader stops early, so that an answer can
 * still be sent.
 *
 * @throws {S3Error} `RequestTimeout` when the client stalls or is far too slow; the error of the socket when the
 * client goes away.
 */
export async function* pacedBytes(
  request: Readable,
  idleTimeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const iterator = request.iterator({ destroyOnReturn: false });
  const startedAt = performance.now();
  let received = 0;
  let isPending = false;
  try {
    for (;;) {
      isPending = true;
      const step: IteratorResult<unknown> = await inTime(iterator.next(), idleTimeoutMs);
      isPending = false;
      if (step.done === true) return;
      if (!(step.value instanceof Uint8Array)) throw new TypeError('The body was decoded already.');
      received += step.value.length;
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs > graceMs && received < elapsedMs * minBytesPerMs) {
        throw new S3Error('RequestTimeout');
      }
      yield step.value;
    }
  } finally {
    // Ending an iterator waits for its pending step, which may never come.
    if (!isPending) await iterator.return?.();
  }
}

/**
 * Sends blocks as the reader takes them, and cuts the connection of a reader that takes none for `idleTimeoutMs`.
 *
 * @throws what `source` throws, or the stream's own error when the reader goes away.
 */
export async function sendPaced(
  source: AsyncIterable<Uint8Array>,
  target: Writable,
  idleTimeoutMs: number,
): Promise<void> {
  const stalled = setTimeout(() => target.destroy(), idleTimeoutMs);
  try {
    await pipeline(async function* watched() {
      for await (const block of source) {
        stalled.refresh();
        yield block;
      }
    }, target);
  } finally {
    clearTimeout(stalled);
  }
}

function inTime<T>(step: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new S3Error('RequestTimeout')), timeoutMs);
    step.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
