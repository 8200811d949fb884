/** Changes of state that a worker makes while it holds the job of a run. */

import { transact, type Tx } from '../db/open.ts';
import { analyses, examinations } from '../db/schema.ts';
import type { Job } from '../jobs/queue.ts';
import { maxRetries, messages } from './act.ts';
import { claimObjects } from './loose-objects.ts';
import { type Change, createMoves, type LifecycleParts, targetOf, waitingAgain } from './moves.ts';
import { type Found, keysOf, toRow } from './record.ts';
import { type AnalysisRow, hasCompany, isTarget, type Target } from './rows.ts';
import { countsOfSuccess } from './usage.ts';

export function createRunActs({ db, queue, outbox, now }: LifecycleParts) {
  const { move, tell, countFor } = createMoves({ outbox, now });

  const failIn = (tx: Tx, target: Target, statusMessage: string): void => {
    const change = { status: 'failed', statusMessage, processingFinishedAt: now() } as const;
    const row = move(tx, target, { from: 'processing', change });
    if (row === null) return;
    countFor(tx, row, ['errors', 1]);
    tell(tx, row);
  };

  return {
    /**
     * pending -> processing, or processing again after an error or the death of a worker. Null: there is nothing
     * left to do, and the job is finished.
     */
    lock: (job: Job, target: Target): AnalysisRow | null =>
      transact(db, (tx) => {
        queue.hold(tx, job);
        const row = tx.select().from(analyses).where(isTarget(target)).get();
        if (row?.status === 'pending' && row.queuedAt !== null) return begin(tx, target);
        if (row?.status === 'processing') {
          if (!job.wasAbandoned) return row;
          if (row.retryCount < maxRetries) return countRetry(tx, target, row);
          // A picture that takes the whole worker down must not do so for ever.
          failIn(tx, target, messages.abandoned);
        }
        queue.finish(tx, job);
        return null;
      }),

    /** processing -> completed. False when the analysis was deleted in the meantime. @throws {ForensicsError} `lease_lost`. */
    complete(job: Job, target: Target, found: Found): boolean {
      const { decision, model } = found.examination;
      const record = toRow(target.analysisId, found);
      return transact(db, (tx): boolean => {
        queue.finish(tx, job);
        const change = { ...completedAt(now()), modelVersion: model.version };
        const row = move(tx, target, { from: 'processing', change });
        if (row === null) return false;
        tx.insert(examinations).values(record).run();
        if (found.rendered !== null) claimObjects(tx, keysOf(found.rendered), now());
        countFor(tx, row, ...countsOfSuccess(row, decision));
        tell(tx, row);
        return true;
      });
    },

    /** processing -> processing: once more at `runAt`. @throws {ForensicsError} `lease_lost`. */
    tryAgain: (job: Job, row: AnalysisRow, runAt: Date): void =>
      transact(db, (tx) => {
        queue.release(tx, job, runAt);
        countRetry(tx, targetOf(row), row);
      }),

    /** processing -> failed. @throws {ForensicsError} `lease_lost`. */
    fail: (job: Job, target: Target, statusMessage: string): void =>
      transact(db, (tx) => {
        queue.finish(tx, job);
        failIn(tx, target, statusMessage);
      }),

    /** processing -> pending: every instance was busy. @throws {ForensicsError} `lease_lost`. */
    rollBack: (job: Job, target: Target, runAt: Date): void =>
      transact(db, (tx) => {
        queue.release(tx, job, runAt);
        const row = move(tx, target, { from: 'processing', change: waitingAgain });
        if (row === null) return;
        countFor(tx, row, ['backpressure', 1]);
        tell(tx, row);
      }),

    /** No change of state: what the answers say beside it. */
    noteReplacedInput: (target: Target): void =>
      transact(db, (tx) => {
        const change = { inputReplacedAt: now() };
        tx.update(analyses).set(change).where(isTarget(target)).run();
      }),
  };

  function begin(tx: Tx, target: Target): AnalysisRow | null {
    const begun = { status: 'processing', statusMessage: messages.processing } as const;
    const change = { ...begun, processingStartedAt: now(), isBulk: hasCompany(tx, target) };
    const row = move(tx, target, { from: 'pending', change });
    if (row === null) return null;
    countFor(tx, row, ['runs', 1]);
    tell(tx, row);
    return row;
  }

  function countRetry(tx: Tx, target: Target, { retryCount }: AnalysisRow): AnalysisRow | null {
    const change = { retryCount: retryCount + 1, statusMessage: messages.retrying };
    const row = move(tx, target, { from: 'processing', change });
    if (row !== null) countFor(tx, row, ['retries', 1]);
    return row;
  }
}

function completedAt(at: Date): Change {
  const statusMessage = messages.completed;
  return { status: 'completed', statusMessage, processingFinishedAt: at };
}
