/**
 * What every change of state is made of: the compare-and-set of the row, and its webhook message, its counters and its entry
 * in the audit log in the same transaction.
 */

import { and, eq } from 'drizzle-orm';
import { actorOf, type Principal, systemPrincipal } from '../../access/principal.ts';
import type { EventDetails, EventName } from '../../audit/events.ts';
import { append } from '../../audit/log.ts';
import type { Status } from '../../contract/vocabulary.ts';
import type { Db, Tx } from '../../db/open.ts';
import { analyses, examinations } from '../../db/schema.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Outbox } from '../../webhooks/outbox.ts';
import { type AnalysisRow, isTarget, type Target } from '../rows.ts';
import { type Count, countUsage } from '../usage.ts';
import { messages } from './act.ts';

export interface LifecycleParts {
  readonly db: Db;
  readonly queue: Queue;
  readonly outbox: Pick<Outbox, 'enqueueDelivery'>;
  readonly now: () => Date;
}

/** Whose an analysis is and who made it never changes. */
type Fixed = 'id' | 'tenantId' | 'createdAt' | 'createdByType' | 'createdById';
export type Change = Partial<Omit<AnalysisRow, Fixed>>;

export type AnalysisEvent = Extract<EventName, `analysis.${string}`>;

/** What the audit log is told of an act, and who did it: the service unless said otherwise. */
export interface Logged<E extends AnalysisEvent> {
  readonly event: E;
  readonly details: EventDetails[E];
  readonly actor?: Principal;
}

interface Move {
  readonly from: Status;
  readonly change: Change;
  readonly actor?: Principal;
}

export function createMoves({ outbox, now }: Pick<LifecycleParts, 'outbox' | 'now'>) {
  return {
    /** The compare-and-set: null when the analysis is gone or not in `from` any more. */
    move: (
      tx: Tx,
      target: Target,
      { from, change, actor = systemPrincipal }: Move,
    ): AnalysisRow | null =>
      tx
        .update(analyses)
        .set({ ...change, ...signedBy(actor, now()) })
        .where(and(isTarget(target), eq(analyses.status, from)))
        .returning()
        .get() ?? null,

    tell: (tx: Tx, row: AnalysisRow, event: 'update' | 'delete' = 'update'): void =>
      announce(tx, outbox, { row, event, at: now() }),

    log: <E extends AnalysisEvent>(tx: Tx, target: Target, told: Logged<E>): void =>
      logAnalysis(tx, target, { ...told, at: now() }),

    countFor: (tx: Tx, { tenantId }: AnalysisRow, ...counts: readonly Count[]): void =>
      countUsage(tx, { tenantId, at: now() }, counts),
  };
}

/** The same for an act that no factory made. */
export function logAnalysis<E extends AnalysisEvent>(
  tx: Tx,
  { tenantId, analysisId }: Target,
  { event, details, actor = systemPrincipal, at }: Logged<E> & { readonly at: Date },
): void {
  const told = { event, subject: analysisId, details };
  append(tx, { chain: tenantId, at, actor: actorOf(actor), ...told });
}

export function targetOf({ tenantId, id }: Pick<AnalysisRow, 'tenantId' | 'id'>): Target {
  return { tenantId, analysisId: id };
}

function signedBy(actor: Principal, at: Date): Change {
  return { updatedAt: at, lastChangedByType: actor.type, lastChangedById: actor.id };
}

export const waitingAgain = {
  status: 'pending',
  statusMessage: messages.queued,
  processingStartedAt: null,
} as const;

// The webhook message about an analysis: exactly the contract's fields, and the reason when it failed.

/**
 * Writes the message into the outbox, in the transaction of the change itself.
 *
 * @param row - as it is after the change.
 */
export function announce(
  tx: Tx,
  outbox: Pick<Outbox, 'enqueueDelivery'>,
  { row, event, at }: { readonly row: AnalysisRow; readonly event: 'update' | 'delete'; at: Date },
): void {
  const payload = {
    analysisId: row.id,
    tenantId: row.tenantId,
    name: row.name,
    status: row.status,
    timestamp: at.toISOString(),
    ...resultOf(tx, row),
    processingStartTime: row.processingStartedAt?.toISOString() ?? null,
    processingFinishTime: row.processingFinishedAt?.toISOString() ?? null,
    ...(row.status === 'failed' ? { statusMessage: row.statusMessage } : {}),
  };
  outbox.enqueueDelivery(tx, { tenantId: row.tenantId, subject: row.id, event, payload });
}

/** The class fields are numbers, never null: without a result they are left out. */
function resultOf(tx: Tx, row: AnalysisRow): object {
  if (row.status !== 'completed') return {};
  const { resultClass, resultSubClasses } = examinations;
  return (
    tx
      .select({ resultClass, resultSubClasses })
      .from(examinations)
      .where(eq(examinations.analysisId, row.id))
      .get() ?? {}
  );
}
