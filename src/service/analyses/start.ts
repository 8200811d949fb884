import { recall } from '../../ports/db/idempotency.ts';
import type { Caller, Context } from './analyses.ts';
import { openInTime } from './bounds.ts';
import { ingestUpload, isPictureError } from './ingest.ts';
import { type Act, assertStartable, toRepeatable } from './lifecycle/transition.ts';
import { discardObjects } from './orphan-objects.ts';
import { getRow } from './rows.ts';

/**
 * Takes the upload in and puts the analysis into the queue. Of two starts at once one wins. An upload that can never be
 * analysed makes the analysis fail.
 *
 * @throws {ForensicsError} `analysis_not_found`, `analysis_not_pending`, `upload_missing` (stays pending);
 * `image_*`, `trial_image_mismatch` (now failed); `store_unavailable`, `store_refused`, `no_space_left`.
 */
export async function startAnalysis(
  context: Context,
  caller: Caller,
  analysisId: string,
): Promise<void> {
  const { db, lifecycle, now } = context;
  const { tenant, principal } = caller;
  const repeatable = toRepeatable(caller, { act: 'start', analysisId }, now());
  const act: Act = { tenantId: tenant.id, analysisId, actor: principal, repeatable };
  if ((await recall(db, repeatable)) !== null) return;
  const row = await getRow(db, act);
  assertStartable(row);
  const store = await openInTime(context, row);
  const ingest = context.semaphore(tenant.id, () => ingestUpload(context, { row, tenant, store }));
  const evidence = await ingest.catch(async (error: unknown) => {
    if (isPictureError(error)) await lifecycle.rejectUpload(act, error);
    throw error;
  });
  let isUsed = false;
  try {
    isUsed = await lifecycle.queueRun(act, evidence);
  } finally {
    if (!isUsed) await discardObjects(context, { store, keys: [evidence.key] });
  }
}
