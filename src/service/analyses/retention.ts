/**
 * Retention: analyses without activity are deleted, deleted ones are purged with their rows and objects, and emptied
 * tenants are removed; anything on legal hold stays. Usage counters last as long as their tenant's row, the audit log
 * for good.
 */

import { setImmediate } from 'node:timers/promises';
import { and, eq, inArray, lte, notExists, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Actor, service } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import { maxPresignedUrlExpirySeconds } from '../../contract/limits.ts';
import { type Db, transact, type Tx } from '../../ports/db/database.ts';
import * as tables from '../../ports/db/schema.ts';
import { analyses, examinations, tenants } from '../../ports/db/schema.ts';
import { isWaiting } from '../feedback/feedback.ts';
import type { Context } from './context.ts';
import { outputKeys, parseRendered } from './examination-row.ts';
import { isFree } from '../holds/legal-holds.ts';
import { type LifecycleParts, logAnalysis, toTarget } from './lifecycle/changes.ts';
import { removeAll } from './lifecycle/client.ts';
import { addOrphans, sweepObjects } from './orphan-objects.ts';
import { findExpired, findRemaining } from './rows.ts';

const dayMs = 24 * 3_600_000;

// The longest time that a presigned URL is valid, plus a day for an upload that has begun.
const urlsLiveMs = maxPresignedUrlExpirySeconds * 1000 + dayMs;

/** The daily chore. Killing it at any moment loses nothing and leaves nothing half done; the next run continues. */
export async function cleanUp(context: Context, signal: AbortSignal): Promise<void> {
  const { db, now, retention } = context;
  let deleted = await deleteExpired(context, signal);
  // Hides analyses of deleted tenants: the deletion may have been interrupted, or overlapped with a request.
  for (const { id: tenantId } of await deletedBefore(db, now())) {
    deleted += await hideAnalyses(context, { tenantId, by: service, signal });
  }
  const before = daysAgo(now(), retention.deletedRetentionDays);
  const purged = await inBatches(signal, () => transact(db, (tx) => purge(tx, before, now())));
  const { swept, left } = await sweepObjects(context, signal);
  context.onNotice('retention', { deleted, purged, objects: swept, objectsLeft: left });
  let tenantsPurged = 0;
  for (const { id } of await deletedBefore(db, daysAgo(now(), retention.deletedRetentionDays))) {
    if (signal.aborted) break;
    if (await purgeTenant(db, id, now())) tenantsPurged++;
  }
  if (tenantsPurged > 0) context.onNotice('tenants', { purged: tenantsPurged });
}

async function deleteExpired(context: Context, signal: AbortSignal): Promise<number> {
  const { db, now, retention } = context;
  if (retention.retentionDays === 0) return 0;
  const before = daysAgo(now(), retention.retentionDays);
  let deleted = 0;
  for (const { id: tenantId } of await db.select({ id: tenants.id }).from(tenants).all()) {
    const find = (tx: Tx) => findExpired(tx, { tenantId, before, limit: batch });
    const removal = { tenantId, find, because: 'retention', by: service } as const;
    deleted += await inBatches(signal, () => removeAll(context, removal));
  }
  return deleted;
}

/** Deletes the rows now and the objects in the sweep that follows, so that no row ever refers to a missing object. */
async function purge(tx: Tx, before: Date, at: Date): Promise<number> {
  const rows = await tx
    .select({ analysis: analyses, rendered: examinations.rendered })
    .from(analyses)
    .leftJoin(examinations, eq(examinations.analysisId, analyses.id))
    .where(and(lte(analyses.deletedAt, before), isFree))
    .limit(batch)
    .all();
  for (const { analysis, rendered } of rows) {
    const { inputKey, evidenceKey, deletedAt } = analysis;
    const signed = [inputKey, ...(rendered === null ? [] : outputKeys(parseRendered(rendered)))];
    const keys = [...signed, ...(evidenceKey === null ? [] : [evidenceKey])];
    await addOrphans(tx, { place: analysis, keys }, at);
    // Until its URLs have expired, a client can put an object back.
    const urlsDieAt = new Date(deletedAt!.getTime() + urlsLiveMs);
    if (urlsDieAt > at) await addOrphans(tx, { place: analysis, keys: signed }, urlsDieAt);
    await logAnalysis(tx, toTarget(analysis), { event: 'analysis.purged', details: {}, at });
  }
  const ids = rows.map(({ analysis }) => analysis.id);
  await tx.delete(analyses).where(inArray(analyses.id, ids)).run();
  return rows.length;
}

/** Deletes a tenant's analyses as a client would. @returns the number deleted. */
export async function hideAnalyses(
  parts: LifecycleParts,
  { signal, tenantId, by }: { tenantId: string; by: Actor; signal: AbortSignal },
): Promise<number> {
  const find = (tx: Tx) => findRemaining(tx, { tenantId, limit: batch });
  return inBatches(signal, () => removeAll(parts, { tenantId, find, because: 'tenant', by }));
}

/** False if an analysis, object, hold or unsent message of the deleted tenant is left. */
async function purgeTenant(db: Db, id: string, at: Date): Promise<boolean> {
  return transact(db, async (tx) => {
    const isNeeded = ({ table, which }: Need) =>
      tx
        .select({ found: sql`1` })
        .from(table)
        .where(and(eq(table.tenantId, tenants.id), which));
    const isEmpty = and(eq(tenants.id, id), ...needs.map((need) => notExists(isNeeded(need))));
    if ((await tx.select().from(tenants).where(isEmpty).get()) === undefined) return false;
    await tx.update(tenants).set({ storageConfigId: null }).where(eq(tenants.id, id)).run();
    for (const table of belongings) await tx.delete(table).where(eq(table.tenantId, id)).run();
    await tx.delete(tenants).where(eq(tenants.id, id)).run();
    const auditEvent = { event: 'tenant.purged', subject: id, details: {} } as const;
    await append(tx, { chain: id, at, actor: service, ...auditEvent });
    return true;
  });
}

interface Need {
  readonly table: SQLiteTable & { readonly tenantId: SQLiteColumn };
  readonly which?: SQL;
}

/** While any of these exists, the tenant is needed to find the tenant's objects, or to know who owns them. */
const needs: readonly Need[] = [
  { table: tables.analyses },
  { table: tables.orphanObjects },
  { table: tables.legalHolds },
  { table: tables.feedback, which: isWaiting },
];

const belongings = [
  tables.apiKeys,
  tables.deliveries,
  tables.idempotencyKeys,
  tables.usageCounters,
  tables.storageConfigs,
  tables.feedback,
  tables.userTenants,
  tables.tenantNames,
] as const;

async function deletedBefore(db: Db, before: Date) {
  return db.select({ id: tenants.id }).from(tenants).where(lte(tenants.deletedAt, before)).all();
}

// Analyses with their maps take some megabytes: about 10 ms under the database's only write lock.
const batch = 20;

/** Lets others use the database between batches. @returns the total. */
async function inBatches(signal: AbortSignal, act: () => Promise<number>): Promise<number> {
  let sum = 0;
  while (!signal.aborted) {
    const done = await act();
    sum += done;
    if (done < batch) break;
    await setImmediate();
  }
  return sum;
}

function daysAgo(at: Date, days: number): Date {
  return new Date(at.getTime() - days * dayMs);
}
