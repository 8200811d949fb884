/**
 * Rows of the driver (arrays of columns) to objects, as the query builder makes them; but what each column is, is asked once
 * a query instead of once a cell, which for long lists took as long as reading them.
 */

import { Column, getTableName, is } from 'drizzle-orm';
import type { SelectedFieldsOrdered } from 'drizzle-orm/sqlite-core';

type MapRow = (row: readonly unknown[]) => object;

interface Cell {
  readonly index: number;
  readonly name: string;
  /** Null where the value is as the driver gives it. */
  readonly decode: ((value: unknown) => unknown) | null;
}

/** Members of the row itself, or of one object in it. */
interface Group {
  readonly name: string | null;
  readonly cells: Cell[];
  /** Of an object whose table may have no row here: which column is null then. */
  readonly absentAt: number | null;
}

/**
 * @param fields - in the order of the columns; members of the row, or of an object in it.
 * @param present - by table: whether every row has one of it; undefined when all have.
 * @returns null for queries that select more than columns: the builder's own way is right for those.
 */
export function createRowMapper(
  fields: SelectedFieldsOrdered,
  present: Readonly<Record<string, boolean>> | undefined,
): MapRow | null {
  const groups = new Map<string | null, Group>();
  for (const [index, { path, field }] of fields.entries()) {
    if (!is(field, Column) || path.length > 2) return null;
    const [name = '', ...around] = path.toReversed();
    const [groupName = null] = around;
    const isAlways = present === undefined || present[getTableName(field.table)] === true;
    const group = groups.get(groupName) ?? {
      name: groupName,
      cells: [],
      absentAt: isAlways ? null : index,
    };
    groups.set(groupName, group);
    group.cells.push({ index, name, decode: decoderOf(field) });
  }
  const all = [...groups.values()];
  return (row) => mapRow(row, all);
}

function decoderOf(column: Column): Cell['decode'] {
  const isPlain = column.mapFromDriverValue === Column.prototype.mapFromDriverValue;
  return isPlain ? null : (value) => column.mapFromDriverValue(value);
}

function mapRow(row: readonly unknown[], groups: readonly Group[]): object {
  const whole: Record<string, unknown> = {};
  for (const { name, cells, absentAt } of groups) {
    if (name !== null && absentAt !== null && row[absentAt] === null) {
      whole[name] = null;
      continue;
    }
    const made: Record<string, unknown> = name === null ? whole : {};
    for (const { index, name: member, decode } of cells) {
      const value = row[index];
      made[member] = value === null || decode === null ? value : decode(value);
    }
    if (name !== null) whole[name] = made;
  }
  return whole;
}
