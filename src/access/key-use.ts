/** When a key was last used: kept to the minute, and never at the cost of the request that uses it. */

import { setImmediate } from 'node:timers/promises';
import { and, eq, isNull, lt, or } from 'drizzle-orm';
import type { Db } from '../db/open.ts';
import { apiKeys } from '../db/schema.ts';

const minuteMs = 60_000;

export interface KeyUses {
  /** Writes at most once a minute a key, after the request went on. A note that cannot be written is lost. */
  note(uuid: string, at: Date): void;
}

export function createKeyUses({ db }: { readonly db: Db }): KeyUses {
  // One entry a key. Also a note that could not be written counts: a full disk is not asked again with every request.
  const noted = new Map<string, number>();

  async function write(uuid: string, lastUsedAt: Date): Promise<void> {
    await setImmediate();
    const isOlder = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, lastUsedAt));
    db.update(apiKeys)
      .set({ lastUsedAt })
      .where(and(eq(apiKeys.uuid, uuid), isOlder))
      .run();
  }

  return {
    note(uuid, at) {
      const minute = Math.floor(at.getTime() / minuteMs) * minuteMs;
      if (noted.get(uuid) === minute) return;
      noted.set(uuid, minute);
      void write(uuid, new Date(minute)).catch(() => undefined);
    },
  };
}
