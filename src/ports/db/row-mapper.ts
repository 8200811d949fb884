/**
 * Turns rows of the driver (arrays of columns) into objects, as drizzle does; but what to do with a column is decided once a
 * query instead of once a cell, which for long lists took as long as reading them.
 */

import { Column, getTableName, is } from 'drizzle-orm';
import type { SelectedFieldsOrdered } from 'drizzle-orm/sqlite-core';

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
export function createRowMapper(
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
