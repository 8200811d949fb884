/**
 * Every change of state of an analysis, and nothing else: one act, one transaction. Each is a compare-and-set (the row
 * changes only if it still is what the act believes), with its job, its webhook message and its counters beside it.
 */

import { and, eq } from 'drizzle-orm';
import { type Principal, systemPrincipal } from '../access/principal.ts';
import { recall, remember, type Repeatable } from '../db/idempotency.ts';
import { type Db, transact, type Tx } from '../db/open.ts';
import { analyses, examinations } from '../db/schema.ts';
import type { Job, Queue } from '../jobs/queue.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import {
  type Act,
  type Evidence,
  maxRetries,
  messages,
  notRetryable,
  refuseUnlessStartable,
  type Restart,
} from './act.ts';
import type { Status } from './analysis.ts';
import { announce } from './announce.ts';
import { claimObjects } from './loose-objects.ts';
import { type Found, keysOf, type Rendered, renderedText, toRow } from './record.ts';
import {
  type AnalysisRow,
  findForgotten,
  type Forgotten,
  getRow,
  hasCompany,
  isTarget,
  type Target,
} from './rows.ts';
import { type Count, countsOfSuccess, countUsage } from './usage.ts';

/** Kind of the job that runs an analysis; its payload is a Target. */
export const runJob = 'analysis.run';

type NewRow = typeof analyses.$inferInsert;
/** Whose an analysis is and who made it never changes. */
type Fixed = 'id' | 'tenantId' | 'createdAt' | 'createdByType' | 'createdById';
type Change = Partial<Omit<AnalysisRow, Fixed>>;

interface Move {
  readonly from: Status;
  readonly change: Change;
  readonly actor?: Principal;
}

