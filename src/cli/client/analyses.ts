/** The analyses of one tenant on a server, through `/v1/analysis`, and the connection to the store for its files. */

import { randomUUID } from 'node:crypto';
import {
  type Analysis,
  analysisResponse,
  analysisComponents,
  type CreateRequest,
  type InferenceStatus,
} from '../../contract/analysis.ts';
import { succeeded } from '../../contract/common.ts';
import { type SeenBefore, seenBeforeResponse } from '../../contract/seen-before.ts';
import { hasCode, ForensicsError } from '../../errors.ts';
import { type Pace, realPace } from '../../retry.ts';
import { type Api, type ApiRequest, wholeAnswer } from './api.ts';
import { clocksDiffer } from './errors.ts';
import { createTransfer } from './transfer.ts';

export type Connection = Awaited<ReturnType<typeof openConnection>>;

/**
 * Owns `api`: closes it with the connection, and also when opening fails.
 *
 * @throws {ForensicsError} what any request would throw: `server_*`, `unauthenticated`, `forbidden`.
 */
export async function openConnection(api: Api, tenantName: string) {
  const transfer = createTransfer(api);
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
    /** Scheme, host and port of the server. */
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

/**
 * @param signal - stops reading and waiting; a request that changes something is still completed,
 *   so that its outcome is known.
 */
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
    /** Other pictures of the tenant that show the same thing. */
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
  throw new ForensicsError('server_unexpected', "The server's response contains no analysis.");
}

/**
 * Presigned URLs may expire before use or during a slow transfer, so new ones are requested once.
 *
 * @throws {ForensicsError} `store_refused` if the new ones have expired as well; whatever `act` throws.
 */
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
/**
 * Each analysis is polled by its id, because only that response contains the evidence. Polling 64
 * at once makes 400 requests a minute; a server allows 3,000.
 */
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
