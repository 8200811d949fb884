/** Analyses from creation to deletion, one tenant at a time: who may see what, and when a state changes. */

import type { Analysis, CreateRequest, Description } from '../../contract/analysis.ts';
import { type ErrorCode, failure as failureOf, toForensicsError } from '../../contract/errors.ts';
import { createMutex } from '../../waiting.ts';
import type { Job } from '../jobs/queue.ts';
import type { Handler } from '../jobs/worker.ts';
import {
  type AnalysesOptions,
  type Caller,
  checkUpload,
  type Context,
  createSemaphore,
  openInTime,
  readEvidence,
  type StoredAnalysis,
} from './context.ts';
import {
  createAnalysis,
  isPictureError,
  retryAnalysis,
  type RetryRequest,
  startAnalysis,
} from './start.ts';
import { outputKeys, type RunResult } from './examination-row.ts';
import { maxRetries } from './lifecycle/changes.ts';
import { describeAnalysis, removeAnalysis } from './lifecycle/client.ts';
import { beginRun, completeRun, failRun, retryRun, rollBackRun } from './lifecycle/worker.ts';
import { discardUnlessUsed } from './orphan-objects.ts';
import { renderInto } from './render.ts';
import { cleanUp } from './retention.ts';
import { type AnalysisRow, findThumbnails, type ListQuery, type Target } from './rows.ts';
import { findSeenBefore, isSearched } from './seen-before.ts';
import { getAnalysis, listAnalyses } from './view.ts';

export type Analyses = ReturnType<typeof createAnalyses>;

// At 50 MB a picture, concurrent starts and upgrades stay within 200 MB.
const picturesInMemory = 4;

export function createAnalyses(options: AnalysesOptions) {
  const context: Context = {
    onError: () => undefined,
    onNotice: () => undefined,
    storeWaitMs: 60_000,
    validation: null,
    ...options,
    semaphore: createSemaphore(picturesInMemory),
  };
  // A repeated request gets the response of the first, and concurrent ones read or render a picture only once.
  const oneAtATime = createMutex();
  return {
    limits: options.limits,
    create: async (caller: Caller, request: CreateRequest) =>
      withoutActorName(await createAnalysis(context, caller, request)),
    get: (caller: Caller, id: string) => getAnalysis(context, caller, id),
    list: (caller: Caller, query: ListQuery) => listAnalyses(context, caller, query),
    /** Copies and linked pictures. @throws {ForensicsError} `analysis_not_found`. */
    seenBefore: ({ tenant }: Caller, analysisId: string) =>
      findSeenBefore(context.db, { tenantId: tenant.id, analysisId }),
    /** @throws {ForensicsError} `analysis_not_found`, `invalid_request`. */
    describe: async (caller: Caller, analysisId: string, description: Description) => {
      const { tenant, principal } = caller;
      const target = { tenantId: tenant.id, analysisId };
      await describeAnalysis(context, target, description, principal);
      return withoutActorName(await getAnalysis(context, caller, analysisId));
    },
    /** Thumbnails of the analyses that have one, in no particular order. */
    thumbnails: ({ tenant }: Caller, ids: readonly string[]) =>
      findThumbnails(context.db, tenant.id, ids),
    /** Hides an analysis everywhere. @throws {ForensicsError} `analysis_not_found`, also when repeated. */
    remove: ({ tenant, principal }: Caller, analysisId: string) =>
      removeAnalysis(context, { tenantId: tenant.id, analysisId }, principal),
    start: (caller: Caller, id: string) =>
      oneAtATime(`${caller.tenant.id} ${id}`, () => startAnalysis(context, caller, id)),
    retry: async (caller: Caller, request: RetryRequest) =>
      oneAtATime(`${caller.tenant.id} ${request.id}`, async () =>
        withoutActorName(await retryAnalysis(context, caller, request)),
      ),
    run: createRun(context),
    /** The daily chore: removes whatever the retention rules no longer allow us to keep. */
    cleanUp: (signal: AbortSignal) => cleanUp(context, signal),
  };
}

