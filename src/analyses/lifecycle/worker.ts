/** Changes of state that a worker makes while it holds the job of a run. */

import { and, isNull } from 'drizzle-orm';
import type { EventDetails } from '../../audit/events.ts';
import { transact, type Tx } from '../../db/database.ts';
import { analyses, examinations } from '../../db/schema.ts';
import type { Job } from '../../jobs/queue.ts';
import {
  type ExaminationRow,
  examinationSha256,
  type RunResult,
  outputKeys,
  toRow,
} from '../examination-row.ts';
import { claimObjects } from '../orphan-objects.ts';
import { type AnalysisRow, hasCompany, isTarget, type Target } from '../rows.ts';
import { successCounts } from '../usage.ts';
import {
  type Change,
  createMoves,
  type Ending,
  type LifecycleParts,
  messages,
  toTarget,
  waitingAgain,
} from './transition.ts';

/** What lay in the place of the upload: its SHA-256, null when it was too large to be hashed. */
export type Replacement = EventDetails['analysis.upload_replaced'];

export function createRunActs({ db, queue, outbox, now }: LifecycleParts) {
  const { move, notify, log, countFor } = createMoves({ outbox, now });

  const failIn = async (
    tx: Tx,
    target: Target,
    { code, message: statusMessage }: Ending,
  ): Promise<void> => {
    const change = { status: 'failed', statusMessage, processingFinishedAt: now() } as const;
    const row = await move(tx, target, { from: 'processing', change });
    if (row === null) return;
    await log(tx, target, { event: 'analysis.failed', details: { code } });
    await countFor(tx, row, ['errors', 1]);
    await notify(tx, row);
  };

  return {
    /**
     * pending -> processing, or processing again after an error or the death of a worker. That one is no failed attempt: it
     * was killed with its server, while a picture that takes a process down takes down a child. Null: there is nothing left to
     * do, and the job is finished.
     */
    lock: async (job: Job, target: Target): Promise<AnalysisRow | null> =>
      transact(db, async (tx) => {
        await queue.assertLease(tx, job);
        const row = await tx.select().from(analyses).where(isTarget(target)).get();
        if (row?.status === 'pending' && row.queuedAt !== null) return begin(tx, target);
        if (row?.status === 'processing') return row;
        await queue.finish(tx, job);
        return null;
      }),

    /** processing -> completed. False when the analysis was deleted in the meantime. @throws {ForensicsError} `lease_lost`. */
    async complete(job: Job, target: Target, found: RunResult): Promise<boolean> {
      const { decision, model } = found.examination;
      const record = toRow(target.analysisId, found);
      const completion = completionDetails(found, record);
      return transact(db, async (tx): Promise<boolean> => {
        await queue.finish(tx, job);
        const change = { ...completedAt(now()), modelVersion: model.version };
        const row = await move(tx, target, { from: 'processing', change });
        if (row === null) return false;
        await tx.insert(examinations).values(record).run();
        if (found.rendered !== null) await claimObjects(tx, outputKeys(found.rendered), now());
        await log(tx, target, { event: 'analysis.completed', details: completion });
        await countFor(tx, row, ...successCounts(row, decision));
        await notify(tx, row);
        return true;
      });
    },

    /** processing -> processing: once more at `runAt`. @throws {ForensicsError} `lease_lost`. */
    tryAgain: async (job: Job, row: AnalysisRow, runAt: Date): Promise<void> =>
      transact(db, async (tx) => {
        await queue.release(tx, job, runAt);
        const change = { retryCount: row.retryCount + 1, statusMessage: messages.retrying };
        const counted = await move(tx, toTarget(row), { from: 'processing', change });
        if (counted === null) return;
        const { retryCount } = counted;
        await log(tx, toTarget(row), { event: 'analysis.retried', details: { retryCount } });
        await countFor(tx, counted, ['retries', 1]);
      }),

    /** processing -> failed. @throws {ForensicsError} `lease_lost`. */
    fail: async (job: Job, target: Target, ending: Ending): Promise<void> =>
      transact(db, async (tx) => {
        await queue.finish(tx, job);
        await failIn(tx, target, ending);
      }),

    /** processing -> pending: every instance was busy. @throws {ForensicsError} `lease_lost`. */
    rollBack: async (job: Job, target: Target, runAt: Date): Promise<void> =>
      transact(db, async (tx) => {
        await queue.release(tx, job, runAt);
        const row = await move(tx, target, { from: 'processing', change: waitingAgain });
        if (row === null) return;
        await log(tx, target, { event: 'analysis.rolled_back', details: {} });
        await countFor(tx, row, ['backpressure', 1]);
        await notify(tx, row);
      }),

    /** No change of state; answers show it beside the state. Recorded once, however many workers notice it. */
    noteReplacedInput: async (target: Target, replacement: Replacement): Promise<void> =>
      transact(db, async (tx) => {
        const isNews = and(isTarget(target), isNull(analyses.inputReplacedAt));
        const noted = await tx.update(analyses).set({ inputReplacedAt: now() }).where(isNews).run();
        if (noted.changes === 0) return;
        await log(tx, target, { event: 'analysis.upload_replaced', details: replacement });
      }),
  };

  async function begin(tx: Tx, target: Target): Promise<AnalysisRow | null> {
    const begun = { status: 'processing', statusMessage: messages.processing } as const;
    const change = { ...begun, processingStartedAt: now(), isBulk: await hasCompany(tx, target) };
    const row = await move(tx, target, { from: 'pending', change });
    if (row === null) return null;
    await log(tx, target, { event: 'analysis.begun', details: {} });
    await countFor(tx, row, ['runs', 1]);
    await notify(tx, row);
    return row;
  }
}

function completionDetails(
  { examination, examinedAt, rendered }: RunResult,
  record: ExaminationRow,
): EventDetails['analysis.completed'] {
  const { facts, decision, model } = examination;
  return {
    resultClass: decision.resultClass,
    resultSubClasses: decision.resultSubClasses,
    model: model.id,
    modelVersion: model.version,
    modelFiles: model.files,
    examinedAt: examinedAt.toISOString(),
    originalSha256: facts.sha256,
    examinationSha256: examinationSha256(record),
    outputs: rendered?.sha256 ?? null,
  };
}

function completedAt(at: Date): Change {
  const statusMessage = messages.completed;
  return { status: 'completed', statusMessage, processingFinishedAt: at };
}
