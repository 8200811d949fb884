/**
 * The numbered steps in `sql/` from an empty database to the current schema. A released step never changes: a
 * correction is a new step. `000005.sql` applies to both engines, and `000005.sqlite.sql` follows it on SQLite only.
 * Shared steps are written in SQLite's dialect; see `toPostgres`.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import type { PoolClient } from 'pg';
import { ForensicsError } from '../../contract/errors.ts';
import { type EngineName, foldText } from './database.ts';

// This path is the same from `src` and from `dist`.
const folder = fileURLToPath(new URL('../../../src/ports/db/sql/', import.meta.url));
const fileName = /^(?<version>\d{6})(?:\.(?<engine>\w+))?\.sql$/;

export function schemaSteps(engine: EngineName) {
  const byVersion = new Map<number, string>();
  for (const { name, version } of stepFiles(engine)) {
    const text = readFileSync(folder + name, 'utf8');
    const sql = engine === 'postgres' ? toPostgres(text) : text;
    byVersion.set(version, (byVersion.get(version) ?? '') + sql);
  }
  return [...byVersion].map(([version, sql]) => ({ version, sql }));
}

export function currentSchema(engine: EngineName): number {
  return stepFiles(engine).at(-1)!.version;
}

function stepFiles(engine: EngineName) {
  const files = readdirSync(folder).flatMap((name) => {
    const found = fileName.exec(name)?.groups;
    const { version, engine: only } = found ?? {};
    if (version === undefined || (only !== undefined && only !== engine)) return [];
    return [{ name, version: Number(version), isShared: only === undefined }];
  });
  return files.toSorted(
    (one, other) => one.version - other.version || Number(other.isShared) - Number(one.isShared),
  );
}

/** Translates to PostgreSQL. As in SQLite, text is compared byte by byte, whatever the machine's locale. */
function toPostgres(sql: string): string {
  return sql
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?;/g, ');')
    .replaceAll(' AUTOINCREMENT', '')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}

/** One transaction a step. @throws {ForensicsError} `schema_newer` if a newer program has upgraded the file. */
export function migrateSqlite(client: Database, steps: ReturnType<typeof schemaSteps>): void {
  const latest = steps.at(-1)!.version;
  const found = checkedSchema(client, latest);
  client.function('fold_text', { deterministic: true }, (text) => foldText(String(text)));
  for (const { version, sql } of steps.filter((step) => step.version > found)) {
    const apply = client.transaction(() => {
      if (checkedSchema(client, latest) >= version) return;
      client.exec(sql);
      client.pragma(`user_version = ${version}`);
    });
    // Immediate: if two processes open a new file at the same time, one waits, and then finds the step already done.
    apply.immediate();
  }
}

/** Schema version of the file; 0 if it is new. */
export function readSchema(client: Database): number {
  return Number(client.pragma('user_version', { simple: true }));
}

/** Schema version of a file that is about to be used. @throws {ForensicsError} `schema_newer`. */
export function checkedSchema(client: Database, latest = currentSchema('sqlite')): number {
  const version = readSchema(client);
  if (version > latest) throw isNewer(version, latest);
  return version;
}

// An arbitrary number, but the same in every process.
const migrationLock = 7_305_511;

/** The oldest program that works with this schema: during a rolling upgrade, the previous version still serves. */
const oldestProgram = 11;

/**
 * Upgrades the database to the newest schema in one transaction; of several processes, one does so and the others wait.
 *
 * @returns the schema version that was found; 0 for a new database.
 * @throws {ForensicsError} `schema_newer` if a newer program has made the schema incompatible with this one.
 */
export async function migratePostgres(client: PoolClient): Promise<{ from: number; to: number }> {
  const latest = currentSchema('postgres');
  await client.query('BEGIN');
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL, oldest_program BIGINT NOT NULL)',
    );
    const { rows } = await client.query('SELECT version, oldest_program FROM schema_version');
    const from = Number(rows[0]?.version ?? 0);
    if (Number(rows[0]?.oldest_program ?? 0) > latest) throw isNewer(from, latest);
    if (from < latest) {
      const missing = schemaSteps('postgres').filter(({ version }) => version > from);
      for (const { sql } of missing) await client.query(sql);
      await client.query('DELETE FROM schema_version');
      const now = 'INSERT INTO schema_version VALUES ($1, $2)';
      await client.query(now, [latest, oldestProgram]);
    }
    await client.query('COMMIT');
    return { from, to: Math.max(latest, from) };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

function isNewer(version: number, latest: number): ForensicsError {
  return new ForensicsError(
    'schema_newer',
    `The database was written by a newer version of this program (schema ${version}, this program knows ${latest}); install the newer version.`,
  );
}
