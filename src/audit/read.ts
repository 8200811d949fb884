/** Reads the log. */

import { and, asc, eq, gt, gte, sql } from 'drizzle-orm';
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

/** A line and the place where it stands. */
export interface Link extends Line {
  readonly seq: number;
}

// Some hundred kilobytes at a time.
const batch = 1000;

/** The whole chain, in order; never all of it in memory. */
export function* linksOf(reader: Reader, chain: string): Generator<Link> {
  const { entry: text, seq, hash } = auditEntries;
  for (let last = -Infinity; ; ) {
    const links = reader
      .select({ seq, text, hash })
      .from(auditEntries)
      .where(and(eq(auditEntries.chain, chain), gt(seq, last)))
      .orderBy(asc(seq))
      .limit(batch)
      .all();
    yield* links;
    if (links.length < batch) return;
    last = links.at(-1)!.seq;
  }
}

// This program alone writes the log; that nobody else did is the matter of `verifyChain`.
export function parseEntry({ text }: Pick<Line, 'text'>): Entry {
  return JSON.parse(text);
}
