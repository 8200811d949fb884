/**
 * Analyses: from their creation to their deletion, for one tenant at a time. This room knows who may see what and when a
 * state changes; it knows no requests, no pixels and no model.
 */

import type { Handler } from '../jobs/worker.ts';
import type { Analysis } from './analysis.ts';
import type { AnalysesOptions, Caller, Context } from './context.ts';
import { createAnalysis } from './create.ts';
import { createGate } from './gate.ts';
import { createLifecycle } from './lifecycle.ts';
import { type AnalysisPage, getAnalysis, listAnalyses, type ListQuery } from './list.ts';
import type { CreateRequest } from './request.ts';
import { cleanUp } from './retention.ts';
import { retryAnalysis, type RetryRequest } from './retry.ts';
import { createRun } from './run.ts';
import { startAnalysis } from './start.ts';

export interface Analyses {
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
  const lifecycle = createLifecycle(options);
  const context: Context = {
    onError: () => undefined,
    onNotice: () => undefined,
    storeWaitMs: 60_000,
    validation: null,
    ...options,
    lifecycle,
    gate: createGate(picturesInMemory),
    upgrading: new Set(),
  };
  return {
    create: async (caller, request) => nameless(await createAnalysis(context, caller, request)),
    get: (caller, id) => getAnalysis(context, caller, id),
    list: (caller, query) => listAnalyses(context, caller, query),
    async remove({ tenant, principal }, analysisId) {
      lifecycle.remove({ tenantId: tenant.id, analysisId }, principal);
    },
    start: (caller, id) => startAnalysis(context, caller, id),
    retry: async (caller, request) => nameless(await retryAnalysis(context, caller, request)),
    run: createRun(context),
    cleanUp: (signal) => cleanUp(context, signal),
  };
}

/** The contract fills the name of the last actor in on reads only. */
function nameless(analysis: Analysis): Analysis {
  return { ...analysis, lastChangedByUserName: null };
}
