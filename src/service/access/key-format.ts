/** How an API key is written: `sk-<tag>-<random><check>`. */

import { randomInt, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import type { KeyEntry } from '../../contract/keys.ts';
import { ForensicsError } from '../../errors.ts';
import type { Db } from '../../ports/db/database.ts';
import { apiKeys, tenants } from '../../ports/db/schema.ts';
import { type Principal, unauthenticated } from './principal.ts';

/** What every key begins with, and no token does. */
export const keyPrefix = 'sk-';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 62^32 = 2^190.5: above the 160 bits that are promised.
const randomLength = 32;
// 62^6 > 2^32: a CRC-32 fits. It finds typing and cutting errors without asking the database; it is no protection.
const checkLength = 6;
const keyPattern = new RegExp(
  `^sk-([a-z0-9]{1,16})-([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checkLength}})$`,
);

/** A new key for the tenant with this tag. */
export function newSecret(tag: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('');
  return `sk-${tag}-${random}${checksum(tag, random)}`;
}

/** The tag of a well-formed key whose check suffix is right; null for anything else. */
export function readTag(secret: string): string | null {
  const parts = keyPattern.exec(secret);
  if (parts === null) return null;
  const [, tag, random, check] = parts;
  return check === checksum(tag!, random!) ? tag! : null;
}

/** The key as it is shown after its first answer. */
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

type Shown = Pick<
  typeof apiKeys.$inferSelect,
  'uuid' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'replacedAt'
>;

interface Showing {
  readonly secret: string;
  readonly at: Date;
}

/** An API key as it is shown: whole in the answer that makes it, masked ever after. */
export function keyEntry(key: Shown, { secret, at }: Showing): KeyEntry {
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

// The check of an API key that a request brings: by its tag, then by its digest.

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
  const noteUse = createUseNotes(db);

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
    noteUse(key.uuid, at);
    const rights = { tenantIds: [key.tenantId], scopes: [], userType: null, sessionId: null };
    return { type: 'api', id: key.uuid, ...rights };
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

function unknownKey(): ForensicsError {
  return new ForensicsError('forbidden', 'The API key is unknown.');
}

const minuteMs = 60_000;

/**
 * When a key was last used: stored to the minute, and never at the cost of the request that uses it. Written at most once a
 * minute a key, after the request went on. A note that cannot be written is lost.
 */
function createUseNotes(db: Db) {
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

  return (uuid: string, at: Date): void => {
    const minute = Math.floor(at.getTime() / minuteMs) * minuteMs;
    if (noted.get(uuid) === minute) return;
    noted.set(uuid, minute);
    void write(uuid, new Date(minute)).catch(() => undefined);
  };
}
