/**
 * Analyses, from creation to deletion, one tenant at a time. Decides who may see what and when a
 * state changes; knows nothing of HTTP, pixels or models.
 */

import type { Analysis, CreateRequest, Description } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { type ErrorCode, toForensicsError } from '../../errors.ts';
import type { Limits } from '../../image/picture.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import type { Job } from '../jobs/queue.ts';
import type { Handler } from '../jobs/worker.ts';
import {
  type AnalysesOptions,
  type Caller,
  type Context,
  createSemaphore,
  openInTime,
} from './context.ts';
import { checkComment, createAnalysis } from './create.ts';
import { checkUpload, readEvidence } from './evidence.ts';
import { outputKeys, type RunResult } from './examination-row.ts';
import { maxRetries, messages } from './lifecycle/changes.ts';
import { describeAnalysis, removeAnalysis } from './lifecycle/client.ts';
import { beginRun, completeRun, failRun, retryRun, rollBackRun } from './lifecycle/worker.ts';
import { discardObjects } from './orphan-objects.ts';
import { renderInto } from './render.ts';
import { cleanUp } from './retention.ts';
import { isPictureError, retryAnalysis, type RetryRequest, startAnalysis } from './start.ts';
import type { AnalysisRow, Target } from './rows.ts';
import { findThumbnails, type Thumbnail } from './thumbnails.ts';
import { findSeenBefore, isSearched } from './seen-before.ts';
import { type AnalysisPage, getAnalysis, listAnalyses, type ListQuery } from './view.ts';

export interface Analyses {
  /** Limits for pictures. */
  readonly limits: Limits;
  create(caller: Caller, request: CreateRequest): Promise<Analysis>;
  get(caller: Caller, id: string): Promise<Analysis>;
  list(caller: Caller, query: ListQuery): Promise<AnalysisPage>;
  /** Other pictures that show the same scene. @throws {ForensicsError} `analysis_not_found`. */
  seenBefore(caller: Caller, id: string): Promise<readonly SeenBefore[]>;
  /** @throws {ForensicsError} `analysis_not_found`, `invalid_request`. */
  describe(caller: Caller, id: string, description: Description): Promise<Analysis>;
  /** Thumbnails of those analyses that have one, in no particular order. */
  thumbnails(caller: Caller, ids: readonly string[]): Promise<readonly Thumbnail[]>;
  /** Hides an analysis everywhere. @throws {ForensicsError} `analysis_not_found`, also when repeated. */
  remove(caller: Caller, id: string): Promise<void>;
  start(caller: Caller, id: string): Promise<void>;
  retry(caller: Caller, request: RetryRequest): Promise<Analysis>;
  /** The worker's handler for `runJob` jobs. */
  readonly run: Handler;
  /** The daily chore: removes whatever the retention rules no longer allow. */
  readonly cleanUp: (signal: AbortSignal) => Promise<void>;
}

// At 50 MB a picture, concurrent starts and upgrades stay within 200 MB.
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
    seenBefore: ({ tenant }, analysisId) =>
      findSeenBefore(context.db, { tenantId: tenant.id, analysisId }),
    describe: async (caller, analysisId, description) => {
      checkComment(description.comment);
      const { tenant, principal } = caller;
      const target = { tenantId: tenant.id, analysisId };
      await describeAnalysis(context, target, description, principal);
      return withoutActorName(await getAnalysis(context, caller, analysisId));
    },
    thumbnails: ({ tenant }, ids) => findThumbnails(context.db, tenant.id, ids),
    remove: ({ tenant, principal }, analysisId) =>
      removeAnalysis(context, { tenantId: tenant.id, analysisId }, principal),
    start: (caller, id) => startAnalysis(context, caller, id),
    retry: async (caller, request) =>
      withoutActorName(await retryAnalysis(context, caller, request)),
    run: createRun(context),
    cleanUp: (signal) => cleanUp(context, signal),
  };
}

/** The contract includes the last actor's name in answers to reads only. */
function withoutActorName(analysis: Analysis): Analysis {
  return { ...analysis, lastChangedByUserName: null };
}

// One run of an analysis by a worker: examine, render, store, complete; or decide what a failure means.

/** Pauses before the automatic retries. */
const retryPausesMs = [1000, 5000, 20_000] as const;
const longestBusyPauseMs = 30_000;
/** A run whose store still fails this long after the request is given up. */
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
    if (found !== null) await complete(context, { job, target, store, found });
  };
}

interface Run {
  readonly row: AnalysisRow;
  readonly store: BlobStore;
  readonly signal: AbortSignal;
}

async function examine(context: Context, { row, store, signal }: Run): Promise<RunResult> {
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

async function complete(
  context: Context,
  { job, target, store, found }: { job: Job; target: Target; store: BlobStore; found: RunResult },
): Promise<void> {
  const { rendered } = found;
  let isVisible = false;
  try {
    isVisible = await completeRun(context, job, target, found);
  } finally {
    if (!isVisible && rendered !== null) {
      await discardObjects(context, { store, keys: outputKeys(rendered) });
    }
  }
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
    // Nothing is retried for ever, because the client is waiting for an outcome.
    if (storeFailures.includes(failure.code) && waitedMs > storeGiveUpMs) {
      const message = `${messages.storeAway} ${failure.message}`;
      await failRun(context, job, target, { code: failure.code, message });
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
  if (isFinal || row.retryCount >= maxRetries) {
    return failRun(context, job, target, failure);
  }
  return retryRun(context, job, row, after(retryPausesMs[row.retryCount] ?? 0));
}

const storeFailures: readonly ErrorCode[] = ['store_unavailable', 'no_space_left'];
const surroundings: readonly ErrorCode[] = [
  ...storeFailures,
  'database_damaged',
  'cancelled',
  'lease_lost',
];
