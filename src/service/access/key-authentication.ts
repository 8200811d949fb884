/** The check of an API key that a request brings: by its tag, then by its digest. */

import { timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../../ports/db/database.ts';
import { apiKeys, tenants } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../errors.ts';
import { readTag } from './key-format.ts';
import { type Principal, unauthenticated } from './principal.ts';

/** @returns `authenticate` as `Keys` promises it. */
export function createKeyAuthentication({
  db,
  digestSecret,
  now,
}: {
  readonly db: Db;
  readonly digestSecret: (secret: string) => Buffer;
  readonly now: () => Date;
}): (secret: string) => Promise<Principal> {
  const findKey = prepareFindKey(db);
  const uses = createKeyUses({ db });

  return async (secret) => {
    const tag = readTag(secret);
    if (tag === null) {
      throw unauthenticated(
        'This is not a well-formed API key; check that the header holds all of it.',
      );
    }
    // Hash first, whatever the tag: the time reveals nothing about which tags exist.
    const digest = digestSecret(secret);
    const found = await findKey.get({ tag, digest });
    const key = found?.key ?? null;
    const isSame = timingSafeEqual(digest, key?.digest ?? Buffer.alloc(digest.length));
    if (found === undefined) throw unknownKey();
    if (key === null || !isSame) throw unauthenticated('The API key is wrong.');
    if (key.revokedAt !== null) throw unknownKey();
    const at = now();
    if (key.expiresAt <= at) throw unauthenticated('The API key has expired; use a newer one.');
    uses.note(key.uuid, at);
    return toPrincipal(key);
  };
}

/** Asked on every request: whether there is such a tag, and its key of that digest when there is one. */
function prepareFindKey(db: Db) {
  const isKey = and(
    eq(apiKeys.tenantId, tenants.id),
    eq(apiKeys.digest, sql.placeholder('digest')),
  );
  return db
    .select({ tenantId: tenants.id, key: apiKeys })
    .from(tenants)
    .leftJoin(apiKeys, isKey)
    .where(eq(tenants.keyTag, sql.placeholder('tag')))
    .prepare();
}

function toPrincipal(key: typeof apiKeys.$inferSelect): Principal {
  return {
    type: 'api',
    id: key.uuid,
    tenantIds: [key.tenantId],
    scopes: [],
    userType: null,
    sessionId: null,
  };
}

function unknownKey(): ForensicsError {
  return new ForensicsError('forbidden', 'The API key is unknown.');
}

const minuteMs = 60_000;

/** When a key was last used: stored to the minute, and never at the cost of the request that uses it. */
interface KeyUses {
  /** Writes at most once a minute a key, after the request went on. A note that cannot be written is lost. */
  note(uuid: string, at: Date): void;
}

function createKeyUses({ db }: { readonly db: Db }): KeyUses {
  // One entry a key. Also a note that could not be written counts: a full disk is not tried again with every request.
  const noted = new Map<string, number>();

  async function write(uuid: string, lastUsedAt: Date): Promise<void> {
    await setImmediate();
    const isOlder = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, lastUsedAt));
    await db
      .update(apiKeys)
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
