/**
 * Audit log entries and their hash chain. An entry is one line of JSON in RFC 8785 form, and its
 * hash is the SHA-256 of the line's UTF-8 bytes. Each entry holds the hash of the previous one; the
 * first holds 64 zeros. Changing a line therefore changes all later ones, which anyone with a copy
 * of the last hash can detect by recomputing the chain:
 *
 * sed -n 1p log.jsonl | tr -d '\n' | sha256sum    # equals "previous" in line 2
 */

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { and, asc, desc, eq, gt, gte, lt, sql } from 'drizzle-orm';
import type { AnalysisOptions } from '../../contract/analysis.ts';
import type { Wire } from '../../contract/common.ts';
import type { auditQuery } from '../../contract/tenant.ts';
import { jsonField, type Reader } from '../../ports/db/database.ts';
import { auditEntries } from '../../ports/db/schema.ts';

/** Who acted. `operator` is any user of the command line on the machine with the data folder. */
export interface Actor {
  readonly type: 'user' | 'api' | 'service' | 'operator';
  /** Id of the person, UUID of the API key; null for the others. */
  readonly id: string | null;
}

export const operator: Actor = { type: 'operator', id: null };
export const service: Actor = { type: 'service', id: null };

/** The chain for events of the service itself; every other chain is named by its tenant's id. */
export const serviceChain = 'service';

/** Stands for the previous hash in the first entry, and for the last hash of an empty chain. */
export const noHash = '0'.repeat(64);

export interface Note<E extends EventName = EventName> {
  readonly chain: string;
  readonly at: Date;
  readonly actor: Actor;
  readonly event: E;
  /** Id of the object of the event. */
  readonly subject: string | null;
  readonly details: EventDetails[E];
}

type Entry = { readonly [E in EventName]: EntryOf<E> }[EventName];

export interface EntryOf<E extends EventName> extends Omit<Note<E>, 'at'> {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  /** Number within the chain, from 1 without gaps. */
  readonly seq: number;
  readonly previous: string;
}

export interface Line {
  readonly text: string;
  readonly hash: string;
}

