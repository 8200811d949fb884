import { and, asc, desc, eq, isNull, type SQL } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { apiKeys, tenants } from '../db/schema.ts';
import { keyEntry, type KeyEntry } from './key-entry.ts';
import { masked } from './key-format.ts';

export interface KeySearch {
  readonly tenantId: string;
  /** The moment that the entries tell of. */
  readonly at: Date;
  /** All when left out. */
  readonly which?: SQL | undefined;
}

/** The tenant's keys that are `which` and not deleted, masked, newest first. */
export function findKeys(reader: Reader, { tenantId, at, which }: KeySearch): readonly KeyEntry[] {
  return reader
    .select({ key: apiKeys, tag: tenants.keyTag })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt), which))
    .orderBy(desc(apiKeys.createdAt), asc(apiKeys.uuid))
    .all()
    .map(({ key, tag }) => keyEntry(key, { secret: masked(tag, key.ending), at }));
}
