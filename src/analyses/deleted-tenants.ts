/** What a deleted tenant leaves behind: its analyses are hidden at once and purged in their time, its row goes after the last. */

import { and, eq, lte, notExists, sql, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { append } from '../audit/append.ts';
import { service } from '../audit/entry.ts';
import { type Db, transact, type Tx } from '../db/open.ts';
import * as tables from '../db/schema.ts';
import { isWaiting } from '../feedback/purge.ts';
import { batch, daysAgo, inBatches } from './batches.ts';
import type { Context } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Deletes what it has, as a client would. @returns how many there were. */
export async function hideAnalyses(
  { removeLeft }: Pick<Lifecycle, 'removeLeft'>,
  { tenantId, signal }: { readonly tenantId: string; readonly signal: AbortSignal },
): Promise<number> {
  return inBatches(signal, () => removeLeft({ tenantId, limit: batch }));
}

/** The same for every deleted tenant: the act may have been cut short, or met a request that was on its way. */
export async function hideLeftOver(
  { db, lifecycle, now }: Pick<Context, 'db' | 'lifecycle' | 'now'>,
  signal: AbortSignal,
): Promise<number> {
  let hidden = 0;
  for (const { id: tenantId } of deletedBefore(db, now())) {
    hidden += await hideAnalyses(lifecycle, { tenantId, signal });
  }
  return hidden;
}

/**
 * Removes the rows of tenants that were deleted as long ago as deleted analyses are kept, and of which nothing is left: no
 * analysis, no object, no hold, no message to be sent. Their figures of usage go with them.
 *
 * @returns how many there were.
 */
export function purgeTenants(
  { db, now, retention }: Pick<Context, 'db' | 'now' | 'retention'>,
  signal: AbortSignal,
): number {
  const before = daysAgo(now(), retention.deletedRetentionDays);
  const due = deletedBefore(db, before);
  return due.filter(({ id }) => !signal.aborted && purgeTenant(db, id, now())).length;
}

function purgeTenant(db: Db, id: string, at: Date): boolean {
  return transact(db, (tx) => {
    const isEmpty = and(
      eq(tables.tenants.id, id),
      ...needs.map((need) => notExists(needOf(tx, need))),
    );
    if (
      tx.select({ id: tables.tenants.id }).from(tables.tenants).where(isEmpty).get() === undefined
    )
      return false;
    tx.update(tables.tenants).set({ storageConfigId: null }).where(eq(tables.tenants.id, id)).run();
    for (const table of belongings) tx.delete(table).where(eq(table.tenantId, id)).run();
    tx.delete(tables.tenants).where(eq(tables.tenants.id, id)).run();
    const told = { event: 'tenant.purged', subject: id, details: {} } as const;
    append(tx, { chain: id, at, actor: service, ...told });
    return true;
  });
}

interface Need {
  readonly table: SQLiteTable & { readonly tenantId: SQLiteColumn };
  readonly which?: SQL;
}

/** As long as there is one of these, the tenant is needed: to know where its objects lie, or whose they are. */
const needs: readonly Need[] = [
  { table: tables.analyses },
  { table: tables.looseObjects },
  { table: tables.legalHolds },
  { table: tables.feedback, which: isWaiting },
];

function needOf(tx: Tx, { table, which }: Need) {
  return tx
    .select({ found: sql`1` })
    .from(table)
    .where(and(eq(table.tenantId, tables.tenants.id), which));
}

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

function deletedBefore(db: Db, before: Date) {
  return db
    .select({ id: tables.tenants.id })
    .from(tables.tenants)
    .where(lte(tables.tenants.deletedAt, before))
    .all();
}
