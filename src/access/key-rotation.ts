/** The change from one key to the next, with a time in which both are good. */

import { and, eq, gt } from 'drizzle-orm';
import type { Tx } from '../db/open.ts';
import { apiKeys } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import { findKeys } from './key-entry.ts';
import type { KeyEntry } from './key-entry.ts';

/** A name stands for the one key of that name that has not expired. */
export type WhichKey = { readonly uuid: string } | { readonly name: string };

/**
 * The key that a rotation replaces.
 *
 * @throws {ForensicsError} `not_found`; `conflict` when several keys have the name.
 */
export function keyToReplace(tx: Tx, tenantId: string, which: WhichKey, at: Date): KeyEntry {
  const found = findKeys(
    tx,
    tenantId,
    'uuid' in which
      ? eq(apiKeys.uuid, which.uuid)
      : and(eq(apiKeys.name, which.name), gt(apiKeys.expiresAt, at)),
  );
  const [key, another] = found;
  if (key === undefined) throw new ForensicsError('not_found', 'There is no such API key.');
  if (another === undefined) return key;
  throw new ForensicsError(
    'conflict',
    `${found.length} keys of this name are valid; say which one by its uuid.`,
  );
}

/** Brings the end of a key forward to `at`; one that ends earlier anyway is left as it is. */
export function endBy(tx: Tx, key: KeyEntry, at: Date): KeyEntry {
  if (new Date(key.expiresAt) <= at) return key;
  tx.update(apiKeys).set({ expiresAt: at }).where(eq(apiKeys.uuid, key.uuid)).run();
  return { ...key, expiresAt: at.toISOString() };
}
