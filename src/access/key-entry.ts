/** An API key as it is shown: whole in the answer that makes it, masked ever after. */

import { and, asc, desc, eq, isNull, type SQL } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { apiKeys, tenants } from '../db/schema.ts';
import { masked } from './key-format.ts';

export interface KeyEntry {
  readonly uuid: string;
  readonly name: string;
  readonly createdDate: string;
  readonly expiresAt: string;
  /** To the minute; null for a key that was never used. */
  readonly lastUsedDate: string | null;
  readonly secret: string;
}

type Shown = Pick<
  typeof apiKeys.$inferSelect,
  'uuid' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedAt'
>;

export function keyEntry(key: Shown, secret: string): KeyEntry {
  return {
    uuid: key.uuid,
    name: key.name,
    createdDate: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedDate: key.lastUsedAt?.toISOString() ?? null,
    secret,
  };
}

/** The tenant's keys that are `which` and not deleted, masked, newest first. */
export function findKeys(reader: Reader, tenantId: string, which?: SQL): readonly KeyEntry[] {
  return reader
    .select({ key: apiKeys, tag: tenants.keyTag })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt), which))
    .orderBy(desc(apiKeys.createdAt), asc(apiKeys.uuid))
    .all()
    .map(({ key, tag }) => keyEntry(key, masked(tag, key.ending)));
}
