/**
 * The building blocks of every state change: a compare-and-set of the row and, in the same transaction, its webhook
 * message, counters and audit entry. Also contains the types of the lifecycle, the message for each status, and the
 * reasons for rejecting a request in the wrong state.
 */

import { and, eq, type SQL } from 'drizzle-orm';
import { toActor, type Principal, systemPrincipal } from '../../access/principal.ts';
import type { Actor, EventDetails, EventName } from '../../audit/entry.ts';
import { append } from '../../audit/log.ts';
import type { AnalysisOptions } from '../../../contract/analysis.ts';
import { notStarted, type Status } from '../../../contract/vocabulary.ts';
import type { Repeatable } from '../../idempotency.ts';
import { transact, type Tx, type Clocked } from '../../../ports/db/database.ts';
import { analyses, examinations } from '../../../ports/db/schema.ts';
import { type FailureReason, ForensicsError } from '../../../contract/errors.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Outbox } from '../../webhooks/outbox.ts';
import { attachKeys } from '../orphan-objects.ts';
import { type AnalysisRow, isTarget, type Target } from '../rows.ts';
import { type Count, countUsage } from '../../usage/usage.ts';

export interface LifecycleParts extends Clocked {
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
}

/** An analysis's owner and creator never change. */
export type Change = Partial<
  Omit<AnalysisRow, 'id' | 'tenantId' | 'createdAt' | 'createdByType' | 'createdById'>
>;

type AnalysisEvent = Extract<EventName, `analysis.${string}`>;

/** An entry for the audit log. If no actor is given, it is the service. */
interface Logged<E extends AnalysisEvent> {
  readonly event: E;
  readonly details: EventDetails[E];
  readonly actor?: Principal | Actor;
}

export type Changes = ReturnType<typeof createChanges>;

/** Runs one operation in one transaction. Those on the same tenant run one at a time: all write to its audit log. */
export function inTenantTransaction<T>(
  { db, outbox, now }: LifecycleParts,
  { tenantId }: Pick<Target, 'tenantId'>,
  act: (changes: Changes) => Promise<T>,
  { mayBeUndone = false } = {},
): Promise<T> {
  const options = { serializedBy: tenantId, mayBeUndone };
  return transact(db, (tx) => act(createChanges(tx, outbox, now())), options);
}

function createChanges(tx: Tx, outbox: LifecycleParts['outbox'], at: Date) {
  return {
    tx,
    at,

    /** Compare-and-set: returns null if the analysis is gone or no longer in `from`. */
    move: async (
      target: Target,
      from: Status,
      change: Change,
      { actor = systemPrincipal, which }: { readonly actor?: Principal; readonly which?: SQL } = {},
    ): Promise<AnalysisRow | null> => {
      const by = { updatedAt: at, lastChangedByType: actor.type, lastChangedById: actor.id };
      const update = tx.update(analyses).set({ ...change, ...by });
      const isIt = and(isTarget(target), eq(analyses.status, from), which);
      return (await update.where(isIt).returning().get()) ?? null;
    },

    log: <E extends AnalysisEvent>(target: Target, logged: Logged<E>): Promise<void> =>
      logAnalysis(tx, target, { ...logged, at }),

    /** Queues the webhook message. @param row - the row in its state after the change. */
    notify: (row: AnalysisRow, event: 'update' | 'delete' = 'update'): Promise<void> =>
      outbox.enqueueDelivery(tx, {
        tenantId: row.tenantId,
        subject: row.id,
        event,
        payload: () => webhookPayload(tx, row, at),
      }),

    count: ({ tenantId }: AnalysisRow, ...counts: readonly Count[]): Promise<void> =>
      countUsage(tx, { tenantId, at }, counts),

    /** Records that the analysis refers to these objects. @throws {ForensicsError} as `attachKeys`. */
    attach: (keys: readonly string[]): Promise<void> => attachKeys(tx, keys, at),
  };
}

