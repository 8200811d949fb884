/** The few conditions that SQLite and PostgreSQL spell differently. */

import { type AnyColumn, count, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from './database.ts';

/** The text of a field of a JSON object that is stored as text; spelt as the indexes on such fields are. */
export function jsonField(
  { engine }: Reader,
  column: AnyColumn,
  field: 'at' | 'event' | 'subject',
): SQL<string> {
  return engine === 'sqlite'
    ? sql`${column} ->> ${sql.raw(`'$.${field}'`)}`
    : sql`(${column}::json ->> ${sql.raw(`'${field}'`)})`;
}

/** Whether a JSON list of texts, stored as text, has this one. */
export function hasElement({ engine }: Reader, column: AnyColumn, value: string): SQL {
  return engine === 'sqlite'
    ? sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`
    : sql`${column}::jsonb @> ${JSON.stringify([value])}::jsonb`;
}

/** Whether a text has this part, byte for byte: no character means anything but itself. */
export function contains({ engine }: Reader, column: AnyColumn, part: string): SQL {
  return engine === 'sqlite'
    ? sql`instr(${column}, ${part}) > 0`
    : sql`${column} LIKE ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`}`;
}

/** Ends a query for a row that is about to be taken: those that others are about to take are passed over. */
export function skipLocked({ engine }: Reader): SQL {
  // In SQLite nobody else writes during a transaction.
  return engine === 'sqlite' ? sql`` : sql` FOR UPDATE SKIP LOCKED`;
}

/** Whether a column has one of the values that a query finds; PostgreSQL runs the query first and can then use an index. */
export function isOneOf({ engine }: Reader, column: AnyColumn, query: SQLWrapper): SQL {
  return engine === 'sqlite' ? sql`${column} IN ${query}` : sql`${column} = ANY (ARRAY ${query})`;
}

/** Reading that many rows one by one costs as much as reading a fifth of a million in order. */
const fewAtMost = 20_000;
/** Three characters; an index of texts ends at a zero. */
const isIndexed = /^[^\0]{3}[^\0]*$/u;

/**
 * A condition on analyses whose folded name or comment may have this part, which an index answers; it has to lead the query.
 * Null where they are many, the part is too short, or the engine uses its index by itself, as PostgreSQL does.
 */
export async function textSearchCondition(reader: Reader, part: string): Promise<SQL | null> {
  if (reader.engine !== 'sqlite' || !isIndexed.test(part)) return null;
  const phrase = `"${part.replaceAll('"', '""')}"`;
  const found = sql`SELECT rowid FROM analysis_texts WHERE analysis_texts MATCH ${phrase}`;
  const counted = reader.select({ many: count() }).from(sql`(${found} LIMIT ${fewAtMost + 1})`);
  const { many = 0 } = (await counted.get()) ?? {};
  return many > fewAtMost ? null : sql`analyses.text_id IN (${found})`;
}
