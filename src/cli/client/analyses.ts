/**
 * The analyses of one tenant on a server: the acts of `/v1/analysis`, each repeated while the server is away or busy, and
 * the way to where it keeps files.
 */

import { randomUUID } from 'node:crypto';
import {
  type Analysis,
  analysisAnswer,
  analysisComponents,
  type CreateRequest,
  type GivenOptions,
  type InferenceStatus,
} from '../../contract/analysis.ts';
import { succeeded } from '../../contract/common.ts';
import { ForensicsError } from '../../errors.ts';
import { type Pace, realPace } from '../../retry.ts';
import { type Api, type ApiRequest, wholeAnswer } from './api.ts';
import { clocksDiffer } from './errors.ts';
import { createTransfer, type Transfer } from './transfer.ts';

export interface Connection {
  /** Scheme, host and port of the server. */
  readonly origin: string;
  readonly transfer: Transfer;
  analysesFor(signal: AbortSignal): RemoteAnalyses;
  close(): Promise<void>;
}

/**
 * Closes `api` with itself, also when opening fails.
 *
 * @throws {ForensicsError} what every request would meet: `server_*`, `unauthenticated`, `forbidden`.
 */
export async function openConnection(api: Api, tenantName: string): Promise<Connection> {
  const transfer = createTransfer(api);
  const close = async () => {
    await transfer.close();
    await api.close();
  };
  try {
    // One request that is not repeated for long: an address, a key or a tenant that is wrong shows at once.
    await checkAccess(api, tenantName);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    origin: api.url.origin,
    transfer,
    analysesFor: (signal) => createRemoteAnalyses(api, tenantName, signal),
    close,
  };
}

/**
 * Asks for as little as there is, to learn whether the server knows who asks and lets them act for the tenant.
 *
 * @throws {ForensicsError} `unauthenticated`, `forbidden`; as `Api.ask`.
 */
export async function checkAccess(
  api: Pick<Api, 'ask'>,
  tenantName: string,
  who: Pick<ApiRequest, 'authorization'> = {},
): Promise<void> {
  const query = { tenantName, limit: 1 };
  await api.ask({ method: 'GET', path: '/v1/analysis', query, ...who }, succeeded);
}

export interface RemoteAnalyses {
  /** The same request under the same key makes one analysis, however often it is sent. */
  create(request: CreateRequest, idempotencyKey: string): Promise<Analysis>;
  /** @throws {ForensicsError} `analysis_not_found`. */
  read(id: string): Promise<Analysis>;
  /** @throws {ForensicsError} `upload_missing`, `analysis_not_pending`, `image_*`, `trial_image_mismatch`. */
  start(id: string): Promise<void>;
  /** @throws {ForensicsError} `analysis_not_retryable`, `tier_downgrade`; as `start`. */
  retry(id: string, options: GivenOptions): Promise<Analysis>;
  remove(id: string): Promise<void>;
}

const answer = wholeAnswer(analysisAnswer, analysisComponents);
const path = '/v1/analysis';

/** @param signal - ends reading and waiting; a request that changes something comes to its end, so that its outcome is known. */
function createRemoteAnalyses(
  api: Pick<Api, 'ask'>,
  tenantName: string,
  signal: AbortSignal,
): RemoteAnalyses {
  const post = (act: string, body: object, idempotencyKey: string = randomUUID()) => ({
    method: 'POST' as const,
    path: `${path}${act}`,
    body: { tenantName, ...body },
    idempotencyKey,
    longRun: signal,
  });

  return {
    create: async (request, key) => only(await api.ask(post('', request, key), answer)),
    async read(id) {
      const query = { tenantName, id };
      return only(await api.ask({ method: 'GET', path, query, signal, longRun: signal }, answer));
    },
    async start(id) {
      await api.ask(post('/start', { id }), succeeded);
    },
    retry: async (id, options) => only(await api.ask(post('/retry', { id, options }), answer)),
    async remove(id) {
      await api.ask({ method: 'DELETE', path, body: { tenantName, id } }, succeeded);
    },
  };
}

function only({ data }: { readonly data: readonly Analysis[] }): Analysis {
  const [analysis] = data;
  if (analysis !== undefined) return analysis;
  throw new ForensicsError(
    'server_unexpected',
    'The server answered no analysis where one belongs.',
  );
}

/**
 * Presigned URLs may be old, or grow old while a slow line is busy: they are requested anew, once.
 *
 * @throws {ForensicsError} `store_refused` when new ones are old already; what `act` throws.
 */
export async function withFreshUrls<A extends { readonly id: string }, T>(
  analysis: A,
  analyses: { read(id: string): Promise<A> },
  act: (analysis: A) => Promise<T>,
): Promise<T> {
  try {
    return await act(analysis);
  } catch (error) {
    if (!isExpiry(error)) throw error;
  }
  const fresh = await analyses.read(analysis.id);
  try {
    return await act(fresh);
  } catch (error) {
    throw isExpiry(error) ? clocksDiffer() : error;
  }
}

function isExpiry(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'url_expired';
}

const firstPauseMs = 500;
const growth = 1.5;
/**
 * Each analysis is requested by its id, for only that answer contains the evidence. With 64 at once this comes to 400
 * requests a minute; a server allows 3,000.
 */
const maxPauseMs = 10_000;

/** Reads an analysis until it has ended. @throws what `read` throws; the reason of `signal`. */
export async function untilEnded<
  T extends { readonly inferenceStatus: Pick<InferenceStatus, 'status'> },
>(read: () => Promise<T>, signal: AbortSignal, pace: Pace = realPace): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * growth, maxPauseMs)) {
    const analysis = await read();
    const { status } = analysis.inferenceStatus;
    if (status === 'completed' || status === 'failed') return analysis;
    // A quarter more or less by chance: many who began together do not ask together.
    await pace.wait(pauseMs * (0.75 + Math.random() / 2), signal);
  }
}