/** The contract includes the last actor's name only in responses to reads. */
function withoutActorName(analysis: Analysis): Analysis {
  return { ...analysis, lastChangedByUserName: null };
}

// One run of an analysis by a worker: examines, renders, stores and completes, or decides what a failure means.

const retryPausesMs = [1000, 5000, 20_000] as const;
const longestBusyPauseMs = 30_000;
/** A run is abandoned if its store still fails this long after the request. */
const storeGiveUpMs = 24 * 3_600_000;

/** The handler of the jobs that `start` and `retry` enqueue. */
function createRun(context: Context): Handler {
  return async (job, { signal }) => {
    // Only the lifecycle writes payloads of this kind.
    const target: Target = Object(job.payload);
    const row = await beginRun(context, job, target);
    if (row === null) return;
    const store = await openInTime(context, row, signal);
    const found = await examine(context, { row, store, signal }).catch(async (error: unknown) => {
      if (signal.aborted) throw error;
      await settleFailure(context, { job, target, row, error });
      return null;
    });
    if (found === null) return;
    const keys = found.rendered === null ? [] : outputKeys(found.rendered);
    const complete = () => completeRun(context, job, target, found);
    await discardUnlessUsed(context, { store, keys }, complete);
  };
}

async function examine(
  context: Context,
  { row, store, signal }: StoredAnalysis & { readonly signal: AbortSignal },
): Promise<RunResult> {
  const bytes = await readEvidence(context, { row, store });
  const { model, decisionStrategy, seed, format, width, height, tier } = row;
  const request = {
    source: { bytes },
    options: { model, decisionStrategy, seed },
    declared: { format, width, height },
    forReport: tier !== 'flagging',
    withThumbnail: true,
    withFingerprint: await isSearched(context.db, row),
  };
  const examination = await context.sandbox.examine(request, { ifBusy: 'refuse', signal });
  const examinedAt = context.now();
  const isUploadReplaced = await checkUpload(context, { row, store });
  if (tier === 'flagging') return { examination, examinedAt, rendered: null };
  const work = { row, store, bytes, isUploadReplaced, examination, examinedAt, signal };
  return renderInto(context, work);
}

async function settleFailure(
  context: Context,
  { job, target, row, error }: { job: Job; target: Target; row: AnalysisRow; error: unknown },
): Promise<void> {
  const failure = toForensicsError(error);
  const after = (ms: number) => new Date(context.now().getTime() + ms);
  // The environment failed, not the inference: the worker puts the job back, and no attempt is counted.
  if (surroundings.includes(failure.code)) {
    const at = context.now();
    const waitedMs = at.getTime() - (row.queuedAt ?? at).getTime();
    // Nothing is retried forever, because the client is waiting for an outcome.
    if (storeFailures.includes(failure.code) && waitedMs > storeGiveUpMs) {
      const { message, reason } = failureOf('store_away', {});
      const said = `${message} ${failure.message}`;
      await failRun(context, job, target, { code: failure.code, message: said, reason });
    }
    throw error;
  }
  if (failure.code === 'inference_busy') {
    const pauseMs = Math.min(longestBusyPauseMs, 500 * 2 ** Math.min(job.fence, 10));
    return rollBackRun(context, job, target, after(pauseMs));
  }
  if (failure.code === 'internal') context.onError(error);
  // The same bytes and the same model would fail again.
  const isFinal =
    ['evidence_damaged', 'runtime_missing'].includes(failure.code) ||
    failure.code.startsWith('model_') ||
    isPictureError(failure);
  if (isFinal || row.retryCount >= maxRetries) return failRun(context, job, target, failure);
  return retryRun(context, job, row, after(retryPausesMs[row.retryCount] ?? 0));
}

const storeFailures: readonly ErrorCode[] = ['store_unavailable', 'no_space_left'];
const surroundings: readonly ErrorCode[] = [
  ...storeFailures,
  'database_damaged',
  'cancelled',
  'lease_lost',
];
