/**
 * The query builder of both engines: drizzle's builder for SQLite, which passes each statement to a function. Only this
 * file uses drizzle's private parts, and `builder.test.ts` fails if a new version behaves differently.
 *
 * drizzle's own drivers are unsuitable: that for PostgreSQL has different table types, lacks `get`, `all` and `run`,
 * and ignores our type parsers; and both take 40% longer for a list.
 */

import { Column, getTableName, is } from 'drizzle-orm';
import {
  BaseSQLiteDatabase,
  type SelectedFieldsOrdered,
  SQLiteAsyncDialect,
} from 'drizzle-orm/sqlite-core';
import { type AsyncRemoteCallback, SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy';

export type Builder = BaseSQLiteDatabase<'async', { readonly changes: number }>;

/** @returns rows as arrays of column values: all or, for `get`, the first or undefined; for `run`, the `changes`. */
export type Execute = (
  sql: string,
  params: unknown[],
  method: 'run' | 'all' | 'get' | 'values',
) => Promise<{ rows?: unknown; changes?: number }>;

const dialect = new SQLiteAsyncDialect();

export function createBuilder(execute: Execute): Builder {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- drizzle's type demands rows even for `run`.
  const session = new Session(execute as AsyncRemoteCallback, dialect, undefined, undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run` resolves to what `execute` returns.
  return new BaseSQLiteDatabase('async', dialect, session, undefined) as unknown as Builder;
}

type NoSchema = Record<string, never>;
class Session extends SQLiteRemoteSession<NoSchema, NoSchema> {
  override prepareQuery: SQLiteRemoteSession<NoSchema, NoSchema>['prepareQuery'] = (...query) => {
    const prepared = super.prepareQuery(...query);
    const [, fields] = query;
    const mapAll = prepared.mapAllResult.bind(prepared);
    const mapOne = prepared.mapGetResult.bind(prepared);
    let mapper: ReturnType<typeof createRowMapper> | undefined;
    // Created with the first row, because drizzle sets `joinsNotNullableMap` only after `prepareQuery` returns.
    const rowMapper = () => {
      if (fields === undefined) return null;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- internal, and therefore not declared.
      const { joinsNotNullableMap } = prepared as { joinsNotNullableMap?: NotNullable };
      return (mapper ??= createRowMapper(fields, joinsNotNullableMap));
    };
    return Object.assign(prepared, {
      // Passes on the engine's errors, because drizzle's own would put the statement's values into logs.
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

/** By table name; false if an outer join may find no row. */
type NotNullable = Readonly<Record<string, boolean>>;

// Maps the driver's rows (arrays of column values) to objects as drizzle does, but decides how to treat a column once
// per query, not once per cell, which for long lists took as long as reading the rows.

interface Cell {
  readonly index: number;
  readonly name: string;
  /** Null if the driver's value is used unchanged. */
  readonly decode: ((value: unknown) => unknown) | null;
}

/** The members of the row itself (`name` is null), or of one nested object. */
interface Group {
  readonly name: string | null;
  readonly cells: Cell[];
  /** For a table whose row may be missing in an outer join: the column that is then null. */
  readonly nullAt: number | null;
}

/**
 * @param fields - members of the row or of a nested object, in column order.
 * @param notNullable - for each table, whether it always has a row; undefined if every table does.
 * @returns null for queries that select more than columns, because drizzle's own mapping is right for them.
 */
function createRowMapper(
  fields: SelectedFieldsOrdered,
  notNullable: NotNullable | undefined,
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
