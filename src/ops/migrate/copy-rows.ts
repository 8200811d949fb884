/** Copies every row of a SQLite database into PostgreSQL. An interrupted copy continues where it stopped. */

import { asc, desc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type Db, type Reader, transact, type Tx } from '../../ports/db/database.ts';
import * as tables from '../../ports/db/schema.ts';

/** Each table comes after the tables its rows refer to. */
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
  tables.thumbnails,
  tables.fingerprints,
  tables.fingerprintKeys,
  tables.jobs,
  tables.deliveries,
  tables.idempotencyKeys,
  tables.usageCounters,
  tables.legalHolds,
  tables.orphanObjects,
  tables.auditEntries,
];

// Kept small because each row of examinations contains a picture's maps, a few hundred kilobytes.
const batch = 100;

type OnProgress = (table: string, rows: number) => void;

/**
 * @param from - must not be written to during the copy.
 * @param to - PostgreSQL with the current schema; empty, or as an earlier call left it.
 * @param onProgress - receives the name of a table and how many of its rows this call has copied.
 */
export async function copyRows(from: Db, to: Db, onProgress: OnProgress = () => undefined) {
  for (const table of inOrder) await copyTable(from, to, table, onProgress);
  const hasStore = isNotNull(tables.tenants.storageConfigId);
  const tenants = await from.select().from(tables.tenants).where(hasStore).all();
  const settings = await from.select().from(tables.settings).all();
  const heads = await from.select().from(tables.auditHeads).all();
  await transact(to, async (tx) => {
    for (const { id, storageConfigId } of tenants) {
      const isThis = eq(tables.tenants.id, id);
      await tx.update(tables.tenants).set({ storageConfigId }).where(isThis).run();
    }
    for (const row of settings)
      await tx.insert(tables.settings).values(row).onConflictDoNothing().run();
    // The trigger would reject a head that does not continue the previous one.
    await tx.run(sql`ALTER TABLE audit_heads DISABLE TRIGGER USER`);
    for (const head of heads) {
      const write = tx.insert(tables.auditHeads).values(head);
      await write.onConflictDoUpdate({ target: tables.auditHeads.chain, set: head }).run();
    }
    await tx.run(sql`ALTER TABLE audit_heads ENABLE TRIGGER USER`);
    await advanceSequences(tx);
  });
}

/** Copies in primary key order, so that the last row in the target shows where an earlier call stopped. */
async function copyTable(from: Reader, to: Db, table: SQLiteTable, onProgress: OnProgress) {
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
    // A tenant and its storage configuration refer to each other, so this reference is written last.
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

async function advanceSequences(tx: Tx): Promise<void> {
  for (const number of [tables.deliveries.seq, tables.orphanObjects.id, tables.fingerprints.id]) {
    const { name } = getTableConfig(number.table);
    await tx.run(
      sql`SELECT setval(${`${name}_seq`}, max(${number})) FROM ${number.table} HAVING max(${number}) > 0`,
    );
  }
}
