/** The analyses of one tenant on a server: the acts of `/v1/analysis`, each repeated while the server is away or busy. */

import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Analysis } from '../../../analyses/analysis.ts';
import type { Api } from '../../../client/api.ts';
import { ForensicsError } from '../../../errors.ts';
import {
  analysisAnswer,
  analysisComponents,
  type createBody,
  type retryBody,
} from '../../../server/schemas/analysis.ts';
import { succeeded } from '../../../server/schemas/words.ts';
import { wholeAnswer } from '../../server/whole-answer.ts';
import { patiently } from './patience.ts';

export type CreateRequest = Omit<Static<typeof createBody>, 'tenantName'>;
export type RetryOptions = Static<typeof retryBody>['options'];

export interface RemoteAnalyses {
  /** The same request under the same key makes one analysis, however often it is sent. */
  create(request: CreateRequest, idempotencyKey: string): Promise<Analysis>;
  /** @throws {ForensicsError} `analysis_not_found`. */
  read(id: string): Promise<Analysis>;
  /** @throws {ForensicsError} `upload_missing`, `analysis_not_pending`, `image_*`, `trial_image_mismatch`. */
  start(id: string): Promise<void>;
  /** @throws {ForensicsError} `analysis_not_retryable`, `tier_downgrade`; as `start`. */
  retry(id: string, options: RetryOptions): Promise<Analysis>;
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
  const read = (id: string) =>
    api.ask({ method: 'GET', path, query: { tenantName, id }, signal }, answer);
  const post = (act: string, body: object, idempotencyKey: string = randomUUID()) => ({
    method: 'POST' as const,
    path: `${path}${act}`,
    body: { tenantName, ...body },
    idempotencyKey,
  });

  return {
    create: (request, key) =>
      patiently(async () => only(await api.ask(post('', request, key), answer)), signal),
    read: (id) => patiently(async () => only(await read(id)), signal),
    async start(id) {
      const request = post('/start', { id });
      await patiently(() => api.ask(request, succeeded), signal);
    },
    retry(id, options) {
      const request = post('/retry', { id, options });
      return patiently(async () => only(await api.ask(request, answer)), signal);
    },
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
