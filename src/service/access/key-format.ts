/** The format of an API key: `sk-<tag>-<random><check>`. */

import { randomInt, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { KeyEntry } from '../../contract/keys.ts';
import { ForensicsError, forbidden } from '../../errors.ts';
import type { Clocked, Db } from '../../ports/db/database.ts';
import { apiKeys, tenants } from '../../ports/db/schema.ts';
import { type Principal, unauthenticated } from './principal.ts';

/** Every key begins with this, and no token does. */
export const keyPrefix = 'sk-';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 62^32 = 2^190.5, more than the 160 bits that we promise.
const randomLength = 32;
// 62^6 > 2^32, so a CRC-32 fits. It catches typing and truncation errors without a database query;
// it is not a security measure.
const checkLength = 6;
const keyPattern = new RegExp(
  `^sk-([a-z0-9]{1,16})-([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checkLength}})$`,
);

export function newSecret(tag: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('');
  return `sk-${tag}-${random}${checksum(tag, random)}`;
}

/** The tag of a well-formed key with a valid check suffix; null for anything else. */
export function readTag(secret: string): string | null {
  const parts = keyPattern.exec(secret);
  if (parts === null) return null;
  const [, tag, random, check] = parts;
  return check === checksum(tag!, random!) ? tag! : null;
}

export function masked(tag: string, ending: string): string {
  return `sk-${tag}-${'*'.repeat(8)}${ending}`;
}

function checksum(tag: string, random: string): string {
  let rest = crc32(`sk-${tag}-${random}`);
  let text = '';
  for (let digit = 0; digit < checkLength; digit++) {
    text = alphabet[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** An API key as returned to clients: complete in the response that creates it, and masked from then on. */
export function keyEntry(
  key: Omit<typeof apiKeys.$inferSelect, 'tenantId' | 'digest' | 'ending' | 'revokedAt'>,
  secret: string,
  at: Date,
): KeyEntry {
  return {
    uuid: key.uuid,
    name: key.name,
    createdDate: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedDate: key.lastUsedAt?.toISOString() ?? null,
    ended: key.expiresAt > at ? null : key.replacedAt === null ? 'expired' : 'replaced',
    secret,
  };
}

// Checks the API key of a request, by its tag and then by its digest.

export interface KeyParts extends Clocked {
  readonly digestSecret: (secret: string) => Buffer;
}

/** @returns `authenticate` as documented at `Keys`. */
export function createKeyAuthentication({ db, digestSecret, now }: KeyParts) {
  const findKey = prepareFindKey(db);
  const noteUse = createUseNotes(db);

  return async (secret: string): Promise<Principal> => {
    const tag = readTag(secret);
    if (tag === null) {
      const message =
        'This is not a well-formed API key; check that the header contains all of it.';
      throw unauthenticated(message);
    }
    // Hash first, whatever the tag, so that the time reveals nothing about which tags exist.
    const digest = digestSecret(secret);
    const found = await findKey.get({ tag, digest });
    const key = found?.key ?? null;
    const isSame = timingSafeEqual(digest, key?.digest ?? Buffer.alloc(digest.length));
    if (found === undefined) throw unknownKey();
    if (key === null || !isSame) throw unauthenticated('The API key is wrong.');
    if (key.revokedAt !== null) throw unknownKey();
    const at = now();
    if (key.expiresAt <= at) throw unauthenticated('The API key has expired; use a newer one.');
    noteUse(key.uuid, at);
    const rights = { tenantIds: [key.tenantId], scopes: [], userType: null, sessionId: null };
    return { type: 'api', id: key.uuid, ...rights };
  };
}

/** Finds whether the tag exists, and the key with this digest, if any. Prepared once: it runs on every request. */
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

function unknownKey(): ForensicsError {
  return forbidden('The API key is unknown.');
}

const minuteMs = 60_000;

/**
 * Records when each key was last used, to the minute, with at most one write a minute per key. The
 * request that uses the key does not wait for the write. A write that fails is lost.
 */
function createUseNotes(db: Db) {
  // One entry per key. A failed write counts too, so that a full disk is not retried on every request.
  const noted = new Map<string, number>();

  async function write(uuid: string, lastUsedAt: Date): Promise<void> {
    await setImmediate();
    const isOlder = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, lastUsedAt));
    const which = and(eq(apiKeys.uuid, uuid), isOlder);
    await db.update(apiKeys).set({ lastUsedAt }).where(which).run();
  }

  return (uuid: string, at: Date): void => {
    const minute = Math.floor(at.getTime() / minuteMs) * minuteMs;
    if (noted.get(uuid) === minute) return;
    noted.set(uuid, minute);
    void write(uuid, new Date(minute)).catch(() => undefined);
  };
}
