import type { Tenant } from '../tenants/tenants.ts';
import type { Analysis, AnalysisOptions } from '../../contract/analysis.ts';
import { recall } from '../idempotency.ts';
import { ForensicsError, toForensicsError } from '../../errors.ts';
import { type Caller, type Context, openInTime, toRepeatable } from './context.ts';
import { assertKnownModel, mergeOptions } from './create.ts';
import { checkUpload, loadRecorded, readEvidence } from './evidence.ts';
import { outputKeys } from './examination-row.ts';
import { type Act, type EvidenceCopy, notRetryable } from './lifecycle/changes.ts';
import { restartRun, upgradeTier } from './lifecycle/client.ts';
import { discardObjects } from './orphan-objects.ts';
import { renderInto } from './render.ts';
import { type AnalysisRow, getRow } from './rows.ts';
import { ingestUpload } from './start.ts';
import { getAnalysis, toOptions } from './view.ts';

export interface RetryRequest {
  readonly id: string;
  /** A partial AnalysisOptions, unchecked, as the client sent it. */
  readonly options: unknown;
}

/**
 * Runs a failed analysis again with merged options, or lifts a completed one from flagging to forensicReporting
 * without a new inference.
 *
 * @throws {ForensicsError} `invalid_request`, `model_not_found`, `analysis_not_found`, `tier_downgrade`,
 * `analysis_not_retryable`; as `startAnalysis` for an upload that was refused before and is looked at again.
 */
export async function retryAnalysis(
  context: Context,
  caller: Caller,
  { id, options }: RetryRequest,
): Promise<Analysis> {
  const { db, models, now } = context;
  const { tenant, principal } = caller;
  const repeatable = toRepeatable(caller, { act: 'retry', id, options }, now());
  const act: Act = { tenantId: tenant.id, analysisId: id, actor: principal, repeatable };
  if ((await recall(db, repeatable)) === null) {
    const row = await getRow(db, act);
    const current = toOptions(row);
    const merged = mergeOptions(current, options, models);
    assertNoDowngrade(current, merged);
    if (row.status === 'failed') await restart(context, { act, row, tenant, options: merged });
    else if (isUpgrade(row, merged)) await upgrade(context, { act, row });
    else throw notRetryable(row);
  }
  return getAnalysis(context, caller, id);
}

interface Retry {
  readonly act: Act;
  readonly row: AnalysisRow;
  readonly tenant: Tenant;
}

async function restart(
  context: Context,
  { act, row, tenant, options }: Retry & { readonly options: AnalysisOptions },
): Promise<void> {
  assertKnownModel(options.model, context.models);
  const store = await openInTime(context, row);
  const kept = storedEvidence(row);
  // Without evidence the start refused the upload. The present object passes the same checks, trial rule included.
  const evidence =
    kept ??
    (await context.semaphore(tenant.id, () => ingestUpload(context, { row, tenant, store })));
  const modelVersion = context.models.find(({ id }) => id === options.model)!.version;
  let isUsed = false;
  try {
    isUsed = await restartRun(context, act, { options, modelVersion, evidence, seen: row });
  } finally {
    if (!isUsed && kept === null) {
      await discardObjects(context, { store, keys: [evidence.key] });
    }
  }
}

async function upgrade(context: Context, { act, row }: Pick<Retry, 'act' | 'row'>): Promise<void> {
  const { upgrading, db } = context;
  if (upgrading.has(row.id)) throw underWay();
  upgrading.add(row.id);
  try {
    const stored = await loadRecorded(db, { tenantId: row.tenantId, analysisId: row.id });
    if (stored === null) throw new TypeError('a completed analysis has no examination');
    const store = await openInTime(context, row);
    const drawn = await context.semaphore(row.tenantId, async () => {
      const bytes = await readEvidence(context, { row, store });
      const isUploadReplaced = await checkUpload(context, { row, store });
      const draw = () => renderInto(context, { row, store, bytes, isUploadReplaced, ...stored });
      return draw().catch((error: unknown) => {
        // A process that was killed from outside can be replaced; one that dies of the picture dies again.
        if (toForensicsError(error).code === 'inference_crashed') return draw();
        throw error;
      });
    });
    let isUsed = false;
    try {
      isUsed = await upgradeTier(context, act, drawn);
    } finally {
      if (!isUsed) await discardObjects(context, { store, keys: outputKeys(drawn.rendered) });
    }
  } finally {
    upgrading.delete(row.id);
  }
}

function underWay(): ForensicsError {
  return new ForensicsError(
    'analysis_not_retryable',
    'The analysis is being upgraded to forensicReporting already; read it with GET in a moment.',
  );
}

function assertNoDowngrade(current: AnalysisOptions, merged: AnalysisOptions): void {
  if (current.tier === 'flagging' || merged.tier === 'forensicReporting') return;
  throw new ForensicsError(
    'tier_downgrade',
    'An analysis of tier forensicReporting cannot go back to flagging; leave options.tier out.',
  );
}

/** Nothing but the tier may differ: the result was reached under the other options and is not reached again. */
function isUpgrade(row: AnalysisRow, merged: AnalysisOptions): boolean {
  const { model, decisionStrategy, tier, seed } = merged;
  const isSame =
    model === row.model && decisionStrategy === row.decisionStrategy && seed === row.seed;
  return row.status === 'completed' && tier !== row.tier && isSame;
}

function storedEvidence({ inputEtag, ...row }: AnalysisRow): EvidenceCopy | null {
  const { evidenceKey, evidenceSha256, evidenceMd5 } = row;
  if (evidenceKey === null || evidenceSha256 === null || evidenceMd5 === null) return null;
  const hashes = { sha256: evidenceSha256, md5: evidenceMd5 };
  return { key: evidenceKey, ...hashes, sizeBytes: null, inputEtag };
}
