/** An API key as it is shown: whole in the answer that makes it, masked ever after. */

import { and, asc, desc, eq, isNull, type SQL } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { apiKeys, tenants } from '../db/schema.ts';
import { masked } from './key-format.ts';

export const keyEnds = ['expired', 'replaced'] as const;
export type KeyEnd = (typeof keyEnds)[number];

export interface KeyEntry {
  readonly uuid: string;
  readonly name: string;
  readonly createdDate: string;
  readonly expiresAt: string;
  /** To the minute; null for a key that was never used. */
  readonly lastUsedDate: string | null;
  /** Why it opens no door any more, `replaced` by a rotation whose grace is over; null while it is good. It never is again. */
  readonly ended: KeyEnd | null;
  readonly secret: string;
}

type Shown = Pick<
  typeof apiKeys.$inferSelect,
  'uuid' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'replacedAt'
>;

interface Showing {
  readonly secret: string;
  readonly at: Date;
}

export function keyEntry(key: Shown, { secret, at }: Showing): KeyEntry {
  return {
    uuid: key.uuid,
    name: key.name,
    createdDate: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedDate: key.lastUsedAt?.toISOString() ?? null,
    ended: endOf(key, at),
    secret,
  };
}

function endOf({ expiresAt, replacedAt }: Shown, at: Date): KeyEnd | null {
  if (expiresAt > at) return null;
  return replacedAt === null ? 'expired' : 'replaced';
}

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
