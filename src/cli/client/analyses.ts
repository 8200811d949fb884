/** The analyses of one tenant on a server, through `/v1/analysis`, and the connection to the store for its files. */

import { randomUUID } from 'node:crypto';
import { type Dispatcher, request as send } from 'undici';
import {
  type Analysis,
  analysisComponents,
  analysisResponse,
  type CreateRequest,
  type InferenceStatus,
} from '../../contract/analysis.ts';
import { succeeded } from '../../contract/common.ts';
import { type SeenBefore, seenBeforeResponse } from '../../contract/seen-before.ts';
import { ForensicsError, hasCode, serverUnexpected } from '../../contract/errors.ts';
import { readStart, readUpTo } from '../../ports/files/files.ts';
import { type Pace, realPace } from '../../waiting.ts';
import {
  type Api,
  type ApiRequest,
  connectionsUnder,
  longRunLimits,
  wholeAnswer,
  withRetry,
} from './api.ts';
import { clocksDiffer, toConnectionFailure, toStoreFailure } from './errors.ts';

export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Closes `api` too, also when opening fails. @throws {ForensicsError} `server_*`, `unauthenticated`, `forbidden`. */
export async function openConnection(api: Api, tenantName: string, pace?: Pace) {
  const transfer = createTransfer(api, pace);
  const close = async () => {
    await transfer.close();
    await api.close();
  };
  try {
    // Reveals a wrong address, key or tenant at once, because this request is retried only briefly.
    await checkAccess(api, tenantName);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    origin: api.url.origin,
    transfer,
    analysesFor: (signal: AbortSignal) => createRemoteAnalyses(api, tenantName, signal),
    close,
  };
}

/** The smallest request that shows whether the credentials are accepted for the tenant. @throws as `Api.request`. */
export async function checkAccess(
  api: Api,
  tenantName: string,
  who: Pick<ApiRequest, 'authorization'> = {},
): Promise<void> {
  const query = { tenantName, limit: 1 };
  await api.request({ method: 'GET', path: '/v1/analysis', query, ...who }, succeeded);
}

export type RemoteAnalyses = ReturnType<typeof createRemoteAnalyses>;

const answer = wholeAnswer(analysisResponse, analysisComponents);
const path = '/v1/analysis';

/** @param signal - stops reading and waiting, but no request that changes something. */
function createRemoteAnalyses(api: Pick<Api, 'request'>, tenantName: string, signal: AbortSignal) {
  const post = (act: string, body: object, idempotencyKey: string = randomUUID()) => ({
    method: 'POST' as const,
    path: `${path}${act}`,
    body: { tenantName, ...body },
    idempotencyKey,
    longRun: signal,
  });
  const get = (from: string, id: string) => ({
    method: 'GET' as const,
    path: from,
    query: { tenantName, id },
    signal,
    longRun: signal,
  });

  return {
    /** Repeating a request with the same key never creates a second analysis. */
    create: async (request: CreateRequest, key: string) =>
      only(await api.request(post('', request, key), answer)),
    /** @throws {ForensicsError} `analysis_not_found`. */
    read: async (id: string) => only(await api.request(get(path, id), answer)),
    /** @throws {ForensicsError} `upload_missing`, `analysis_not_pending`, `image_*`, `trial_image_mismatch`. */
    async start(id: string): Promise<void> {
      await api.request(post('/start', { id }), succeeded);
    },
    /** @throws {ForensicsError} `analysis_not_retryable`, `tier_downgrade`; as `start`. */
    retry: async (id: string) =>
      only(await api.request(post('/retry', { id, options: {} }), answer)),
    async seenBefore(id: string): Promise<readonly SeenBefore[]> {
      return (await api.request(get(`${path}/seen-before`, id), seenBeforeResponse)).data;
    },
    async remove(id: string): Promise<void> {
      await api.request({ method: 'DELETE', path, body: { tenantName, id } }, succeeded);
    },
  };
}

function only({ data }: { readonly data: readonly Analysis[] }): Analysis {
  const [analysis] = data;
  if (analysis !== undefined) return analysis;
  throw serverUnexpected("The server's response contains no analysis.");
}

/** URLs may expire before use or during a transfer, so new ones are requested once. @throws also `store_refused`. */
export async function withFreshUrls<A extends { readonly id: string }, T>(
  analysis: A,
  analyses: { read(id: string): Promise<A> },
  act: (analysis: A) => Promise<T>,
): Promise<T> {
  try {
    return await act(analysis);
  } catch (error) {
    if (!hasCode(error, 'url_expired')) throw error;
  }
  const fresh = await analyses.read(analysis.id);
  try {
    return await act(fresh);
  } catch (error) {
    throw hasCode(error, 'url_expired') ? clocksDiffer() : error;
  }
}

const firstPauseMs = 500;
const growth = 1.5;
/** Only a request by id returns the evidence. Polling 64 at once makes 400 requests a minute; 3,000 are allowed. */
const maxPauseMs = 10_000;

/** Polls an analysis until it has ended. @throws whatever `read` throws; the reason of `signal`. */
export async function untilEnded<
  T extends { readonly inferenceStatus: Pick<InferenceStatus, 'status'> },
>(read: () => Promise<T>, signal: AbortSignal, pace: Pace = realPace): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * growth, maxPauseMs)) {
    const analysis = await read();
    const { status } = analysis.inferenceStatus;
    if (status === 'completed' || status === 'failed') return analysis;
    // Varies by up to a quarter, so that pictures started together are not polled together.
    await pace.wait(pauseMs * (0.75 + Math.random() / 2), signal);
  }
}

// Transfers by presigned URLs, which are the only permission needed; our own credentials are never sent.

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
function createTransfer(server: Pick<Api, 'url' | 'dispatcher'>, pace?: Pace) {
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
  return async (target: URL, { method, headers = {}, bytes, signal }: Call) => {
    const through = async (connections: Dispatcher) => {
      const response = await send(target, {
        method,
        dispatcher: connections,
        headers,
        body: bytes ?? null,
        signal,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      });
      verified.set(target.origin, connections);
      return response;
    };
    const known = verified.get(target.origin);
    if (known !== undefined) return through(known);
    return through(others).catch((error: unknown) => {
      if (toConnectionFailure(error, target).code !== 'server_untrusted') throw error;
      return through(dispatcher);
    });
  };
}
