/** The analyses of one tenant on a server: the acts of `/v1/analysis`, each repeated while the server is away or busy. */

import { randomUUID } from 'node:crypto';
import type { Api } from '../../../client/api.ts';
import { createTransfer, type Transfer } from '../../../client/transfer.ts';
import {
  type Analysis,
  analysisAnswer,
  analysisComponents,
  type CreateRequest,
  type GivenOptions,
} from '../../../contract/analysis.ts';
import { succeeded } from '../../../contract/common.ts';
import { ForensicsError } from '../../../errors.ts';
import { checkAccess, openServer, wholeAnswer } from '../../target/connect.ts';
import type { ServerOptions } from '../../target/options.ts';

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
export function createRemoteAnalyses(
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

// The way to one tenant of a server and to where it keeps files, opened once and proven by one request.

export interface Connection {
  /** Scheme, host and port of the server. */
  readonly origin: string;
  readonly transfer: Transfer;
  analysesFor(signal: AbortSignal): RemoteAnalyses;
  close(): Promise<void>;
}

/** @throws {ForensicsError} what every request would meet: `server_*`, `unauthenticated`, `forbidden`. */
export async function openConnection(
  options: ServerOptions & { readonly tenant: string },
): Promise<Connection> {
  const api = await openServer(options);
  const transfer = createTransfer(api);
  const analysesFor = (signal: AbortSignal) => createRemoteAnalyses(api, options.tenant, signal);
  const close = async () => {
    await transfer.close();
    await api.close();
  };
  try {
    // One request that is not repeated for long: an address, a key or a tenant that is wrong shows at once.
    await checkAccess(api, options.tenant);
  } catch (error) {
    await close();
    throw error;
  }
  return { origin: api.url.origin, transfer, analysesFor, close };
}