/** Writes the audit entry of an operation outside `inTenantTransaction`. */
export async function logAnalysis<E extends AnalysisEvent>(
  tx: Tx,
  { tenantId, analysisId }: Target,
  { event, details, actor = systemPrincipal, at }: Logged<E> & { readonly at: Date },
): Promise<void> {
  const entry = { event, subject: analysisId, details };
  await append(tx, { chain: tenantId, at, actor: toActor(actor), ...entry });
}

export function toTarget({ tenantId, id }: Pick<AnalysisRow, 'tenantId' | 'id'>): Target {
  return { tenantId, analysisId: id };
}

/** Maximum number of automatic retries after inference errors, as the contract says. */
export const maxRetries = 3;

export const messages = {
  created: notStarted,
  queued: 'Waiting for a free instance.',
  processing: 'The picture is being examined.',
  retrying: 'An attempt failed; the analysis will be tried again.',
  completed: 'The analysis is complete.',
  refused: 'Upload the right picture and retry, or create a new analysis.',
} as const;

export const waitingAgain = {
  status: 'pending',
  statusMessage: messages.queued,
  processingStartedAt: null,
} as const;

/** Exactly the contract's fields, and the reason when the analysis failed. */
async function webhookPayload(tx: Tx, row: AnalysisRow, at: Date) {
  return {
    analysisId: row.id,
    tenantId: row.tenantId,
    name: row.name,
    status: row.status,
    timestamp: at.toISOString(),
    ...(row.status === 'completed' ? await storedResult(tx, row) : {}),
    processingStartTime: row.processingStartedAt?.toISOString() ?? null,
    processingFinishTime: row.processingFinishedAt?.toISOString() ?? null,
    ...(row.status === 'failed' ? { statusMessage: row.statusMessage } : {}),
  };
}

/** The class fields are numbers, never null, so they are omitted if there is no result. */
async function storedResult(tx: Tx, { id }: AnalysisRow) {
  const { resultClass, resultSubClasses } = examinations;
  const query = tx.select({ resultClass, resultSubClasses }).from(examinations);
  return (await query.where(eq(examinations.analysisId, id)).get()) ?? {};
}

export interface EvidenceCopy {
  readonly key: string;
  readonly sha256: string;
  readonly md5: string;
  readonly sizeBytes: number;
  /** ETag of the upload it was copied from; null if unknown. */
  readonly inputEtag: string | null;
}

/** Why a run ended: a code for the audit log, a sentence for the client, and a reason to word in other languages. */
export interface Ending {
  readonly code: string;
  readonly message: string;
  readonly reason: FailureReason | null;
}

export interface Restart {
  readonly options: AnalysisOptions;
  readonly modelVersion: string;
  /** Null if the copy taken at the start is examined again. */
  readonly evidence: EvidenceCopy | null;
  /** The row that the options were merged into. */
  readonly seen: Pick<AnalysisRow, 'updatedAt'>;
}

/** The analysis that a client's request is about, and the principal behind it. */
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
  if (status !== 'failed') return 'The analysis has already been started; wait for its result.';
  return evidenceKey === null
    ? `The uploaded picture was rejected. ${messages.refused}`
    : 'The analysis has failed; use retry to run it again.';
}

/** Why an analysis in its current state cannot be run again or upgraded, and what to do instead. */
export function notRetryable(row: AnalysisRow): ForensicsError {
  return new ForensicsError('analysis_not_retryable', adviceToRetrier(row));
}

function adviceToRetrier({ status, queuedAt, tier }: AnalysisRow): string {
  if (status === 'failed') {
    return 'Another request changed the analysis at the same time; read it with GET, then retry it.';
  }
  if (status !== 'completed') {
    return queuedAt === null
      ? 'The analysis has not been started yet; upload its picture and use start.'
      : `The analysis is ${status}; wait for its result.`;
  }
  return tier === 'forensicReporting'
    ? 'The analysis already has the forensicReporting tier; read it with GET. None of its options can be changed.'
    : 'The analysis is completed, so only its tier can still be upgraded to forensicReporting, with its other options unchanged. For other options, create a new analysis.';
}