export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle({
  db,
  queue,
  outbox,
  now,
}: {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly now: () => Date;
}) {
  const tell = (tx: Tx, row: AnalysisRow, event: 'update' | 'delete' = 'update') =>
    announce(tx, outbox, { row, event, at: now() });

  const countFor = (tx: Tx, { tenantId }: AnalysisRow, ...counts: readonly Count[]) =>
    countUsage(tx, { tenantId, at: now() }, counts);

  /** The compare-and-set: null when the analysis is gone or not in `from` any more. */
  const move = (tx: Tx, target: Target, { from, change, actor = systemPrincipal }: Move) =>
    tx
      .update(analyses)
      .set({ ...change, ...signedBy(actor, now()) })
      .where(and(isTarget(target), eq(analyses.status, from)))
      .returning()
      .get() ?? null;

  const enqueueRun = (tx: Tx, { tenantId, analysisId }: Target) =>
    queue.enqueue(tx, runJob, { tenantId, analysisId } satisfies Target, { owner: tenantId });

  const failIn = (tx: Tx, target: Target, statusMessage: string): void => {
    const change = { status: 'failed', statusMessage, processingFinishedAt: now() } as const;
    const row = move(tx, target, { from: 'processing', change });
    if (row === null) return;
    countFor(tx, row, ['errors', 1]);
    tell(tx, row);
  };

  return {
    /** (none) -> pending. Returns the id: of the earlier analysis when the request is a repetition. */
    create: (row: NewRow, repeatable: Repeatable | null): string =>
      transact(db, (tx) => {
        const earlier = recall(tx, repeatable);
        if (earlier !== null) return earlier;
        tx.insert(analyses).values(row).run();
        remember(tx, repeatable, row.id);
        return row.id;
      }),

    /**
     * pending -> pending, now waiting for a worker. False when this is a repetition: the evidence is not used.
     *
     * @throws {ForensicsError} `analysis_not_pending`.
     */
    queueRun: (act: Act, evidence: Evidence) =>
      transact(db, (tx): boolean => {
        if (recall(tx, act.repeatable) !== null) return false;
        refuseUnlessStartable(getRow(tx, act));
        claimObjects(tx, [evidence.key], now());
        const change = { queuedAt: now(), statusMessage: messages.queued, ...columnsOf(evidence) };
        move(tx, act, { from: 'pending', change, actor: act.actor });
        enqueueRun(tx, act);
        remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** pending -> failed: what was uploaded cannot be analysed. @throws {ForensicsError} `analysis_not_pending`. */
    refuseUpload: (act: Act, statusMessage: string): void =>
      transact(db, (tx) => {
        refuseUnlessStartable(getRow(tx, act));
        const change = { status: 'failed', statusMessage } as const;
        const row = move(tx, act, { from: 'pending', change, actor: act.actor });
        if (row !== null) tell(tx, row);
      }),

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

    /** failed -> pending, waiting for a worker. False as above. @throws {ForensicsError} `analysis_not_retryable`. */
    restart: (act: Act, { options, modelVersion, evidence, seen }: Restart) =>
      transact(db, (tx): boolean => {
        if (recall(tx, act.repeatable) !== null) return false;
        // Another retry ran and failed in between: options merged before it could undo a tier that it asked for.
        const present = getRow(tx, act);
        if (present.updatedAt?.getTime() !== seen.updatedAt?.getTime()) throw notRetryable(present);
        const fresh = {
          ...waitingAgain,
          retryCount: 0,
          queuedAt: now(),
          processingFinishedAt: null,
        };
        const change = { ...fresh, ...options, modelVersion, ...columnsOf(evidence) };
        const row = move(tx, act, { from: 'failed', change, actor: act.actor });
        if (row === null) throw notRetryable(present);
        if (evidence.key !== present.evidenceKey) claimObjects(tx, [evidence.key], now());
        countFor(tx, row, ['retries', 1]);
        enqueueRun(tx, act);
        remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** completed -> completed in the higher tier; billed here, once. False as above. @throws as above. */
    upgrade: (act: Act, rendered: Rendered) =>
      transact(db, (tx): boolean => {
        if (recall(tx, act.repeatable) !== null) return false;
        const present = getRow(tx, act);
        const { tier } = present;
        if (tier !== 'flagging') throw notRetryable(present);
        const at = { tierUpgradedFrom: tier, tierUpgradedAt: now() };
        const change = { tier: 'forensicReporting', ...at } as const;
        const row = move(tx, act, { from: 'completed', change, actor: act.actor });
        if (row === null) throw notRetryable(present);
        const which = eq(examinations.analysisId, act.analysisId);
        tx.update(examinations)
          .set({ rendered: renderedText(rendered) })
          .where(which)
          .run();
        claimObjects(tx, keysOf(rendered), now());
        countFor(tx, row, ['billed.forensicReporting', 1], ['upgrades', 1]);
        remember(tx, act.repeatable, act.analysisId);
        return true;
      }),

    /** Any state: hidden from now on. @throws {ForensicsError} `analysis_not_found`. */
    remove: (target: Target, actor: Principal): void =>
      transact(db, (tx) => hide(tx, getRow(tx, target), actor)),

    /** The same for those that nothing happened to for long; how many there were. */
    expire: (forgotten: Forgotten): number =>
      transact(db, (tx) => {
        const rows = findForgotten(tx, forgotten);
        for (const row of rows) hide(tx, row, systemPrincipal);
        return rows.length;
      }),

    /** No change of state: what the answers say beside it. */
    noteReplacedInput: (target: Target): void =>
      transact(db, (tx) => {
        const change = { inputReplacedAt: now() };
        tx.update(analyses).set(change).where(isTarget(target)).run();
      }),
  };

  function hide(tx: Tx, { status, ...row }: AnalysisRow, actor: Principal): void {
    const hidden = move(tx, targetOf(row), { from: status, change: { deletedAt: now() }, actor });
    if (hidden !== null) tell(tx, hidden, 'delete');
  }

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

function targetOf({ tenantId, id }: Pick<AnalysisRow, 'tenantId' | 'id'>): Target {
  return { tenantId, analysisId: id };
}

function signedBy(actor: Principal, at: Date): Change {
  return { updatedAt: at, lastChangedByType: actor.type, lastChangedById: actor.id };
}

function columnsOf({ key, sha256, md5, inputEtag }: Evidence): Change {
  return { evidenceKey: key, evidenceSha256: sha256, evidenceMd5: md5, inputEtag };
}

function completedAt(at: Date): Change {
  const statusMessage = messages.completed;
  return { status: 'completed', statusMessage, processingFinishedAt: at };
}

const waitingAgain = {
  status: 'pending',
  statusMessage: messages.queued,
  processingStartedAt: null,
} as const;
