/** Copies every row of one database into another, of either engine; what was cut short goes on where it stood. */

import { asc, desc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Db, type Reader, transact, type Tx } from './database.ts';
import { auditHeadsStep } from './migrations.ts';
import * as tables from './schema.ts';

/** Each after those that its rows refer to. */
const inOrder: readonly SQLiteTable[] = [
  tables.tenants,
  tables.tenantNames,
  tables.storageConfigs,
  tables.apiKeys,
  tables.users,
  tables.userTenants,
  tables.loginAttempts,
  tables.sessions,
  tables.refreshTokens,
  tables.feedback,
  tables.analyses,
  tables.examinations,
  tables.jobs,
  tables.deliveries,
  tables.idempotencyKeys,
  tables.usageCounters,
  tables.legalHolds,
  tables.orphanObjects,
  tables.auditEntries,
];

// Examinations hold the maps of a picture: some hundred kilobytes a row.
const batch = 100;

/**
 * @param from - nobody writes to it meanwhile.
 * @param to - of the present schema, and empty or as an earlier call left it.
 * @param onProgress - hears the name of a table and how many of its rows this call has copied.
 */
export async function copyRows(
  from: Db,
  to: Db,
  onProgress: (table: string, rows: number) => void = () => undefined,
): Promise<void> {
  for (const table of inOrder) await copyTable({ from, to, onProgress }, table);
  const stored = from
    .select()
    .from(tables.tenants)
    .where(isNotNull(tables.tenants.storageConfigId));
  const tenants = await stored.all();
  const settings = await from.select().from(tables.settings).all();
  const heads = await from.select().from(tables.auditHeads).all();
  await transact(to, async (tx) => {
    for (const { id, storageConfigId } of tenants) {
      await tx
        .update(tables.tenants)
        .set({ storageConfigId })
        .where(eq(tables.tenants.id, id))
        .run();
    }
    for (const row of settings)
      await tx.insert(tables.settings).values(row).onConflictDoNothing().run();
    await replaceHeads(tx, heads);
    if (tx.engine === 'postgres') await countOn(tx);
  });
}

interface Copy {
  readonly from: Reader;
  readonly to: Db;
  readonly onProgress: (table: string, rows: number) => void;
}

/** In the order of the primary key, so that the last row that is there tells how far an earlier call came. */
async function copyTable({ from, to, onProgress }: Copy, table: SQLiteTable): Promise<void> {
  const key = keyOf(table);
  const columns = Object.values(key);
  let last = await to
    .select(key)
    .from(table)
    .orderBy(...columns.map((column) => desc(column)))
    .limit(1)
    .get();
  for (let copied = 0; ; ) {
    const rows = await from
      .select()
      .from(table)
      .where(last === undefined ? undefined : isAfter(key, last))
      .orderBy(...columns.map((column) => asc(column)))
      .limit(batch)
      .all();
    if (rows.length === 0) return;
    // A tenant and its store refer to each other; the reference is written last.
    const isLater = table === tables.tenants ? { storageConfigId: null } : {};
    const values = rows.map((row) => ({ ...row, ...isLater }));
    await transact(to, (tx) => tx.insert(table).values(values).run());
    last = rows.at(-1)!;
    copied += rows.length;
    onProgress(getTableConfig(table).name, copied);
  }
}

type Key = Readonly<Record<string, SQLiteColumn>>;

function keyOf(table: SQLiteTable): Key {
  const { columns, primaryKeys } = getTableConfig(table);
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const entries: readonly [string, SQLiteColumn][] = Object.entries(getTableColumns(table));
  return Object.fromEntries(entries.filter(([, column]) => key.includes(column)));
}

function isAfter(key: Key, row: Readonly<Record<string, unknown>>) {
  const columns = Object.values(key);
  const values = Object.entries(key).map(([name, column]) => sql.param(row[name], column));
  const comma = sql`, `;
  return sql`(${sql.join(columns, comma)}) > (${sql.join(values, comma)})`;
}

type AuditHead = typeof tables.auditHeads.$inferSelect;

/** Each engine refuses a head that does not go on from the last one. */
async function replaceHeads(tx: Tx, heads: readonly AuditHead[]): Promise<void> {
  if (tx.engine === 'postgres') await tx.run(sql`ALTER TABLE audit_heads DISABLE TRIGGER USER`);
  else await tx.run(sql`DROP TRIGGER audit_heads_step`);
  for (const head of heads) {
    const write = tx.insert(tables.auditHeads).values(head);
    await write.onConflictDoUpdate({ target: tables.auditHeads.chain, set: head }).run();
  }
  if (tx.engine === 'postgres') await tx.run(sql`ALTER TABLE audit_heads ENABLE TRIGGER USER`);
  else await tx.run(sql.raw(auditHeadsStep));
}

/** The next numbers come after those that were copied. */
async function countOn(tx: Tx): Promise<void> {
  await tx.run(
    sql`SELECT setval('webhook_deliveries_seq', max(seq)) FROM webhook_deliveries HAVING max(seq) > 0`,
  );
  await tx.run(
    sql`SELECT setval('loose_objects_seq', max(id)) FROM loose_objects HAVING max(id) > 0`,
  );
}
