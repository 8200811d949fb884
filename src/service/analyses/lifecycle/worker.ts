/** Changes of state that a worker makes while it holds the job of a run. */

import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { EventDetails } from '../../audit/events.ts';
import { pipelined, type Tx } from '../../../ports/db/database.ts';
import { analyses, examinations } from '../../../ports/db/schema.ts';
import { ForensicsError } from '../../../errors.ts';
import type { Job } from '../../jobs/queue.ts';
import {
  type ExaminationRow,
  examinationSha256,
  type RunResult,
  outputKeys,
  toRow,
} from '../examination-row.ts';
import { attachKeys } from '../orphan-objects.ts';
import { type AnalysisRow, isPartOfBulk, isTarget, type Target } from '../rows.ts';
import { successCounts } from '../../usage/usage.ts';
import {
  inTenantTransaction,
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
    if (row === null) return assertBegun(tx, target);
    await pipelined(
      log(tx, target, { event: 'analysis.failed', details: { code } }),
      countFor(tx, row, ['errors', 1]),
      notify(tx, row),
    );
  };

  return {
    /**
     * pending -> processing, or processing again after an error or the death of a worker. That one is no failed attempt: it
     * was killed with its server, while a picture that takes a process down takes down a child. Null: there is nothing left to
     * do, and the job is finished.
     */
    async lock(job: Job, target: Target): Promise<AnalysisRow | null> {
      // A figure of the report alone, and read by itself: every other start would come between it and what is written here.
      const isBulk = await isPartOfBulk(db, target);
      const act = async (tx: Tx): Promise<AnalysisRow | null> => {
        const [, begun] = await pipelined(queue.assertLease(tx, job), begin(tx, target, isBulk));
        if (begun !== null) return begun;
        const row = await tx.select().from(analyses).where(isTarget(target)).get();
        if (row?.status === 'processing') return row;
        await queue.finish(tx, job);
        return null;
      };
      // Nobody was told yet: before a message about it leaves, its claim is kept, and this with it.
      return inTenantTransaction(db, target, act, { mayBeUndone: true });
    },

    /** processing -> completed. False when the analysis was deleted in the meantime. @throws {ForensicsError} `lease_lost`. */
    async complete(job: Job, target: Target, found: RunResult): Promise<boolean> {
      const { decision, model } = found.examination;
      const record = toRow(target.analysisId, found);
      const completion = completionDetails(found, record);
      return inTenantTransaction(db, target, async (tx): Promise<boolean> => {
        const change = { ...completedAt(now()), modelVersion: model.version };
        const [, row] = await pipelined(
          queue.finish(tx, job),
          move(tx, target, { from: 'processing', change }),
        );
        if (row === null) {
          await assertBegun(tx, target);
          return false;
        }
        await pipelined(
          tx.insert(examinations).values(record).run(),
          found.rendered === null ? undefined : attachKeys(tx, outputKeys(found.rendered), now()),
          log(tx, target, { event: 'analysis.completed', details: completion }),
          countFor(tx, row, ...successCounts(row, decision)),
          notify(tx, row, { result: record }),
        );
        return true;
      });
    },

    /** processing -> processing: once more at `runAt`. @throws {ForensicsError} `lease_lost`. */
    tryAgain: async (job: Job, row: AnalysisRow, runAt: Date): Promise<void> =>
      inTenantTransaction(db, row, async (tx) => {
        await queue.release(tx, job, runAt);
        const change = { retryCount: row.retryCount + 1, statusMessage: messages.retrying };
        const counted = await move(tx, toTarget(row), { from: 'processing', change });
        if (counted === null) return;
        const { retryCount } = counted;
        await pipelined(
          log(tx, toTarget(row), { event: 'analysis.retried', details: { retryCount } }),
          countFor(tx, counted, ['retries', 1]),
        );
      }),

    /** processing -> failed. @throws {ForensicsError} `lease_lost`. */
    fail: async (job: Job, target: Target, ending: Ending): Promise<void> =>
      inTenantTransaction(db, target, async (tx) => {
        await queue.finish(tx, job);
        await failIn(tx, target, ending);
      }),

    /** processing -> pending: every instance was busy. @throws {ForensicsError} `lease_lost`. */
    rollBack: async (job: Job, target: Target, runAt: Date): Promise<void> =>
      inTenantTransaction(db, target, async (tx) => {
        await queue.release(tx, job, runAt);
        const row = await move(tx, target, { from: 'processing', change: waitingAgain });
        if (row === null) return;
        await pipelined(
          log(tx, target, { event: 'analysis.rolled_back', details: {} }),
          countFor(tx, row, ['backpressure', 1]),
          notify(tx, row),
        );
      }),

    /** No change of state; answers show it beside the state. Recorded once, however many workers notice it. */
    noteReplacedInput: async (target: Target, replacement: Replacement): Promise<void> =>
      inTenantTransaction(db, target, async (tx) => {
        const isNews = and(isTarget(target), isNull(analyses.inputReplacedAt));
        const noted = await tx.update(analyses).set({ inputReplacedAt: now() }).where(isNews).run();
        if (noted.changes === 0) return;
        await log(tx, target, { event: 'analysis.upload_replaced', details: replacement });
      }),
  };

  async function begin(tx: Tx, target: Target, isBulk: boolean): Promise<AnalysisRow | null> {
    const begun = { status: 'processing', statusMessage: messages.processing } as const;
    const change = { ...begun, processingStartedAt: now(), isBulk };
    const which = isNotNull(analyses.queuedAt);
    const row = await move(tx, target, { from: 'pending', which, change });
    if (row === null) return null;
    await pipelined(
      log(tx, target, { event: 'analysis.begun', details: {} }),
      countFor(tx, row, ['runs', 1]),
      notify(tx, row),
    );
    return row;
  }
}

/** A crash of the database undid the beginning of this run: its end would leave the analysis without a job. */
async function assertBegun(tx: Tx, target: Target): Promise<void> {
  const isPending = and(isTarget(target), eq(analyses.status, 'pending'));
  const row = await tx.select({ id: analyses.id }).from(analyses).where(isPending).get();
  if (row === undefined) return;
  throw new ForensicsError(
    'lease_lost',
    'The beginning of this run was undone by a crash of the database.',
  );
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
