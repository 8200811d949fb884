/**
 * What every change of state is made of: the compare-and-set of the row, and its webhook message, its counters and its entry
 * in the audit log in the same transaction. Also the messages: of each status, and of the refusal in a wrong state.
 */

import { and, eq, type SQL } from 'drizzle-orm';
import { actorOf, type Principal, systemPrincipal } from '../../access/principal.ts';
import type { EventDetails, EventName } from '../../audit/events.ts';
import { append } from '../../audit/log.ts';
import type { AnalysisOptions } from '../../../contract/analysis.ts';
import type { Status } from '../../../contract/vocabulary.ts';
import type { Repeatable } from '../../../ports/db/idempotency.ts';
import { type Db, transact, type Tx } from '../../../ports/db/database.ts';
import { analyses, examinations } from '../../../ports/db/schema.ts';
import { ForensicsError } from '../../../errors.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Outbox } from '../../webhooks/outbox.ts';
import type { Caller } from '../analyses.ts';
import type { ExaminationRow } from '../examination-row.ts';
import { type AnalysisRow, isTarget, type Target } from '../rows.ts';
import { type Count, countUsage } from '../../usage/usage.ts';

export interface LifecycleParts {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly now: () => Date;
}

/** Whose an analysis is and who made it never changes. */
type Fixed = 'id' | 'tenantId' | 'createdAt' | 'createdByType' | 'createdById';
export type Change = Partial<Omit<AnalysisRow, Fixed>>;

type AnalysisEvent = Extract<EventName, `analysis.${string}`>;

/** The audit entry of an act, and its actor: the service unless given. */
interface Logged<E extends AnalysisEvent> {
  readonly event: E;
  readonly details: EventDetails[E];
  readonly actor?: Principal;
}

interface Told {
  readonly event?: 'update' | 'delete';
  readonly result?: Pick<ExaminationRow, 'resultClass' | 'resultSubClasses'>;
}

interface Move {
  readonly from: Status;
  readonly which?: SQL;
  readonly change: Change;
  readonly actor?: Principal;
}

/** Acts on a tenant's analyses write in its audit log: they take turns. */
export function inTenantTransaction<T>(
  db: Db,
  { tenantId }: Pick<Target, 'tenantId'>,
  act: (tx: Tx) => Promise<T>,
  { mayBeUndone = false } = {},
): Promise<T> {
  return transact(db, act, { serializedBy: tenantId, mayBeUndone });
}

export function createMoves({ outbox, now }: Pick<LifecycleParts, 'outbox' | 'now'>) {
  return {
    /** The compare-and-set: null when the analysis is gone or not in `from` any more. */
    move: async (
      tx: Tx,
      target: Target,
      { from, which, change, actor = systemPrincipal }: Move,
    ): Promise<AnalysisRow | null> =>
      (await tx
        .update(analyses)
        .set({ ...change, ...signedBy(actor, now()) })
        .where(and(isTarget(target), eq(analyses.status, from), which))
        .returning()
        .get()) ?? null,

    /** @param told - `result` of a completed one, where it is at hand. */
    notify: (tx: Tx, row: AnalysisRow, told: Told = {}): Promise<void> =>
      enqueueWebhook(tx, outbox, { row, at: now(), ...told }),

    log: <E extends AnalysisEvent>(tx: Tx, target: Target, told: Logged<E>): Promise<void> =>
      logAnalysis(tx, target, { ...told, at: now() }),

    countFor: (tx: Tx, { tenantId }: AnalysisRow, ...counts: readonly Count[]): Promise<void> =>
      countUsage(tx, { tenantId, at: now() }, counts),
  };
}

/** The same for an act that no factory made. */
export async function logAnalysis<E extends AnalysisEvent>(
  tx: Tx,
  { tenantId, analysisId }: Target,
  { event, details, actor = systemPrincipal, at }: Logged<E> & { readonly at: Date },
): Promise<void> {
  const told = { event, subject: analysisId, details };
  await append(tx, { chain: tenantId, at, actor: actorOf(actor), ...told });
}

export function toTarget({ tenantId, id }: Pick<AnalysisRow, 'tenantId' | 'id'>): Target {
  return { tenantId, analysisId: id };
}

function signedBy(actor: Principal, at: Date): Change {
  return { updatedAt: at, lastChangedByType: actor.type, lastChangedById: actor.id };
}

/** Automatic retries after errors of the inference; the contract's limit. */
export const maxRetries = 3;

export const messages = {
  created: 'Waiting for the upload of the picture and the start of the analysis.',
  queued: 'Waiting for a free instance.',
  processing: 'The picture is being examined.',
  retrying: 'An attempt failed; the analysis is tried again.',
  completed: 'The analysis is complete.',
  refused: 'Upload the right picture to putUrl and use retry, or create a new analysis.',
  storeAway: 'The store could not be used for 24 hours; retry the analysis when it can.',
} as const;

