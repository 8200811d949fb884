/**
 * An entry of the log and how it is chained. An entry is one line of JSON as RFC 8785 writes it, and its hash is the SHA-256
 * of the UTF-8 bytes of that line. Each entry holds the hash of the one before it, the first holds 64 zeros. So a line cannot
 * be changed without a change in all that follow, which a copy of the last hash reveals. Anyone can recompute it:
 *
 *     sed -n 1p log.jsonl | tr -d '\n' | sha256sum    # stands as "previous" in line 2
 */

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { and, asc, desc, eq, gt, gte, lt, sql } from 'drizzle-orm';
import type { Reader } from '../../ports/db/database.ts';
import { jsonField } from '../../ports/db/dialect.ts';
import { auditEntries } from '../../ports/db/schema.ts';
import type { EventDetails, EventName } from './events.ts';

/** Who did it. `operator` is any user of the command line on the machine of the data folder. */
const actorTypes = ['user', 'api', 'service', 'operator'] as const;

export interface Actor {
  readonly type: (typeof actorTypes)[number];
  /** Id of the person, UUID of the API key; null for the others. */
  readonly id: string | null;
}

export const operator: Actor = { type: 'operator', id: null };
export const service: Actor = { type: 'service', id: null };

/** The chain of what concerns no tenant; the others are named by the ids of their tenants. */
export const serviceChain = 'service';

/** What the first entry has in the place of the hash before it, and an empty chain in that of its last. */
export const noHash = '0'.repeat(64);

/** The input of the log. */
export interface Note<E extends EventName = EventName> {
  readonly chain: string;
  readonly at: Date;
  readonly actor: Actor;
  readonly event: E;
  /** Id of what it was done to. */
  readonly subject: string | null;
  readonly details: EventDetails[E];
}

/** What stands in a line. */
export type Entry = { readonly [E in EventName]: EntryOf<E> }[EventName];

export interface EntryOf<E extends EventName> extends Omit<Note<E>, 'at'> {
  /** ISO 8601 in UTC, milliseconds. */
  readonly at: string;
  /** From 1, without gaps, within the chain. */
  readonly seq: number;
  readonly previous: string;
}

/** A line and its hash. */
export interface Line {
  readonly text: string;
  readonly hash: string;
}

export function toLine(entry: EntryOf<EventName>): Line {
  const text = canonicalize(entry);
  if (text === undefined) throw new TypeError('an entry is an object');
  return { text, hash: hashText(text) };
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export interface Selection {
  readonly chain: string;
  /** Id of what it was done to. */
  readonly subject?: string;
  readonly since?: Date;
}

/** Oldest first; lines as they were written. */
export async function readLines(
  reader: Reader,
  { chain, subject, since }: Selection,
): Promise<readonly Line[]> {
  const { entry: text, seq, hash } = auditEntries;
  const isAbout =
    subject === undefined ? undefined : eq(jsonField(reader, text, 'subject'), subject);
  const isLater =
    since === undefined ? undefined : gte(jsonField(reader, text, 'at'), since.toISOString());
  return reader
    .select({ text, hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.chain, chain), isAbout, isLater))
    .orderBy(asc(seq))
    .all();
}

export interface PageOfEntries {
  readonly chain: string;
  /** A whole event, or what stands before its dot. */
  readonly event?: string;
  readonly subject?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  /** Only entries with a smaller `seq`. */
  readonly before?: number;
  readonly limit: number;
}

/** Newest first. */
export async function readPage(reader: Reader, page: PageOfEntries): Promise<readonly Line[]> {
  const { chain, event, subject, from, to, before, limit } = page;
  const { entry: text, seq, hash } = auditEntries;
  const name = jsonField(reader, text, 'event');
  const at = jsonField(reader, text, 'at');
  const isGroup = event !== undefined && !event.includes('.');
  const which = [
    eq(auditEntries.chain, chain),
    ...(before === undefined ? [] : [lt(seq, before)]),
    ...(subject === undefined ? [] : [eq(jsonField(reader, text, 'subject'), subject)]),
    ...(event === undefined || isGroup ? [] : [eq(name, event)]),
    ...(isGroup ? [eq(sql`substr(${name}, 1, ${event.length + 1})`, `${event}.`)] : []),
    ...(from === undefined ? [] : [gte(at, from.toISOString())]),
    ...(to === undefined ? [] : [lt(at, to.toISOString())]),
  ];
  return reader
    .select({ text, hash })
    .from(auditEntries)
    .where(and(...which))
    .orderBy(desc(seq))
    .limit(limit)
    .all();
}

/** A line and the place where it stands. */
export interface Link extends Line {
  readonly seq: number;
}

// Some hundred kilobytes at a time.
const batch = 1000;

/** The whole chain, in order; never all of it in memory. */
export async function* readLinks(reader: Reader, chain: string): AsyncGenerator<Link> {
  const { entry: text, seq, hash } = auditEntries;
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const links = await reader
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

// This program alone writes the log; `verifyChain` detects other writers.
export function parseEntry({ text }: Pick<Line, 'text'>): Entry {
  return JSON.parse(text);
}
