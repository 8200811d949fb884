/** Replacing a key by a new one, with a grace period in which both are valid. */

import { and, asc, desc, eq, gt, inArray, isNull, lte, type SQL } from 'drizzle-orm';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { KeyEntry, KeySelector } from '../../contract/keys.ts';
import type { Reader, Tx } from '../../ports/db/database.ts';
import { apiKeys, tenants } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../errors.ts';
import { keyEntry, masked } from './key-format.ts';

interface Replaceable {
  readonly key: KeyEntry;
  /** Keys of the same name that earlier rotations replaced and that are still valid in their grace period. */
  readonly earlier: readonly KeyEntry[];
}

/**
 * The key that a rotation replaces.
 *
 * @throws {ForensicsError} `not_found`; `conflict` when several keys have the name and none replaced another.
 */
export async function keyToReplace(
  tx: Tx,
  tenantId: string,
  which: KeySelector,
  at: Date,
): Promise<Replaceable> {
  if ('uuid' in which) {
    const isIt = eq(apiKeys.uuid, which.uuid.toLowerCase());
    const [key] = await findKeys(tx, { tenantId, at, which: isIt });
    if (key === undefined) throw noSuchKey();
    return { key, earlier: [] };
  }
  const isMeant = and(eq(apiKeys.name, which.name), gt(apiKeys.expiresAt, at));
  const valid = await findKeys(tx, { tenantId, at, which: isMeant });
  const isStanding = and(isMeant, isNull(apiKeys.replacedAt));
  const [standing, another] = await findKeys(tx, { tenantId, at, which: isStanding });
  if (another !== undefined) {
    throw new ForensicsError(
      'conflict',
      'Several valid keys have this name; name the one you mean by its uuid.',
    );
  }
  // If the newest was revoked, the one before it is the current key of that name again.
  const key = standing ?? valid[0];
  if (key === undefined) throw noSuchKey();
  return { key, earlier: valid.filter(({ uuid }) => uuid !== key.uuid) };
}

interface Replacement {
  readonly tenantId: string;
  readonly by: Actor;
  readonly at: Date;
  readonly end: Date;
  readonly replacedBy: string;
}

/** Marks a key as replaced at `at`, to expire at `end` or, if that is earlier, at its own expiry. */
export async function replace(
  tx: Tx,
  key: KeyEntry,
  { tenantId, by, at, end, replacedBy }: Replacement,
): Promise<KeyEntry> {
  const expiresAt = new Date(Math.min(Date.parse(key.expiresAt), end.getTime()));
  await tx
    .update(apiKeys)
    .set({ replacedAt: at, expiresAt })
    .where(eq(apiKeys.uuid, key.uuid))
    .run();
  const ended = expiresAt > at ? null : 'replaced';
  const replaced: KeyEntry = { ...key, expiresAt: expiresAt.toISOString(), ended };
  const details = { replacedBy, expiresAt: replaced.expiresAt };
  const auditEvent = { event: 'key.rotated', subject: key.uuid, details } as const;
  await append(tx, { chain: tenantId, at, actor: by, ...auditEvent });
  return replaced;
}

export function noSuchKey(): ForensicsError {
  return new ForensicsError(
    'not_found',
    'API key not found; the list of keys shows the name and uuid of each.',
  );
}

/** Removes keys that have expired: they are no longer accepted, but still appear in every list. */
export interface Prune {
  readonly tenantId: string;
  readonly uuids: readonly string[];
  readonly by: Actor;
}

/** Revokes those of the given keys that have expired by then. @returns the revoked keys. */
export async function revokeEnded(
  tx: Tx,
  { tenantId, uuids, by, at }: Prune & { readonly at: Date },
): Promise<readonly KeyEntry[]> {
  const isNamed = and(inArray(apiKeys.uuid, [...uuids]), lte(apiKeys.expiresAt, at));
  const ended = await findKeys(tx, { tenantId, at, which: isNamed });
  const ids = ended.map(({ uuid }) => uuid);
  await tx.update(apiKeys).set({ revokedAt: at }).where(inArray(apiKeys.uuid, ids)).run();
  for (const { uuid: subject } of ended) {
    const auditEvent = { event: 'key.revoked', subject, details: {} } as const;
    await append(tx, { chain: tenantId, at, actor: by, ...auditEvent });
  }
  return ended;
}

export interface KeySearch {
  readonly tenantId: string;
  /** The time at which the entries are shown. */
  readonly at: Date;
  /** All keys when omitted. */
  readonly which?: SQL | undefined;
}

/** The tenant's keys that match `which` and are not deleted; masked, newest first. */
export async function findKeys(
  reader: Reader,
  { tenantId, at, which }: KeySearch,
): Promise<readonly KeyEntry[]> {
  const rows = await reader
    .select({ key: apiKeys, tag: tenants.keyTag })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt), which))
    .orderBy(desc(apiKeys.createdAt), asc(apiKeys.uuid))
    .all();
  return rows.map(({ key, tag }) => keyEntry(key, { secret: masked(tag, key.ending), at }));
}