export const waitingAgain = {
  status: 'pending',
  statusMessage: messages.queued,
  processingStartedAt: null,
} as const;

/**
 * Writes the webhook message about an analysis into the outbox, in the transaction of the change itself: exactly the
 * contract's fields, and the reason when it failed.
 *
 * @param row - as it is after the change.
 */
async function enqueueWebhook(
  tx: Tx,
  outbox: Pick<Outbox, 'enqueueDelivery'>,
  { row, event = 'update', result, at }: Told & { readonly row: AnalysisRow; readonly at: Date },
): Promise<void> {
  const payload = async () => ({
    analysisId: row.id,
    tenantId: row.tenantId,
    name: row.name,
    status: row.status,
    timestamp: at.toISOString(),
    ...(await classFields(tx, row, result)),
    processingStartTime: row.processingStartedAt?.toISOString() ?? null,
    processingFinishTime: row.processingFinishedAt?.toISOString() ?? null,
    ...(row.status === 'failed' ? { statusMessage: row.statusMessage } : {}),
  });
  await outbox.enqueueDelivery(tx, { tenantId: row.tenantId, subject: row.id, event, payload });
}

/** The class fields are numbers, never null: without a result they are left out. */
async function classFields(tx: Tx, row: AnalysisRow, known: Told['result']): Promise<object> {
  if (row.status !== 'completed') return {};
  if (known !== undefined) {
    return { resultClass: known.resultClass, resultSubClasses: known.resultSubClasses };
  }
  const { resultClass, resultSubClasses } = examinations;
  return (
    (await tx
      .select({ resultClass, resultSubClasses })
      .from(examinations)
      .where(eq(examinations.analysisId, row.id))
      .get()) ?? {}
  );
}

export interface EvidenceCopy {
  readonly key: string;
  readonly sha256: string;
  readonly md5: string;
  /** Null for one that was ingested before. */
  readonly sizeBytes: number | null;
  /** Of the upload that it was copied from; null when that is not known. */
  readonly inputEtag: string | null;
}

/** Why it ended, in a stable word for the audit log and in a sentence for the client. */
export interface Ending {
  readonly code: string;
  readonly message: string;
}

/** How a failed analysis runs again. */
export interface Restart {
  readonly options: AnalysisOptions;
  readonly modelVersion: string;
  readonly evidence: EvidenceCopy;
  /** The row that the options were merged into. */
  readonly seen: Pick<AnalysisRow, 'updatedAt'>;
}

/** What a client's act is about and on whose behalf it is done. */
export interface Act extends Target {
  readonly actor: Principal;
  readonly repeatable: Repeatable | null;
}

/** @throws {ForensicsError} `analysis_not_pending`. */
export function assertStartable(row: AnalysisRow): void {
  if (row.status === 'pending' && row.queuedAt === null) return;
  throw new ForensicsError('analysis_not_pending', adviceToStarter(row));
}

function adviceToStarter({ status, evidenceKey }: AnalysisRow): string {
  if (status === 'completed') {
    return 'The analysis is completed; read its result with GET, or create a new one.';
  }
  if (status !== 'failed') return 'The analysis was started already; wait for its result.';
  return evidenceKey === null
    ? `The uploaded picture was refused. ${messages.refused}`
    : 'The analysis has failed; use retry to run it again.';
}

/** Why an analysis as it is now cannot be run again or upgraded, and what to do instead. */
export function notRetryable(row: AnalysisRow): ForensicsError {
  return new ForensicsError('analysis_not_retryable', adviceToRetrier(row));
}

function adviceToRetrier({ status, queuedAt, tier }: AnalysisRow): string {
  if (status === 'failed') {
    return 'The analysis was changed by another call meanwhile; read it with GET, then retry it.';
  }
  if (status !== 'completed') {
    return queuedAt === null
      ? 'The analysis was not started yet; upload its picture and use start.'
      : `The analysis is ${status}; wait for its result.`;
  }
  return tier === 'forensicReporting'
    ? 'The analysis is of tier forensicReporting already; read it with GET. None of its options can be changed.'
    : 'The analysis is completed: only its tier can be upgraded, to forensicReporting, with its other options as they are. Create a new analysis for others.';
}

/** What is remembered of a request that carries an Idempotency-Key; null for one without. */
export function toRepeatable(
  { tenant, idempotencyKey }: Caller,
  request: { readonly act: string } & Readonly<Record<string, unknown>>,
  at: Date,
): Repeatable | null {
  if (idempotencyKey == null) return null;
  return { tenantId: tenant.id, key: idempotencyKey, request, at };
}
