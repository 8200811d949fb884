/** API keys: created once, stored only as an HMAC whose pepper is outside the database, checked on every request. */

import { createHmac, createSecretKey, randomUUID, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { and, asc, desc, eq, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { KeyEntry, KeySelector } from '../../contract/keys.ts';
import { maxNameLength } from '../../contract/limits.ts';
import { toRepeatable, recall, remember } from '../idempotency.ts';
import {
  characterCount,
  type Clocked,
  type Db,
  transact,
  type Tx,
  type Reader,
} from '../../ports/db/database.ts';
import { apiKeys, tenants } from '../../ports/db/schema.ts';
import { ForensicsError, conflict, forbidden, invalidRequest } from '../../contract/errors.ts';
import { activeTenant } from '../tenants/tenants.ts';
import { newSecret, type Principal, readTag, unauthenticated } from './principal.ts';

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly expiresAt: Date;
  readonly by: Actor;
  /** A repeated request with the same idempotency key creates only one API key. */
  readonly idempotencyKey?: string | null;
}

export interface Rotation extends Omit<NewKey, 'name'> {
  readonly which: KeySelector;
  readonly graceMs: number;
}

export interface Rotated {
  readonly key: KeyEntry;
  readonly replaced: KeyEntry;
  /** Keys replaced by earlier rotations and still in their grace period; they expire no later than `replaced`. */
  readonly earlier: readonly KeyEntry[];
}

export interface Revocation extends Pick<NewKey, 'tenantId' | 'by'> {
  readonly uuid: string;
}

export type Keys = ReturnType<typeof createKeys>;

// The mandatory expiry exists to prevent keys that last forever.
const longestLifeMs = 3650 * 86_400_000;

interface KeyParts extends Clocked {
  readonly digestSecret: (secret: string) => Buffer;
}

export function createKeys({ db, pepper, now }: Clocked & { readonly pepper: Uint8Array }) {
  if (pepper.length < 16) throw new RangeError('pepper must be at least 16 bytes long');
  // A key object is used because Node handles it five times as fast as bytes.
  const pepperKey = createSecretKey(pepper);
  const digestSecret = (secret: string) => createHmac('sha256', pepperKey).update(secret).digest();

  const parts: KeyParts = { db, now, digestSecret };
  return {
    /**
     * Creates a key and returns the only response that contains the whole secret. A repeated request gets the same
     * entry with the secret masked, because the secret is not stored.
     *
     * @throws {ForensicsError} `invalid_request` for a bad name, or an expiry in the past or too far
     *   ahead; `tenant_not_found`; `conflict` for a misused Idempotency-Key.
     */
    mint: (key: NewKey) => mintKey(parts, key),
    /**
     * The old key expires at the end of its grace period, if not sooner. By name, a rotation can be repeated within
     * that time: the newest key is replaced, and earlier ones expire no later than it does.
     *
     * @throws {ForensicsError} as `mint`; `not_found`; `conflict` if the key has a valid successor, or if several valid
     *   keys have the name and none replaced another.
     */
    rotate: (rotation: Rotation) => rotateKey(parts, rotation),
    /** Newest first, without deleted ones. */
    list: async (tenantId: string): Promise<readonly KeyEntry[]> => {
      const at = now();
      return (await findKeys(db, tenantId)).map((key) => toEntry(key, at));
    },
    /** @throws {ForensicsError} `not_found`, also for a key that is already deleted. */
    revoke: (revocation: Revocation) => revokeKey(parts, revocation),
    /** @throws {ForensicsError} `forbidden` for an unknown tag or a deleted key; otherwise `unauthenticated`. */
    authenticate: createAuthentication(parts),
  };
}

async function mintKey(parts: KeyParts, { tenantId, name, expiresAt, by, idempotencyKey }: NewKey) {
  const at = parts.now();
  assertUsable(name, expiresAt, at);
  const request = { act: 'createKey', name, expiresAt };
  const repeatable = toRepeatable(idempotencyKey, { tenantId, request, at });
  return transact(parts.db, async (tx) => {
    const earlier = await recall(tx, repeatable);
    if (earlier !== null) return madeEarlier(tx, tenantId, earlier, at);
    const key = await insert(parts, tx, { tenantId, name, expiresAt, createdAt: at }, by);
    await remember(tx, repeatable, key.uuid);
    return key;
  });
}

async function rotateKey(
  parts: KeyParts,
  { tenantId, which, expiresAt, graceMs, by, idempotencyKey }: Rotation,
): Promise<Rotated> {
  const at = parts.now();
  const request = { act: 'rotateKey', which, expiresAt, graceMs };
  const repeatable = toRepeatable(idempotencyKey, { tenantId, request, at });
  const seen = await findKeys(parts.db, tenantId);
  return transact(parts.db, async (tx): Promise<Rotated> => {
    const done = await recall(tx, repeatable);
    if (done !== null) {
      // As stored below: the new key, the one it replaced, then earlier ones.
      const keys = [];
      for (const uuid of done.split(' ')) keys.push(await madeEarlier(tx, tenantId, uuid, at));
      const [made, former, ...others] = keys;
      return { key: made!, replaced: former!, earlier: others };
    }
    const { key: old, earlier } = keyToReplace(await findKeys(tx, tenantId), which, at);
    if (!seen.some(({ uuid }) => uuid === old.uuid)) throw alreadyReplaced();
    assertUsable(old.name, expiresAt, at);
    const key = await insert(parts, tx, { tenantId, name: old.name, expiresAt, createdAt: at }, by);
    const end = new Date(at.getTime() + graceMs);
    /** Makes it expire at `end` or, if that is earlier, at its own expiry. */
    const replace = async (former: Key): Promise<KeyEntry> => {
      const change = { replacedAt: at, expiresAt: former.expiresAt < end ? former.expiresAt : end };
      await tx.update(apiKeys).set(change).where(eq(apiKeys.uuid, former.uuid)).run();
      const replaced = toEntry({ ...former, ...change }, at);
      const details = { replacedBy: key.uuid, expiresAt: replaced.expiresAt };
      const auditEvent = { event: 'key.rotated', subject: former.uuid, details } as const;
      await append(tx, { chain: tenantId, at, actor: by, ...auditEvent });
      return replaced;
    };
    await remember(tx, repeatable, [key, old, ...earlier].map(({ uuid }) => uuid).join(' '));
    const ended = [];
    for (const one of earlier) ended.push(await replace(one));
    return { key, earlier: ended, replaced: await replace(old) };
  });
}

async function insert(
  { digestSecret }: KeyParts,
  tx: Tx,
  key: Pick<typeof apiKeys.$inferSelect, 'tenantId' | 'name' | 'expiresAt' | 'createdAt'>,
  by: Actor,
): Promise<KeyEntry> {
  const { keyTag: tag } = await activeTenant(tx, key.tenantId);
  const secret = newSecret(tag);
  const hidden = { digest: digestSecret(secret), ending: secret.slice(-4) };
  const fresh = { ...key, uuid: randomUUID(), ...hidden };
  const row = await tx.insert(apiKeys).values(fresh).returning().get();
  const details = { expiresAt: key.expiresAt.toISOString() };
  const auditEvent = { event: 'key.created', subject: row.uuid, details } as const;
  await append(tx, { chain: key.tenantId, at: key.createdAt, actor: by, ...auditEvent });
  return { ...toEntry({ ...row, tag }, key.createdAt), secret };
}

async function revokeKey({ db, now }: Clocked, { tenantId, uuid, by }: Revocation): Promise<void> {
  const which = and(
    eq(apiKeys.tenantId, tenantId),
    eq(apiKeys.uuid, uuid.toLowerCase()),
    isNull(apiKeys.revokedAt),
  );
  const at = now();
  await transact(db, async (tx) => {
    const key = await tx.update(apiKeys).set({ revokedAt: at }).where(which).returning().get();
    if (key === undefined) throw noSuchKey();
    const auditEvent = { event: 'key.revoked', subject: key.uuid, details: {} } as const;
    await append(tx, { chain: tenantId, at, actor: by, ...auditEvent });
  });
}

async function madeEarlier(tx: Tx, tenantId: string, uuid: string, at: Date): Promise<KeyEntry> {
  const [key] = await findKeys(tx, tenantId, eq(apiKeys.uuid, uuid));
  if (key !== undefined) return toEntry(key, at);
  throw conflict('The API key of this Idempotency-Key was deleted; send a new Idempotency-Key.');
}

function assertUsable(name: string, expiresAt: Date, at: Date): void {
  if (name === '' || characterCount(name) > maxNameLength) {
    throw invalidRequest(`A key name must have 1 to ${maxNameLength} characters.`);
  }
  if (!(expiresAt > at)) throw invalidRequest('expiresAt must be a date and time in the future.');
  if (expiresAt.getTime() - at.getTime() > longestLifeMs) {
    throw invalidRequest('expiresAt must be within ten years from now.');
  }
}

// The replacement of a key by a new one, with a grace period during which both are valid.

/**
 * The key that a rotation replaces, and keys of the same name that earlier rotations replaced and that are still in
 * their grace period.
 *
 * @param keys - all of the tenant, newest first.
 * @throws {ForensicsError} as `rotate`.
 */
function keyToReplace(keys: readonly Key[], which: KeySelector, at: Date) {
  const validAs = (wanted: string) =>
    keys.filter(({ name, expiresAt }) => name === wanted && expiresAt > at);
  const isStanding = ({ replacedAt }: Key) => replacedAt === null;
  if ('uuid' in which) {
    const key = keys.find(({ uuid }) => uuid === which.uuid.toLowerCase());
    if (key === undefined) throw noSuchKey();
    if (!isStanding(key) && validAs(key.name).some(isStanding)) throw alreadyReplaced();
    return { key, earlier: [] };
  }
  const valid = validAs(which.name);
  const [standing, another] = valid.filter(isStanding);
  if (another !== undefined) {
    throw conflict('Several valid keys have this name; specify the one you mean by its uuid.');
  }
  // If the newest has been revoked, the one before it is again the current key with that name.
  const key = standing ?? valid[0];
  if (key === undefined) throw noSuchKey();
  return { key, earlier: valid.filter(({ uuid }) => uuid !== key.uuid) };
}

function alreadyReplaced(): ForensicsError {
  return conflict(
    'Another request has already replaced this key; the list of keys shows the new one.',
  );
}

function noSuchKey(): ForensicsError {
  const message = 'API key not found; the list of keys shows the name and uuid of each.';
  return new ForensicsError('not_found', message);
}

type Key = typeof apiKeys.$inferSelect & { readonly tag: string };

/** The tenant's keys that match `which` and are not deleted, newest first. */
async function findKeys(reader: Reader, tenantId: string, which?: SQL): Promise<readonly Key[]> {
  const rows = await reader
    .select({ key: apiKeys, tag: tenants.keyTag })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt), which))
    .orderBy(desc(apiKeys.createdAt), asc(apiKeys.uuid))
    .all();
  return rows.map(({ key, tag }) => ({ ...key, tag }));
}

