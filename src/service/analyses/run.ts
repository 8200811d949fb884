/** One run of an analysis by a worker: examine, render, store, complete; or decide what its failure means. */

import { type ErrorCode, ForensicsError, toForensicsError } from '../../errors.ts';
import type { Job } from '../jobs/queue.ts';
import type { Handler } from '../jobs/worker.ts';
import type { BlobStore } from '../../ports/storage/store.ts';
import { openInTime } from './bounds.ts';
import type { Context } from './context.ts';
import { checkUpload, readEvidence } from './evidence.ts';
import { type RunResult, outputKeys } from './examination-row.ts';
import { maxRetries, messages } from './lifecycle/changes.ts';
import { beginRun, completeRun, failRun, retryRun, rollBackRun } from './lifecycle/worker.ts';
import { discardObjects } from './orphan-objects.ts';
import { renderInto } from './render.ts';
import type { AnalysisRow, Target } from './rows.ts';
import { isPictureError } from './start.ts';

/** Pauses before the automatic retries. */
const retryPausesMs = [1000, 5000, 20_000] as const;
const longestBusyPauseMs = 30_000;
/** A run whose store still fails this long after the request is given up. */
const storeGiveUpMs = 24 * 3_600_000;

/** The handler of the jobs that `start` and `retry` enqueue. */
export function createRun(context: Context): Handler {
  return async (job, { signal }) => {
    const target = parseTarget(job);
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

interface Failure {
  readonly job: Job;
  readonly target: Target;
  readonly row: AnalysisRow;
  readonly error: unknown;
}

async function settleFailure(
  context: Context,
  { job, target, row, error }: Failure,
): Promise<void> {
  const failure = toForensicsError(error);
  const after = (ms: number) => new Date(context.now().getTime() + ms);
  // The surroundings failed, not the inference: the worker puts the job back and nothing is counted.
  if (surroundings.includes(failure.code)) {
    if (isStoreAway(context, { row, failure })) {
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
  if (isFinal(failure) || row.retryCount >= maxRetries) {
    return failRun(context, job, target, failure);
  }
  return retryRun(context, job, row, after(retryPausesMs[row.retryCount] ?? 0));
}

const storeTroubles: readonly ErrorCode[] = ['store_unavailable', 'no_space_left'];
const surroundings: readonly ErrorCode[] = [
  ...storeTroubles,
  'database_damaged',
  'cancelled',
  'lease_lost',
];

/** Nothing is tried for ever: the client waits for an end. */
function isStoreAway(
  { now }: Context,
  { row, failure }: { row: AnalysisRow; failure: ForensicsError },
): boolean {
  const waitedMs = now().getTime() - (row.queuedAt ?? now()).getTime();
  return storeTroubles.includes(failure.code) && waitedMs > storeGiveUpMs;
}

/** The same bytes and the same model would fail again. */
function isFinal(failure: ForensicsError): boolean {
  const { code } = failure;
  const isBroken = code === 'evidence_damaged' || code === 'runtime_missing';
  return isBroken || code.startsWith('model_') || isPictureError(failure);
}

/** Payloads are written by the lifecycle alone; anything else is a mistake of this program. */
function parseTarget({ payload }: Job): Target {
  const isObject = typeof payload === 'object' && payload !== null;
  if (isObject && 'tenantId' in payload && 'analysisId' in payload) {
    const { tenantId, analysisId } = payload;
    if (typeof tenantId === 'string' && typeof analysisId === 'string') {
      return { tenantId, analysisId };
    }
  }
  throw new TypeError('the job names no analysis');
}
