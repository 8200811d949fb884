/** Reads the log. */

import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { auditEntries } from '../db/schema.ts';
import type { Entry, Line } from './entry.ts';

export interface Selection {
  readonly chain: string;
  /** Id of what it was done to. */
  readonly subject?: string;
  readonly since?: Date;
}

/** Oldest first; lines as they were written. */
export function readLines(reader: Reader, { chain, subject, since }: Selection): readonly Line[] {
  const { entry: text, seq, hash } = auditEntries;
  // Spelt as the index is.
  const isAbout = subject === undefined ? undefined : eq(sql`${text} ->> '$.subject'`, subject);
  const isLater =
    since === undefined ? undefined : gte(sql`${text} ->> '$.at'`, since.toISOString());
  return reader
    .select({ text, hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.chain, chain), isAbout, isLater))
    .orderBy(asc(seq))
    .all();
}

// This program alone writes the log; that nobody else did is the matter of `verifyChain`.
export function parseEntry({ text }: Pick<Line, 'text'>): Entry {
  return JSON.parse(text);
}