/** As returned to clients, with its secret masked. */
function toEntry(key: Key, at: Date): KeyEntry {
  return {
    uuid: key.uuid,
    name: key.name,
    createdDate: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedDate: key.lastUsedAt?.toISOString() ?? null,
    ended: key.expiresAt > at ? null : key.replacedAt === null ? 'expired' : 'replaced',
    secret: `sk-${key.tag}-${'*'.repeat(8)}${key.ending}`,
  };
}

// Checks the API key of a request, by its tag and then by its digest.

function createAuthentication({ db, digestSecret, now }: KeyParts) {
  const isKey = and(
    eq(apiKeys.tenantId, tenants.id),
    eq(apiKeys.digest, sql.placeholder('digest')),
  );
  // Finds whether the tag exists, and the key with this digest, if any. Prepared once: it runs on every request.
  const findKey = db
    .select({ tenantId: tenants.id, key: apiKeys })
    .from(tenants)
    .leftJoin(apiKeys, isKey)
    .where(eq(tenants.keyTag, sql.placeholder('tag')))
    .prepare();
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
    if (found === undefined || (isSame && key?.revokedAt != null)) {
      throw forbidden('The API key is unknown.');
    }
    if (key === null || !isSame) throw unauthenticated('The API key is wrong.');
    const at = now();
    if (key.expiresAt <= at) throw unauthenticated('The API key has expired; use a newer one.');
    noteUse(key.uuid, at);
    const rights = { tenantIds: [key.tenantId], scopes: [], userType: null, sessionId: null };
    return { type: 'api', id: key.uuid, ...rights };
  };
}

const minuteMs = 60_000;

/** Notes to the minute when each key was used. No request waits for the write, and one that fails is lost. */
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