export function toLine(entry: EntryOf<EventName>): Line {
  const text = canonicalize(entry);
  if (text === undefined) throw new TypeError('an entry must be an object');
  return { text, hash: hashText(text) };
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** With `limit`, only this many of the newest entries, newest first; otherwise all entries, oldest first. */
export interface Selection extends Omit<Wire<typeof auditQuery>, 'tenantName' | 'from' | 'to'> {
  readonly chain: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** Each line exactly as written. */
export async function readLines(
  reader: Reader,
  { chain, event, subject, from, to, before, limit }: Selection,
): Promise<readonly Line[]> {
  const { entry: text, seq, hash } = auditEntries;
  const name = jsonField(reader, text, 'event');
  const at = jsonField(reader, text, 'at');
  const isGroup = event !== undefined && !event.includes('.');
  const isWanted = and(
    eq(auditEntries.chain, chain),
    before === undefined ? undefined : lt(seq, before),
    subject === undefined ? undefined : eq(jsonField(reader, text, 'subject'), subject),
    event === undefined || isGroup ? undefined : eq(name, event),
    isGroup ? eq(sql`substr(${name}, 1, ${event.length + 1})`, `${event}.`) : undefined,
    from && gte(at, from.toISOString()),
    to && lt(at, to.toISOString()),
  );
  const lines = reader.select({ text, hash }).from(auditEntries).where(isWanted);
  return limit === undefined
    ? lines.orderBy(asc(seq)).all()
    : lines.orderBy(desc(seq)).limit(limit).all();
}

export interface Link extends Line {
  readonly seq: number;
}

// Reads a few hundred kilobytes at a time.
const batch = 1000;

/** Reads the whole chain in order, without ever holding all of it in memory. */
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

// Only this program writes the log; `verifyChain` detects any other writer.
export function parseEntry({ text }: Pick<Line, 'text'>): Entry {
  return JSON.parse(text);
}

/** Details hold only ids, hashes, numbers and our own words, never names. A released event keeps its meaning. */

type None = Readonly<Record<string, never>>;
/** SHA-256 in lower-case hex, by file name. */
export type FileHashes = Readonly<Record<string, string>>;

export interface EventDetails {
  /** Events are logged from this point on; earlier ones are not in the log. */
  readonly 'audit.begun': None;

  // The subject is the tenant.
  readonly 'tenant.created': { readonly isTrial: boolean };
  readonly 'tenant.changed': { readonly fields: readonly string[] };
  /** The tenant's keys were revoked and its members removed; the details count both. */
  readonly 'tenant.deleted': { readonly keys: number; readonly members: number };
  /** Nothing remains of the tenant except this log. */
  readonly 'tenant.purged': None;
  // The subject is the person.
  readonly 'tenant.member_added': None;
  readonly 'tenant.member_removed': None;
  // The subject is the key.
  readonly 'key.created': { readonly expiresAt: string };
  readonly 'key.rotated': { readonly replacedBy: string; readonly expiresAt: string };
  readonly 'key.revoked': None;

  /** How many settled messages were queued again; the subject is the tenant. */
  readonly 'webhook.replayed': { readonly messages: number };

  // In the service's chain and, except for the first, in the chains of the person's tenants; the subject is the person.
  readonly 'user.created': UserRights & { readonly identity: 'embedded' | 'provider' };
  readonly 'user.changed': UserRights & { readonly fields: readonly string[] };
  readonly 'user.disabled': None;
  readonly 'user.enabled': None;
  readonly 'user.password_changed': None;
  // In the service's chain, without a subject.
  readonly 'master_key.rotated': { readonly endsOld: boolean; readonly resealed: number };
  /** Written only by 0.1.0, after it found a damaged write-ahead log. */
  readonly 'database.recovered': { readonly commits: number };
  /** SHA-256 of the new public key for signing bundles. */
  readonly 'signing_key.rotated': { readonly fingerprint: string };
  /** SHA-256 of the backup's manifest, which covers every byte of the backup. */
  readonly 'backup.created': { readonly manifestSha256: string; readonly holdsKeys: boolean };

  // The subject is the analysis, or the tenant if all of it is on legal hold.
  readonly 'hold.added': None;
  readonly 'hold.removed': None;

  // The subject is the analysis.
  readonly 'analysis.created': AnalysisOptions &
    Readonly<{ format: string; width: number; height: number }>;
  /** The upload was read once and copied to where no client can reach it. */
  readonly 'analysis.received': Readonly<{ sha256: string; md5: string; sizeBytes: number }>;
  readonly 'analysis.begun': None;
  readonly 'analysis.completed': {
    readonly resultClass: string;
    readonly resultSubClasses: readonly string[];
    readonly model: string;
    readonly modelVersion: string;
    readonly modelFiles: FileHashes;
    readonly examinedAt: string;
    /** SHA-256 of the bytes that were examined. */
    readonly originalSha256: string;
    /** SHA-256 of the stored examination, as `examinationSha256` in src/service/analyses/examination-row.ts computes it. */
    readonly examinationSha256: string;
    /** Hashes of the heatmaps and reports; null for the tier without any. */
    readonly outputs: FileHashes | null;
  };
  readonly 'analysis.failed': { readonly code: string };
  readonly 'analysis.retried': { readonly retryCount: number };
  readonly 'analysis.restarted': AnalysisOptions;
  readonly 'analysis.rolled_back': None;
  readonly 'analysis.upgraded': {
    readonly outputs: FileHashes;
    /** As above, with what the run had left out. Earlier versions left nothing out, so their entries lack it. */
    readonly examinationSha256?: string;
  };
  /** The upload was replaced by other bytes after it was read; null if the new bytes were too large to hash. */
  readonly 'analysis.upload_replaced': { readonly sha256: string | null };
  /** A signed bundle was made. The hash is the SHA-256 of its manifest. */
  readonly 'analysis.bundled': { readonly manifestSha256: string };
  /** A signed archive of a case was made. The name of the case is not logged, and there is no subject. */
  readonly 'case.bundled': { readonly manifestSha256: string; readonly pictures: number };
  /** Names of the changed members: comment, tags, projectId. */
  readonly 'analysis.described': { readonly fields: readonly string[] };
  readonly 'analysis.deleted': { readonly because: 'asked' | 'retention' | 'tenant' };
  readonly 'analysis.purged': None;
}

interface UserRights {
  readonly userType: string;
  readonly scopes: readonly string[];
}

export type EventName = keyof EventDetails;
