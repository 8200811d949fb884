/** State changes made by a worker while it holds the job of a run. */

import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { EventDetails } from '../../audit/entry.ts';
import { hasRow, pipelined, type Tx } from '../../../ports/db/database.ts';
import { analyses, examinations } from '../../../ports/db/schema.ts';
import { ForensicsError } from '../../../contract/errors.ts';
import type { Job } from '../../jobs/queue.ts';
import { successCounts } from '../../usage/usage.ts';
import { examinationSha256, outputKeys, type RunResult, toRow } from '../examination-row.ts';
import { addFingerprint, factKeys } from '../seen-before.ts';
import { addThumbnail, type AnalysisRow, isPartOfBulk, isTarget, type Target } from '../rows.ts';
import {
  type Changes,
  type Ending,
  inTenantTransaction,
  type LifecycleParts,
  messages,
  toTarget,
  waitingAgain,
} from './changes.ts';

/**
 * pending -> processing, or processing again after an error or the death of a worker. A worker's death does not count
 * as a failed attempt: it was killed along with its server, whereas a picture can crash only a child process. Returns
 * null if there is nothing left to do; the job is then finished.
 */
export async function beginRun(
  parts: LifecycleParts,
  job: Job,
  target: Target,
): Promise<AnalysisRow | null> {
  const { db, queue } = parts;
  // Only for the usage report, so outside the transaction, where it would conflict with every other start.
  const isBulk = await isPartOfBulk(db, target);
  const act = async (changes: Changes): Promise<AnalysisRow | null> => {
    const { tx } = changes;
    const [, begun] = await pipelined(
      queue.assertLease(tx, job),
      moveToProcessing(changes, target, isBulk),
    );
    if (begun !== null) return begun;
    const row = await tx.select().from(analyses).where(isTarget(target)).get();
    if (row?.status === 'processing') return row;
    await queue.finish(tx, job);
    return null;
  };
  // A crash may undo this, as nobody has been told yet; claiming its webhook message makes it durable too.
  return inTenantTransaction(parts, target, act, { mayBeUndone: true });
}

async function moveToProcessing(
  { at, move, log, count, notify }: Changes,
  target: Target,
  isBulk: boolean,
): Promise<AnalysisRow | null> {
  const begun = { status: 'processing', statusMessage: messages.processing } as const;
  const change = { ...begun, processingStartedAt: at, isBulk };
  const row = await move(target, 'pending', change, { which: isNotNull(analyses.queuedAt) });
  if (row === null) return null;
  await pipelined(
    log(target, { event: 'analysis.begun', details: {} }),
    count(row, ['runs', 1]),
    notify(row),
  );
  return row;
}

/** processing -> completed. Returns false if it was deleted meanwhile. @throws {ForensicsError} `lease_lost`. */
export async function completeRun(
  parts: LifecycleParts,
  job: Job,
  target: Target,
  result: RunResult,
): Promise<boolean> {
  const { decision, model, facts, fingerprint: packed, thumbnail } = result.examination;
  const record = toRow(target.analysisId, result);
  const details = {
    resultClass: decision.resultClass,
    resultSubClasses: decision.resultSubClasses,
    model: model.id,
    modelVersion: model.version,
    modelFiles: model.files,
    examinedAt: result.examinedAt.toISOString(),
    originalSha256: facts.sha256,
    examinationSha256: examinationSha256(record),
    outputs: result.rendered?.sha256 ?? null,
  };
  return inTenantTransaction(parts, target, async (changes): Promise<boolean> => {
    const { tx, at, move, log, count, notify, attach } = changes;
    const completed = { status: 'completed', statusMessage: messages.completed } as const;
    const change = { ...completed, processingFinishedAt: at, modelVersion: model.version };
    const [, row] = await pipelined(
      parts.queue.finish(tx, job),
      move(target, 'processing', change),
    );
    if (row === null) {
      await assertBegun(tx, target);
      return false;
    }
    await pipelined(
      tx.insert(examinations).values(record).run(),
      thumbnail === undefined ? undefined : addThumbnail(tx, target, thumbnail),
      packed === undefined
        ? undefined
        : addFingerprint(tx, target, { packed, facts: factKeys(target.tenantId, facts.metadata) }),
      result.rendered === null ? undefined : attach(outputKeys(result.rendered)),
      log(target, { event: 'analysis.completed', details }),
      count(row, ...successCounts(row, decision)),
      notify(row),
    );
    return true;
  });
}

/** processing -> processing, to be tried again at `runAt`. @throws {ForensicsError} `lease_lost`. */
export async function retryRun(parts: LifecycleParts, job: Job, row: AnalysisRow, runAt: Date) {
  const target = toTarget(row);
  await inTenantTransaction(parts, row, async ({ tx, move, log, count }) => {
    await parts.queue.release(tx, job, runAt);
    const change = { retryCount: row.retryCount + 1, statusMessage: messages.retrying };
    const counted = await move(target, 'processing', change);
    if (counted === null) return;
    const details = { retryCount: counted.retryCount };
    await pipelined(
      log(target, { event: 'analysis.retried', details }),
      count(counted, ['retries', 1]),
    );
  });
}

/** processing -> failed. @throws {ForensicsError} `lease_lost`. */
export async function failRun(
  parts: LifecycleParts,
  job: Job,
  target: Target,
  { code, message: statusMessage, reason: failure }: Ending,
): Promise<void> {
  await inTenantTransaction(parts, target, async ({ tx, at, move, log, count, notify }) => {
    await parts.queue.finish(tx, job);
    const change = { status: 'failed', statusMessage, failure, processingFinishedAt: at } as const;
    const row = await move(target, 'processing', change);
    if (row === null) return assertBegun(tx, target);
    await pipelined(
      log(target, { event: 'analysis.failed', details: { code } }),
      count(row, ['errors', 1]),
      notify(row),
    );
  });
}

/** processing -> pending, because every instance was busy. @throws {ForensicsError} `lease_lost`. */
export async function rollBackRun(parts: LifecycleParts, job: Job, target: Target, runAt: Date) {
  await inTenantTransaction(parts, target, async ({ tx, move, log, count, notify }) => {
    await parts.queue.release(tx, job, runAt);
    const row = await move(target, 'processing', waitingAgain);
    if (row === null) return;
    await pipelined(
      log(target, { event: 'analysis.rolled_back', details: {} }),
      count(row, ['backpressure', 1]),
      notify(row),
    );
  });
}

/** SHA-256 of what replaced the upload; null if it was too large to hash. */
export type Replacement = EventDetails['analysis.upload_replaced'];

/** Shown in addition to the state, which stays; recorded once, however many workers notice it. */
export async function noteReplacedInput(
  parts: LifecycleParts,
  target: Target,
  details: Replacement,
): Promise<void> {
  await inTenantTransaction(parts, target, async ({ tx, at, log }) => {
    const isFirst = and(isTarget(target), isNull(analyses.inputReplacedAt));
    const noted = await tx.update(analyses).set({ inputReplacedAt: at }).where(isFirst).run();
    if (noted.changes > 0) await log(target, { event: 'analysis.upload_replaced', details });
  });
}

/** If a database crash has undone the beginning of this run, ending it would leave the analysis without a job. */
async function assertBegun(tx: Tx, target: Target): Promise<void> {
  const isPending = and(isTarget(target), eq(analyses.status, 'pending'));
  if (!(await hasRow(tx, analyses, isPending))) return;
  throw new ForensicsError('lease_lost', 'A database crash undid the start of this run.');
}
