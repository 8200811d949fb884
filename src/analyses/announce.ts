/** The webhook message about an analysis: exactly the contract's fields, and the reason when it failed. */

import { eq } from 'drizzle-orm';
import type { Tx } from '../db/open.ts';
import { examinations } from '../db/schema.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import type { AnalysisRow } from './rows.ts';

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
