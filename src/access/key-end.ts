/** Keys that have ended: they open no door any more, and still stand in every list. */

import { and, inArray, isNotNull, isNull, lte } from 'drizzle-orm';
import { append } from '../audit/append.ts';
import type { Actor } from '../audit/entry.ts';
import type { Reader, Tx } from '../db/open.ts';
import { apiKeys } from '../db/schema.ts';
import { findKeys } from './key-entry.ts';
import type { KeyEntry } from './key-entry.ts';

export interface EndedKey extends KeyEntry {
  /** `replaced`: by a rotation, and its grace is over. */
  readonly because: 'expired' | 'replaced';
}

export interface Prune {
  readonly tenantId: string;
  readonly uuids: readonly string[];
  readonly by: Actor;
}

/** Those that expired, then those that were replaced; both newest first. */
export function findEnded(reader: Reader, tenantId: string, at: Date): readonly EndedKey[] {
  const hasEnded = lte(apiKeys.expiresAt, at);
  const expired = findKeys(reader, tenantId, and(hasEnded, isNull(apiKeys.replacedAt)));
  const replaced = findKeys(reader, tenantId, and(hasEnded, isNotNull(apiKeys.replacedAt)));
  return [
    ...expired.map((key) => ({ ...key, because: 'expired' as const })),
    ...replaced.map((key) => ({ ...key, because: 'replaced' as const })),
  ];
}

/** Of the keys that are named, revokes those that have ended by then. @returns what was revoked. */
export function revokeEnded(
  tx: Tx,
  { tenantId, uuids, by, at }: Prune & { readonly at: Date },
): readonly EndedKey[] {
  const named = new Set(uuids);
  const ended = findEnded(tx, tenantId, at).filter(({ uuid }) => named.has(uuid));
  const which = inArray(
    apiKeys.uuid,
    ended.map(({ uuid }) => uuid),
  );
  tx.update(apiKeys).set({ revokedAt: at }).where(which).run();
  for (const { uuid: subject } of ended) {
    append(tx, { chain: tenantId, at, actor: by, event: 'key.revoked', subject, details: {} });
  }
  return ended;
}
