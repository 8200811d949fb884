/** An API key as it is shown: whole in the answer that makes it, masked ever after. */

import type { apiKeys } from '../db/schema.ts';
import type { KeyEnd } from '../contract/vocabulary.ts';

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
