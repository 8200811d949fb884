/**
 * Analyses: from their creation to their deletion, for one tenant at a time. This room knows who may see what and when a
 * state changes; it knows no requests, no pixels and no model.
 */

import type { Analysis, CreateRequest } from '../../contract/analysis.ts';
import type { Limits } from '../../image/picture.ts';
import type { Handler } from '../jobs/worker.ts';
import { createSemaphore } from './bounds.ts';
import type { AnalysesOptions, Caller, Context } from './context.ts';
import { createAnalysis } from './create.ts';
import { removeAnalysis } from './lifecycle/client.ts';
import { cleanUp } from './retention.ts';
import { retryAnalysis, type RetryRequest } from './retry.ts';
import { createRun } from './run.ts';
import { startAnalysis } from './start.ts';
import { type AnalysisPage, getAnalysis, listAnalyses, type ListQuery } from './view.ts';

export interface Analyses {
  /** Of pictures. */
  readonly limits: Limits;
  create(caller: Caller, request: CreateRequest): Promise<Analysis>;
  get(caller: Caller, id: string): Promise<Analysis>;
  list(caller: Caller, query: ListQuery): Promise<AnalysisPage>;
  /** Hides it everywhere. @throws {ForensicsError} `analysis_not_found`, also the second time. */
  remove(caller: Caller, id: string): Promise<void>;
  start(caller: Caller, id: string): Promise<void>;
  retry(caller: Caller, request: RetryRequest): Promise<Analysis>;
  /** The worker's handler for jobs of the kind `runJob`. */
  readonly run: Handler;
  /** The daily chore: removes what is older than the rules of retention allow. */
  readonly cleanUp: (signal: AbortSignal) => Promise<void>;
}

// At 50 MB a picture, starts and upgrades that come together stay within 200 MB.
const picturesInMemory = 4;

export function createAnalyses(options: AnalysesOptions): Analyses {
  const context: Context = {
    onError: () => undefined,
    onNotice: () => undefined,
    storeWaitMs: 60_000,
    validation: null,
    ...options,
    semaphore: createSemaphore(picturesInMemory),
    upgrading: new Set(),
  };
  return {
    limits: options.limits,
    create: async (caller, request) =>
      withoutActorName(await createAnalysis(context, caller, request)),
    get: (caller, id) => getAnalysis(context, caller, id),
    list: (caller, query) => listAnalyses(context, caller, query),
    remove: ({ tenant, principal }, analysisId) =>
      removeAnalysis(context, { tenantId: tenant.id, analysisId }, principal),
    start: (caller, id) => startAnalysis(context, caller, id),
    retry: async (caller, request) =>
      withoutActorName(await retryAnalysis(context, caller, request)),
    run: createRun(context),
    cleanUp: (signal) => cleanUp(context, signal),
  };
}

/** The contract fills in the name of the last actor on reads only. */
function withoutActorName(analysis: Analysis): Analysis {
  return { ...analysis, lastChangedByUserName: null };
}
