/**
 * The query builder of both engines: drizzle's for SQLite, which hands each statement to a function. Whatever drizzle keeps
 * private is used in this file alone, and `builder.test.ts` fails where a new version of drizzle behaves differently.
 *
 * drizzle's own drivers do not fit: the one for PostgreSQL has other table types and no `get`, `all` and `run`, and ignores
 * our type parsers; both need 40 % more time for a list.
 */

import { Column, getTableName, is } from 'drizzle-orm';
import {
  BaseSQLiteDatabase,
  type SelectedFieldsOrdered,
  SQLiteAsyncDialect,
} from 'drizzle-orm/sqlite-core';
import { type AsyncRemoteCallback, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy';

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

// Turns rows of the driver (arrays of columns) into objects, as drizzle does; but what to do with a column is decided once a
// query instead of once a cell, which for long lists took as long as reading them.

interface Cell {
  readonly index: number;
  readonly name: string;
  /** Null where the driver's value is used as it is. */
  readonly decode: ((value: unknown) => unknown) | null;
}

/** The members of the row itself (`name` null), or of one object in it. */
interface Group {
  readonly name: string | null;
  readonly cells: Cell[];
  /** Of a table that an outer join may find no row of: the column that is null then. */
  readonly nullAt: number | null;
}

/**
 * @param fields - in the order of the columns; members of the row, or of an object in it.
 * @param notNullable - by table: whether each row has one of it; undefined when all have.
 * @returns null for queries that select more than columns: drizzle's own mapping is right for those.
 */
function createRowMapper(
  fields: SelectedFieldsOrdered,
  notNullable: Readonly<Record<string, boolean>> | undefined,
): ((row: readonly unknown[]) => object) | null {
  const groups = new Map<string | null, Group>();
  for (const [index, { path, field }] of fields.entries()) {
    if (!is(field, Column) || path.length > 2) return null;
    const name = path.at(-1)!;
    const groupName = path.length === 2 ? path[0]! : null;
    const mayBeMissing =
      notNullable !== undefined && notNullable[getTableName(field.table)] !== true;
    const nullAt = mayBeMissing && groupName !== null ? index : null;
    const group = groups.get(groupName) ?? { name: groupName, cells: [], nullAt };
    groups.set(groupName, group);
    const isPlain = field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
    const decode = isPlain ? null : (value: unknown) => field.mapFromDriverValue(value);
    group.cells.push({ index, name, decode });
  }
  const all = [...groups.values()];
  return (row) => mapRow(row, all);
}

function mapRow(row: readonly unknown[], groups: readonly Group[]): object {
  const whole: Record<string, unknown> = {};
  for (const { name, cells, nullAt } of groups) {
    if (name !== null && nullAt !== null && row[nullAt] === null) {
      whole[name] = null;
      continue;
    }
    const members: Record<string, unknown> = name === null ? whole : {};
    for (const { index, name: member, decode } of cells) {
      const value = row[index];
      members[member] = value === null || decode === null ? value : decode(value);
    }
    if (name !== null) whole[name] = members;
  }
  return whole;
}
