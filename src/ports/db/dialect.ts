/** The few conditions that SQLite and PostgreSQL spell differently. */

import { type AnyColumn, count, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from './database.ts';

/** The text of a field of a JSON object that is stored as text, in the form that the indexes on such fields have. */
export function jsonField(
  { engine }: Reader,
  column: AnyColumn,
  field: 'at' | 'event' | 'subject',
): SQL<string> {
  return engine === 'sqlite'
    ? sql`${column} ->> ${sql.raw(`'$.${field}'`)}`
    : sql`(${column}::json ->> ${sql.raw(`'${field}'`)})`;
}

/** Whether a JSON list of texts, stored as text, contains this value. */
export function hasElement({ engine }: Reader, column: AnyColumn, value: string): SQL {
  return engine === 'sqlite'
    ? sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`
    : sql`${column}::jsonb @> ${JSON.stringify([value])}::jsonb`;
}

/** Whether a text contains this part, byte for byte: no character is a wildcard. */
export function contains({ engine }: Reader, column: AnyColumn, part: string): SQL {
  return engine === 'sqlite'
    ? sql`instr(${column}, ${part}) > 0`
    : sql`${column} LIKE ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`}`;
}

/** Ends a query for a row to claim: rows that other transactions are claiming are skipped. */
export function skipLocked({ engine }: Reader): SQL {
  // In SQLite no other transaction writes at the same time.
  return engine === 'sqlite' ? sql`` : sql` FOR UPDATE SKIP LOCKED`;
}

/** Whether a column has one of the values that a query returns; PostgreSQL runs the query first and can then use an index. */
export function isOneOf({ engine }: Reader, column: AnyColumn, query: SQLWrapper): SQL {
  return engine === 'sqlite' ? sql`${column} IN ${query}` : sql`${column} = ANY (ARRAY ${query})`;
}

/** Reading this many rows one by one takes as long as reading 200,000 in order. */
const maxIndexed = 20_000;
/** At least three characters; the index ignores what follows U+0000. */
const isIndexed = /^[^\0]{3}[^\0]*$/u;

/**
 * A condition for analyses whose folded name or comment may contain this part, answered from an index. It must be the first
 * of the query. Null where they are many, the part is too short, or the engine uses its index by itself, as PostgreSQL does.
 */
export async function textSearchCondition(reader: Reader, part: string): Promise<SQL | null> {
  if (reader.engine !== 'sqlite' || !isIndexed.test(part)) return null;
  const phrase = `"${part.replaceAll('"', '""')}"`;
  const found = sql`SELECT rowid FROM analysis_texts WHERE analysis_texts MATCH ${phrase}`;
  const counted = reader.select({ many: count() }).from(sql`(${found} LIMIT ${maxIndexed + 1})`);
  const { many = 0 } = (await counted.get()) ?? {};
  return many > maxIndexed ? null : sql`analyses.text_id IN (${found})`;
}
