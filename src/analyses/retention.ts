/**
 * What goes when its time has come: analyses on which nothing happened for long are deleted as a client would delete them;
 * deleted ones are purged after a while, rows and objects; objects that no row names are removed; then deleted tenants of
 * which nothing is left. Nothing that is held goes.
 * Usage counters stay as long as their tenant has a row, the audit log stays for good.
 */

import { and, eq, inArray, lte } from 'drizzle-orm';
import { maxExpirySeconds } from '../blobs/sigv4.ts';
import { transact, type Tx } from '../db/open.ts';
import { analyses, examinations, tenants } from '../db/schema.ts';
import { batch, dayMs, daysAgo, inBatches } from './batches.ts';
import type { Context } from './context.ts';
import { hideLeftOver, purgeTenants } from './deleted-tenants.ts';
import { isFree } from './holds.ts';
import { letLoose, sweepObjects } from './loose-objects.ts';
import { logAnalysis, targetOf } from './moves.ts';
import { keysOf, parseRendered } from './record.ts';

export interface RetentionRules {
  /** Days after its last change that an analysis is deleted; 0 keeps it. */
  readonly retentionDays: number;
  /** Days that a deleted analysis is kept. */
  readonly deletedRetentionDays: number;
}

// As long as a presigned URL may live, and a day for an upload that began on it.
const urlsLiveMs = maxExpirySeconds * 1000 + dayMs;

/** The daily chore. Killed at any moment it loses nothing and leaves nothing half; the next one goes on. */
export async function cleanUp(context: Context, signal: AbortSignal): Promise<void> {
  const deleted = (await hideLeftOver(context, signal)) + (await deleteForgotten(context, signal));
  const purged = await purgeDeleted(context, signal);
  const { swept, left } = await sweepObjects(context, signal);
  context.onNotice('retention', { deleted, purged, objects: swept, objectsLeft: left });
  const tenantsPurged = purgeTenants(context, signal);
  if (tenantsPurged > 0) context.onNotice('tenants', { purged: tenantsPurged });
}

async function deleteForgotten(
  { db, lifecycle, now, retention }: Context,
  signal: AbortSignal,
): Promise<number> {
  if (retention.retentionDays === 0) return 0;
  const before = daysAgo(now(), retention.retentionDays);
  let deleted = 0;
  for (const { id } of db.select({ id: tenants.id }).from(tenants).all()) {
    deleted += await inBatches(signal, () =>
      lifecycle.expire({ tenantId: id, before, limit: batch }),
    );
  }
  return deleted;
}

async function purgeDeleted({ db, now, retention }: Context, signal: AbortSignal): Promise<number> {
  const before = daysAgo(now(), retention.deletedRetentionDays);
  return inBatches(signal, () => transact(db, (tx) => purge(tx, before, now())));
}

/** The rows go here, their objects with the sweep that follows: at no time does a row name an object that went. */
function purge(tx: Tx, before: Date, at: Date): number {
  const rows = tx
    .select({ analysis: analyses, rendered: examinations.rendered })
    .from(analyses)
    .leftJoin(examinations, eq(examinations.analysisId, analyses.id))
    .where(and(lte(analyses.deletedAt, before), isFree))
    .limit(batch)
    .all();
  for (const { analysis, rendered } of rows) {
    const { inputKey, evidenceKey, deletedAt } = analysis;
    const signed = [inputKey, ...(rendered === null ? [] : keysOf(parseRendered(rendered)))];
    const keys = [...signed, ...(evidenceKey === null ? [] : [evidenceKey])];
    letLoose(tx, { place: analysis, keys }, at);
    // Until its URLs are dead a client can put an object back.
    const urlsDieAt = new Date(deletedAt!.getTime() + urlsLiveMs);
    if (urlsDieAt > at) letLoose(tx, { place: analysis, keys: signed }, urlsDieAt);
    logAnalysis(tx, targetOf(analysis), { event: 'analysis.purged', details: {}, at });
  }
  const ids = rows.map(({ analysis }) => analysis.id);
  tx.delete(analyses).where(inArray(analyses.id, ids)).run();
  return rows.length;
}
