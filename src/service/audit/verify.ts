/**
 * Whether a chain is as it was written. What this proves: no one changed, removed, exchanged or inserted an entry without
 * writing everything after it again. What it does not prove: a user who can write to the database file can do just that, the record of
 * the last hash included. Only a hash that was noted elsewhere reveals it: it stands for every entry up to its own.
 */

import { eq } from 'drizzle-orm';
import type { Db } from '../../ports/db/database.ts';
import { auditHeads } from '../../ports/db/schema.ts';
import { hashText, type Link, readLinks, noHash } from './entry.ts';

type Fault = 'changed' | 'missing' | 'out_of_order' | 'cut_off' | 'added' | 'not_there';

/** The first entry that is not as it was written. */
interface Break {
  /** Null when it is the whole chain, or an entry that only the noted hash knows. */
  readonly seq: number | null;
  readonly fault: Fault;
  /** A sentence. */
  readonly explanation: string;
}

export interface Verification {
  readonly chain: string;
  /** Valid entries: all, or those before the break. */
  readonly count: number;
  /** Of the last entry; null when the chain is broken. */
  readonly head: string | null;
  readonly broken: Break | null;
  /** Number of the entry whose hash was noted; null when none was, or when it is not there. */
  readonly notedSeq: number | null;
}

export interface Noted {
  /** The hash of an entry that was noted outside the database. */
  readonly head?: string;
}

type Head = Pick<typeof auditHeads.$inferSelect, 'count' | 'hash'>;

/** @param isExpected - whether there must be a chain: a tenant has one from its first moment. */
export async function verifyChain(
  db: Db,
  chain: string,
  { head, isExpected }: Noted & { readonly isExpected: boolean },
): Promise<Verification> {
  // An act of another process must not come between the entries and their number.
  return db.snapshot(async (reader) => {
    const isOfChain = eq(auditHeads.chain, chain);
    const recorded = (await reader.select().from(auditHeads).where(isOfChain).get()) ?? null;
    const walk = await walkLinks(chain, readLinks(reader, chain), head);
    return concluded(walk, breakAtEnd(walk, recorded, isExpected) ?? breakOfNoted(walk, head));
  });
}

/**
 * The same for lines that were exported. The chain is intact or not; only the noted hash proves that it is complete.
 */
export async function verifyLines(
  lines: readonly string[],
  { head }: Noted,
): Promise<Verification> {
  const chain = entryText(lines[0] ?? '')?.chain ?? '';
  const walk = await walkLinks(chain, numbered(lines), head);
  return concluded(walk, breakOfNoted(walk, head));
}

function concluded({ broken: before, ...walk }: Walk, after: Break | null): Verification {
  const broken = before ?? after;
  if (broken === null) return { ...walk, broken };
  const held = broken.seq === null ? walk.count : Math.max(0, broken.seq - 1);
  return { ...walk, broken, count: Math.min(walk.count, held), head: null };
}

function* numbered(lines: readonly string[]): Generator<Link> {
  let place = 0;
  for (const text of lines) {
    place++;
    yield { seq: entryText(text)?.seq ?? place, text, hash: hashText(text) };
  }
}

/** As far as the links lead. */
interface Walk extends Before, Pick<Verification, 'broken' | 'notedSeq'> {}

async function walkLinks(
  chain: string,
  links: Iterable<Link> | AsyncIterable<Link>,
  noted?: string,
): Promise<Walk> {
  let [count, head]: [number, string] = [0, noHash];
  let notedSeq: number | null = noted === noHash ? 0 : null;
  for await (const link of links) {
    const broken = breakAt(link, { chain, count, head });
    if (broken !== null) return { chain, count, head, broken, notedSeq };
    [count, head] = [link.seq, link.hash];
    if (head === noted) notedSeq = count;
  }
  return { chain, count, head, broken: null, notedSeq };
}

interface Before {
  readonly chain: string;
  readonly count: number;
  readonly head: string;
}

function breakAt({ seq, text, hash }: Link, { chain, count, head }: Before): Break | null {
  const next = count + 1;
  if (seq > next) return found(next, 'missing', `Entry ${next} is missing; entry ${seq} follows.`);
  if (seq < next) {
    return found(seq, 'out_of_order', `Entry ${seq} does not come after entry ${count}.`);
  }
  const told = entryText(text);
  if (hash !== hashText(text) || told === null) {
    return found(seq, 'changed', `Entry ${seq} was changed: its text does not have its hash.`);
  }
  if (told.chain !== chain) {
    return found(seq, 'out_of_order', `Entry ${seq} was written in another chain.`);
  }
  if (told.seq !== seq) {
    return found(seq, 'out_of_order', `In the place of entry ${seq} stands entry ${told.seq}.`);
  }
  if (told.previous === head) return null;
  const changed = Math.max(1, count);
  return found(changed, 'changed', `Entry ${changed} was changed: entry ${seq} follows another.`);
}

/** What the chain hangs on; null for what is no entry. */
function entryText(text: string) {
  const entry = jsonOrNull(text);
  if (typeof entry !== 'object' || entry === null) return null;
  const { chain, seq, previous }: Record<string, unknown> = { ...entry };
  if (typeof chain !== 'string' || typeof seq !== 'number') return null;
  return { chain, seq, previous };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function breakAtEnd(
  { count, head }: Before,
  recorded: Head | null,
  isExpected: boolean,
): Break | null {
  if (recorded === null) {
    if (count === 0 && !isExpected) return null;
    const what = count === 0 ? 'The whole log is gone.' : 'The record of its last entry is gone.';
    return found(null, 'cut_off', what);
  }
  if (recorded.count > count) {
    const next = count + 1;
    return found(
      next,
      'cut_off',
      `${recorded.count} entries were written; those from ${next} on are gone.`,
    );
  }
  if (recorded.count < count) {
    const next = recorded.count + 1;
    return found(
      next,
      'added',
      `${recorded.count} entries were written; those from ${next} on were added.`,
    );
  }
  if (recorded.hash === head) return null;
  return found(count, 'changed', `Entry ${count} was changed: the last entry had another hash.`);
}

function breakOfNoted({ notedSeq }: Walk, noted?: string): Break | null {
  if (noted === undefined || notedSeq !== null) return null;
  return found(
    null,
    'not_there',
    'No entry has the noted hash: the log up to there was rewritten or cut off.',
  );
}

function found(seq: number | null, fault: Fault, explanation: string): Break {
  return { seq, fault, explanation };
}
