/**
 * How many analyses a tenant has: every list says it, and counting a hundred thousand takes longer than reading the page. In
 * SQLite each tenant's are counted once. What this connection changes is then added and taken off within its transactions;
 * what another one changes is noticed by the version of the data, and counted anew.
 */

import type Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import type { Reader } from './database.ts';

/** How many analyses a tenant has that were not deleted. */
export async function countAnalyses(reader: Reader, tenantId: string): Promise<number> {
  const counting = sql`SELECT count(*) FROM analyses WHERE tenant_id = ${tenantId} AND deleted_at IS NULL`;
  if (reader.engine === 'postgres') return firstNumber(await reader.values(counting)) ?? 0;
  const version = sql`(SELECT data_version FROM pragma_data_version)`;
  const known = await reader.values(
    sql`SELECT counted FROM analysis_counts WHERE tenant_id = ${tenantId} AND data_version = ${version}`,
  );
  return (
    firstNumber(known) ??
    firstNumber(
      await reader.values(
        sql`INSERT INTO analysis_counts VALUES (${tenantId}, (${counting}), ${version})
          ON CONFLICT DO UPDATE SET counted = excluded.counted, data_version = excluded.data_version
          RETURNING counted`,
      ),
    ) ??
    0
  );
}

function firstNumber([row]: readonly unknown[][]): number | undefined {
  const value = row?.[0];
  return value === undefined ? undefined : Number(value);
}

/** Makes the table, which is the connection's own and in memory, and what keeps it up to date. */
export function keepCounts(client: Database.Database): void {
  client.pragma('temp_store = MEMORY');
  client.exec(`
    CREATE TEMP TABLE analysis_counts
      (tenant_id TEXT PRIMARY KEY, counted INTEGER NOT NULL, data_version INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TEMP TRIGGER count_made AFTER INSERT ON main.analyses WHEN new.deleted_at IS NULL BEGIN
      UPDATE analysis_counts SET counted = counted + 1 WHERE tenant_id = new.tenant_id;
    END;
    CREATE TEMP TRIGGER count_removed AFTER DELETE ON main.analyses WHEN old.deleted_at IS NULL BEGIN
      UPDATE analysis_counts SET counted = counted - 1 WHERE tenant_id = old.tenant_id;
    END;
    CREATE TEMP TRIGGER count_changed AFTER UPDATE OF tenant_id, deleted_at ON main.analyses BEGIN
      UPDATE analysis_counts SET counted = counted - (old.deleted_at IS NULL) WHERE tenant_id = old.tenant_id;
      UPDATE analysis_counts SET counted = counted + (new.deleted_at IS NULL) WHERE tenant_id = new.tenant_id;
    END;`);
}
