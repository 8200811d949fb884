/**
 * Analyses: from their creation to their deletion, for one tenant at a time. This room knows who may see what and when a
 * state changes; it knows no requests, no pixels and no model.
 */

import type { Principal } from '../access/principal.ts';
import type { Tenant } from '../tenants/tenants.ts';
import type { Analysis, CreateRequest } from '../../contract/analysis.ts';
import type { Db } from '../../ports/db/database.ts';
import type { Limits } from '../../image/picture.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Handler } from '../jobs/worker.ts';
import type { OwnValidation } from '../../present/report-item.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Stores } from '../../ports/storage/stores.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import { createSemaphore, type Semaphore } from './bounds.ts';
import { createAnalysis } from './create.ts';
import { createLifecycle, type Lifecycle } from './lifecycle/lifecycle.ts';
import { type AnalysisPage, getAnalysis, listAnalyses, type ListQuery } from './list.ts';
import { cleanUp, type RetentionRules } from './retention.ts';
import { retryAnalysis, type RetryRequest } from './retry.ts';
import { createRun } from './run.ts';
import { startAnalysis } from './start.ts';

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
  const lifecycle = createLifecycle(options);
  const context: Context = {
    onError: () => undefined,
    onNotice: () => undefined,
    storeWaitMs: 60_000,
    validation: null,
    ...options,
    lifecycle,
    semaphore: createSemaphore(picturesInMemory),
    upgrading: new Set(),
  };
  return {
    limits: options.limits,
    create: async (caller, request) =>
      withoutActorName(await createAnalysis(context, caller, request)),
    get: (caller, id) => getAnalysis(context, caller, id),
    list: (caller, query) => listAnalyses(context, caller, query),
    async remove({ tenant, principal }, analysisId) {
      await lifecycle.remove({ tenantId: tenant.id, analysisId }, principal);
    },
    start: (caller, id) => startAnalysis(context, caller, id),
    retry: async (caller, request) =>
      withoutActorName(await retryAnalysis(context, caller, request)),
    run: createRun(context),
    cleanUp: (signal) => cleanUp(context, signal),
  };
}

/** The contract fills the name of the last actor in on reads only. */
function withoutActorName(analysis: Analysis): Analysis {
  return { ...analysis, lastChangedByUserName: null };
}

interface AnalysesOptions {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly stores: Stores;
  readonly sandbox: Pick<Sandbox, 'examine' | 'render'>;
  /** Known image models; the first is the default. */
  readonly models: readonly { readonly id: string; readonly version: string }[];
  /** Error rates on the operator's own pictures that reports cite; null for none. */
  readonly validation?: OwnValidation | null;
  /** Lower-case hex MD5 of the pictures that trial tenants may analyse. */
  readonly trialMd5s: readonly string[];
  readonly limits: Limits;
  readonly retention: RetentionRules;
  readonly now: () => Date;
  /** How long an act waits for a store, all that it asks of it together; default 60 s. */
  readonly storeWaitMs?: number;
  /** Told about trouble that changes no answer, such as an object that could not be cleaned up. */
  readonly onError?: (error: unknown) => void;
  /** Told what was done that no caller hears of, in words of this program and numbers. */
  readonly onNotice?: (what: string, facts: Notice) => void;
}

export type Notice = Readonly<Record<string, string | number>>;

export interface Context extends Required<AnalysesOptions> {
  readonly lifecycle: Lifecycle;
  /** Around everything that holds a picture for a client's call; runs are bounded by their workers. */
  readonly semaphore: Semaphore;
  /** Upgrades being drawn by this process: a picture is drawn once however many calls come together. */
  readonly upgrading: Set<string>;
}

/** On whose behalf an act is done, and for which tenant; the access room has checked that this is allowed. */
export interface Caller {
  readonly principal: Principal;
  readonly tenant: Tenant;
  /** The same request under the same key acts once. */
  readonly idempotencyKey?: string | null;
}
