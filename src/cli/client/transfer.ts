/**
 * Uploads to and downloads from presigned URLs of the server's own store, S3 or Azure. The URL is the only permission
 * needed; our own credentials are never sent with it.
 */

import { type Dispatcher, request } from 'undici';
import { ForensicsError } from '../../errors.ts';
import { readStart, readUpTo } from '../../ports/files/streams.ts';
import type { Pace } from '../../retry.ts';
import { type Api, connectionsUnder, longRunLimits, withRetry } from './api.ts';
import { toConnectionFailure, toStoreFailure } from './errors.ts';

export type Transfer = ReturnType<typeof createTransfer>;

interface Call {
  readonly method: 'GET' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes?: Uint8Array;
  readonly signal: AbortSignal;
}

// The longest allowed pause between two chunks; the whole transfer may take longer.
const silenceMs = 120_000;
const maxFailureBytes = 16_384;

/** Retries a transfer for as long as any other request of a long run. */
export function createTransfer(server: Pick<Api, 'url' | 'dispatcher'>, pace?: Pace) {
  const others = connectionsUnder(null);
  const reach = createReach(server, others);

  async function exchange<T>(
    call: Call,
    take: (body: Dispatcher.ResponseData['body']) => Promise<T>,
  ): Promise<T> {
    const { signal, url } = call;
    const act = async () => {
      try {
        const { statusCode: status, headers, body } = await reach(new URL(url), call);
        if (status >= 200 && status < 300) return await take(body);
        throw toStoreFailure(status, headers, String(await readStart(body, maxFailureBytes)));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toConnectionFailure(error, new URL(url));
      }
    };
    return withRetry(act, { ...longRunLimits, signal, pace });
  }

  return {
    /** @throws {ForensicsError} as `toStoreFailure`; `server_unreachable`, `server_untrusted`; the reason of `signal`. */
    async upload(
      { type, putUrl: url }: { readonly type: 'azure' | 's3'; readonly putUrl: string },
      bytes: Uint8Array,
      signal: AbortSignal,
    ): Promise<void> {
      const headers = type === 'azure' ? { 'x-ms-blob-type': 'BlockBlob' } : {};
      await exchange({ method: 'PUT', url, headers, bytes, signal }, (body) => body.dump());
    },
    /** @throws as `upload`; `blob_too_large` above `maxBytes`. */
    download(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
      return exchange({ method: 'GET', url, signal }, async (body) => {
        const bytes = await readUpTo(body, maxBytes);
        if (bytes !== undefined) return bytes;
        const message = 'The store sent more bytes than a file of this kind can have.';
        throw new ForensicsError('blob_too_large', message);
      });
    },
    close: () => others.close(),
  };
}

/**
 * Uses the server's connections for the server's own address. Other hosts are verified against the authorities that
 * this machine trusts. If that fails, they are verified like the server, because a store may share its authority.
 */
function createReach({ url, dispatcher }: Pick<Api, 'url' | 'dispatcher'>, others: Dispatcher) {
  const verified = new Map([[url.origin, dispatcher]]);
  return async (target: URL, call: Call) => {
    const through = async (connections: Dispatcher) => {
      const answer = await send(connections, target, call);
      verified.set(target.origin, connections);
      return answer;
    };
    const known = verified.get(target.origin);
    if (known !== undefined) return through(known);
    return through(others).catch((error: unknown) => {
      if (toConnectionFailure(error, target).code !== 'server_untrusted') throw error;
      return through(dispatcher);
    });
  };
}

function send(dispatcher: Dispatcher, target: URL, call: Call) {
  const { method, headers = {}, bytes, signal } = call;
  return request(target, {
    method,
    dispatcher,
    headers,
    body: bytes ?? null,
    signal,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
}
