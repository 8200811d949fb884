/** The removal of keys that have ended: they open no door any more, and still stand in every list. */

import { inArray, lte } from 'drizzle-orm';
import { append } from '../audit/append.ts';
import type { Actor } from '../audit/entry.ts';
import type { Tx } from '../db/open.ts';
import { apiKeys } from '../db/schema.ts';
import { findKeys } from './find-keys.ts';
import type { KeyEntry } from './key-entry.ts';

export interface Prune {
  readonly tenantId: string;
  readonly uuids: readonly string[];
  readonly by: Actor;
}

/** Of the keys that are named, revokes those that have ended by then. @returns what was revoked. */
export function revokeEnded(
  tx: Tx,
  { tenantId, uuids, by, at }: Prune & { readonly at: Date },
): readonly KeyEntry[] {
  const named = new Set(uuids);
  const ended = findKeys(tx, { tenantId, at, which: lte(apiKeys.expiresAt, at) }).filter(
    ({ uuid }) => named.has(uuid),
  );
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
