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
import { jsonField, type Reader } from '../../ports/db/database.ts';
import { auditEntries } from '../../ports/db/schema.ts';

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

/**
 * Every act in the log, with its details. Ids, hashes, words of this program and numbers alone:
 * no name, no file name, no comment, no address, no secret. A name that was released is never given another meaning.
 */

type None = Readonly<Record<string, never>>;
/** SHA-256, lower-case hex, by the name of the file. */
export type FileHashes = Readonly<Record<string, string>>;

interface Options {
  readonly model: string;
  readonly decisionStrategy: string;
  readonly tier: string;
  readonly seed: number;
}

export interface EventDetails {
  /** From here on acts are logged; what was done before is not in the log. */
  readonly 'audit.begun': None;

  // The subject is the tenant.
  readonly 'tenant.created': { readonly isTrial: boolean };
  readonly 'tenant.changed': { readonly fields: readonly string[] };
  /** With its keys, which are revoked, and with how many people who were its members. */
  readonly 'tenant.deleted': { readonly keys: number; readonly members: number };
  /** Nothing of it is left but this log. */
  readonly 'tenant.purged': None;
  // The subject is the person.
  readonly 'tenant.member_added': None;
  readonly 'tenant.member_removed': None;
  // The subject is the key.
  readonly 'key.created': { readonly expiresAt: string };
  readonly 'key.rotated': { readonly replacedBy: string; readonly expiresAt: string };
  readonly 'key.revoked': None;

  /** How many settled messages were put back; the subject is the tenant. */
  readonly 'webhook.replayed': { readonly messages: number };

  // In the chain of the service and, but for the first, in those of the person's tenants; the subject is the person.
  readonly 'user.created': UserRights & { readonly identity: 'embedded' | 'provider' };
  readonly 'user.changed': UserRights & { readonly fields: readonly string[] };
  readonly 'user.disabled': None;
  readonly 'user.enabled': None;
  readonly 'user.password_changed': None;
  // In the chain of the service; without a subject.
  readonly 'master_key.rotated': { readonly endsOld: boolean; readonly resealed: number };
  /** Written by 0.1.0 alone, when it found that the write-ahead log was damaged. */
  readonly 'database.recovered': { readonly commits: number };
  /** Of the key that signs bundles: the SHA-256 of the new public key. */
  readonly 'signing_key.rotated': { readonly fingerprint: string };
  /** The SHA-256 of its manifest, which stands for every byte of it. */
  readonly 'backup.created': { readonly manifestSha256: string; readonly holdsKeys: boolean };

  // The subject is the analysis, or the tenant when all of it is on legal hold.
  readonly 'hold.added': None;
  readonly 'hold.removed': None;

  // The subject is the analysis.
  readonly 'analysis.created': Options & {
    readonly format: string;
    readonly width: number;
    readonly height: number;
  };
  /** The upload was read once and copied to where no client can reach it. */
  readonly 'analysis.received': {
    readonly sha256: string;
    readonly md5: string;
    readonly sizeBytes: number;
  };
  readonly 'analysis.begun': None;
  readonly 'analysis.completed': {
    readonly resultClass: string;
    readonly resultSubClasses: readonly string[];
    readonly model: string;
    readonly modelVersion: string;
    readonly modelFiles: FileHashes;
    readonly examinedAt: string;
    /** Of the bytes that were examined. */
    readonly originalSha256: string;
    /** Of the stored examination, as `examinationSha256` in src/service/analyses/examination-row.ts computes it. */
    readonly examinationSha256: string;
    /** Of the heatmaps and reports; null for the tier that has none. */
    readonly outputs: FileHashes | null;
  };
  readonly 'analysis.failed': { readonly code: string };
  /** By the service, after a failed attempt. */
  readonly 'analysis.retried': { readonly retryCount: number };
  /** By a client, after the analysis had failed. */
  readonly 'analysis.restarted': Options;
  readonly 'analysis.rolled_back': None;
  readonly 'analysis.upgraded': {
    readonly outputs: FileHashes;
    /** As above, with what the run had left out; missing in entries of earlier versions, which left out nothing. */
    readonly examinationSha256?: string;
  };
  /** Other bytes lay in the place of the upload after it was read; null when they were too large to be hashed. */
  readonly 'analysis.upload_replaced': { readonly sha256: string | null };
  /** A signed bundle was made: the SHA-256 of its manifest. */
  readonly 'analysis.bundled': { readonly manifestSha256: string };
  /** Names of what was changed: comment, tags, projectId. */
  readonly 'analysis.described': { readonly fields: readonly string[] };
  readonly 'analysis.deleted': { readonly because: 'asked' | 'retention' | 'tenant' };
  readonly 'analysis.purged': None;
}

interface UserRights {
  readonly userType: string;
  readonly scopes: readonly string[];
}

export type EventName = keyof EventDetails;
