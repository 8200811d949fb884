/** The words of the life cycle: what an act is about, what a status says, and how a wrong state is refused. */

import type { Principal } from '../../access/principal.ts';
import type { Repeatable } from '../../db/idempotency.ts';
import { ForensicsError } from '../../errors.ts';
import type { Caller } from '../analyses.ts';
import type { AnalysisOptions } from '../analysis.ts';
import type { AnalysisRow, Target } from '../rows.ts';

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
  abandoned: 'The analysis was interrupted too often; retry it.',
} as const;

export interface Evidence {
  readonly key: string;
  readonly sha256: string;
  readonly md5: string;
  /** Null for one that was taken in before. */
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
  readonly evidence: Evidence;
  /** The row that the options were merged into. */
  readonly seen: Pick<AnalysisRow, 'updatedAt'>;
}

/** What a client's act is about and on whose behalf it is done. */
export interface Act extends Target {
  readonly actor: Principal;
  readonly repeatable: Repeatable | null;
}

/** @throws {ForensicsError} `analysis_not_pending`. */
export function refuseUnlessStartable(row: AnalysisRow): void {
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
export function repeatableOf(
  { tenant, idempotencyKey }: Caller,
  request: { readonly act: string } & Readonly<Record<string, unknown>>,
  at: Date,
): Repeatable | null {
  if (idempotencyKey == null) return null;
  return { tenantId: tenant.id, key: idempotencyKey, request, at };
}
