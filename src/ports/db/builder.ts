/**
 * The query builder of both engines: drizzle's for SQLite, which hands each statement to a function. Whatever drizzle keeps
 * private is used in this file alone, and `builder.test.ts` fails where a new version of drizzle behaves differently.
 *
 * drizzle's own drivers do not fit: the one for PostgreSQL has other table types and no `get`, `all` and `run`, and ignores
 * our type parsers; both need 40 % more time for a list.
 */

import { BaseSQLiteDatabase, SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import { type AsyncRemoteCallback, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy';
import { createRowMapper } from './row-mapper.ts';

export interface RunResult {
  /** Rows that were inserted, changed or deleted. */
  readonly changes: number;
}

export type Builder = BaseSQLiteDatabase<'async', RunResult>;

/** @returns rows as arrays of columns: all of them, or for `get` the first one or undefined; for `run` the `changes`. */
export type Execute = (
  sql: string,
  params: unknown[],
  method: 'run' | 'all' | 'get' | 'values',
) => Promise<{ rows?: unknown; changes?: number }>;

const dialect = new SQLiteAsyncDialect();

export function createBuilder(execute: Execute): Builder {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- drizzle's type demands rows for `run`, too.
  const session = new Session(execute as AsyncRemoteCallback, dialect, undefined, undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run` resolves to what `execute` returns.
  return new BaseSQLiteDatabase('async', dialect, session, undefined) as unknown as Builder;
}

type NoSchema = Record<string, never>;
type Prepare = SQLiteRemoteSession<NoSchema, NoSchema>['prepareQuery'];

class Session extends SQLiteRemoteSession<NoSchema, NoSchema> {
  override prepareQuery: Prepare = (...query) => {
    const prepared = super.prepareQuery(...query);
    const [, fields] = query;
    const mapAll = prepared.mapAllResult.bind(prepared);
    const mapOne = prepared.mapGetResult.bind(prepared);
    let mapper: ReturnType<typeof createRowMapper> | undefined;
    // Created with the first row: drizzle sets `joinsNotNullableMap` after `prepareQuery` returned.
    const rowMapper = () => {
      if (fields === undefined) return null;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- internal, and so not declared.
      const { joinsNotNullableMap } = prepared as JoinedQuery;
      return (mapper ??= createRowMapper(fields, joinsNotNullableMap));
    };
    return Object.assign(prepared, {
      // Errors of the engine as they are: drizzle's would carry the values of the statement into logs.
      queryWithCache: (_sql: string, _params: unknown[], run: () => Promise<unknown>) => run(),
      mapAllResult(rows: unknown[][]) {
        const map = rowMapper();
        return map === null ? mapAll(rows) : rows.map(map);
      },
      mapGetResult(row: unknown[] | undefined) {
        const map = rowMapper();
        return map === null || row === undefined ? mapOne(row) : map(row);
      },
    });
  };
}

interface JoinedQuery {
  /** By table; false where an outer join may find no row. */
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>;
}
