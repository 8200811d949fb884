/**
 * API keys: created once, stored only as an HMAC, checked on every request. The pepper is outside
 * the database, so a stolen database file gives no access.
 */

import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { and, eq, isNotNull, isNull, asc, desc, gt, type SQL } from 'drizzle-orm';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { KeyEntry, KeySelector } from '../../contract/keys.ts';
import { maxNameLength } from '../../contract/limits.ts';
import { toRepeatable, recall, remember } from '../idempotency.ts';
import {
  characterCount,
  type Clocked,
  transact,
  type Tx,
  type Reader,
} from '../../ports/db/database.ts';
import { apiKeys, tenants } from '../../ports/db/schema.ts';
import { ForensicsError, conflict, invalidRequest } from '../../errors.ts';
import {
  createKeyAuthentication,
  keyEntry,
  type KeyParts,
  newSecret,
  masked,
} from './key-format.ts';
import { activeTenant } from '../tenants/tenants.ts';

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
     * Creates a new key of the same name, and makes the old one expire at the end of its grace
     * period if not sooner. When the key is given by name, this can be repeated within the grace
     * period: the newest key is replaced, and earlier ones expire no later than it does. A repeated
     * request gets the same keys in their current state, with the secret masked.
     *
     * @throws {ForensicsError} as `mint`; `not_found`; `conflict` if the key has a valid successor,
     *   or if several valid keys have the name and none replaced another.
     */
    rotate: (rotation: Rotation) => rotateKey(parts, rotation),
    /** Newest first, without deleted ones. */
    list: async (tenantId: string) => findKeys(db, { tenantId, at: now() }),
    /** @throws {ForensicsError} `not_found`, also for a key that is already deleted. */
    revoke: (revocation: Revocation) => revokeKey(parts, revocation),
    /**
     * Identifies the owner of a key.
     *
     * @throws {ForensicsError} `forbidden` for an unknown tag or a deleted key; `unauthenticated` for
     *   a malformed or expired key and for a wrong secret under a known tag.
     */
    authenticate: createKeyAuthentication(parts),
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
  const seen = await findKeys(parts.db, { tenantId, at });
  return transact(parts.db, async (tx): Promise<Rotated> => {
    const done = await recall(tx, repeatable);
    if (done !== null) {
      // As stored below: the new key, the one it replaced, then earlier ones.
      const keys = [];
      for (const uuid of done.split(' ')) keys.push(await madeEarlier(tx, tenantId, uuid, at));
      const [made, former, ...others] = keys;
      return { key: made!, replaced: former!, earlier: others };
    }
    const { key: old, earlier } = await keyToReplace(tx, tenantId, which, at);
    if (!seen.some(({ uuid }) => uuid === old.uuid)) throw alreadyReplaced();
    assertUsable(old.name, expiresAt, at);
    const key = await insert(parts, tx, { tenantId, name: old.name, expiresAt, createdAt: at }, by);
    const end = new Date(at.getTime() + graceMs);
    const change = { tenantId, by, at, end, replacedBy: key.uuid };
    await remember(tx, repeatable, [key, old, ...earlier].map(({ uuid }) => uuid).join(' '));
    const ended = [];
    for (const one of earlier) ended.push(await replace(tx, one, change));
    const replaced = await replace(tx, old, change);
    return { key, earlier: ended, replaced };
  });
}

async function insert(
  { digestSecret }: KeyParts,
  tx: Tx,
  key: Pick<typeof apiKeys.$inferSelect, 'tenantId' | 'name' | 'expiresAt' | 'createdAt'>,
  by: Actor,
): Promise<KeyEntry> {
  const tenant = await activeTenant(tx, key.tenantId);
  const secret = newSecret(tenant.keyTag);
  const row = { ...key, uuid: randomUUID(), lastUsedAt: null, replacedAt: null };
  const stored = { ...row, digest: digestSecret(secret), ending: secret.slice(-4) };
  await tx.insert(apiKeys).values(stored).run();
  const details = { expiresAt: key.expiresAt.toISOString() };
  const auditEvent = { event: 'key.created', subject: row.uuid, details } as const;
  await append(tx, { chain: key.tenantId, at: key.createdAt, actor: by, ...auditEvent });
  return keyEntry(row, secret, key.createdAt);
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
  const [key] = await findKeys(tx, { tenantId, at, which: eq(apiKeys.uuid, uuid) });
  if (key !== undefined) return key;
  throw conflict('The API key of this Idempotency-Key was deleted; send a new Idempotency-Key.');
}

function assertUsable(name: string, expiresAt: Date, at: Date): void {
  if (name === '' || characterCount(name) > maxNameLength) {
    throw invalidRequest(`A key name must have 1 to ${maxNameLength} characters.`);
  }
  if (!(expiresAt > at)) {
    throw invalidRequest('expiresAt must be a date and time in the future.');
  }
  if (expiresAt.getTime() - at.getTime() > longestLifeMs) {
    throw invalidRequest('expiresAt must be within ten years from now.');
  }
}

// The replacement of a key by a new one, with a grace period during which both are valid.

/**
 * The key that a rotation replaces, and keys of the same name that earlier rotations replaced and that are still in
 * their grace period. @throws {ForensicsError} as `rotate`.
 */
async function keyToReplace(tx: Tx, tenantId: string, which: KeySelector, at: Date) {
  const find = (...conditions: readonly SQL[]) =>
    findKeys(tx, { tenantId, at, which: and(...conditions) });
  const isValidAs = (name: string) => [eq(apiKeys.name, name), gt(apiKeys.expiresAt, at)];
  const isStanding = isNull(apiKeys.replacedAt);
  if ('uuid' in which) {
    const isIt = eq(apiKeys.uuid, which.uuid.toLowerCase());
    const [key] = await find(isIt);
    if (key === undefined) throw noSuchKey();
    const [replaced] = await find(isIt, isNotNull(apiKeys.replacedAt));
    const [successor] = await find(...isValidAs(key.name), isStanding);
    if (replaced !== undefined && successor !== undefined) throw alreadyReplaced();
    return { key, earlier: [] };
  }
  const valid = await find(...isValidAs(which.name));
  const [standing, another] = await find(...isValidAs(which.name), isStanding);
  if (another !== undefined) {
    throw conflict('Several valid keys have this name; specify the one you mean by its uuid.');
  }
  // If the newest has been revoked, the one before it is again the current key with that name.
  const key = standing ?? valid[0];
  if (key === undefined) throw noSuchKey();
  return { key, earlier: valid.filter(({ uuid }) => uuid !== key.uuid) };
}

interface Replacement extends Pick<NewKey, 'tenantId' | 'by'> {
  readonly at: Date;
  readonly end: Date;
  readonly replacedBy: string;
}

/** Marks a key as replaced at `at`, to expire at `end` or, if that is earlier, at its own expiry. */
async function replace(
  tx: Tx,
  key: KeyEntry,
  { tenantId, by, at, end, replacedBy }: Replacement,
): Promise<KeyEntry> {
  const expiresAt = new Date(Math.min(Date.parse(key.expiresAt), end.getTime()));
  const isIt = eq(apiKeys.uuid, key.uuid);
  await tx.update(apiKeys).set({ replacedAt: at, expiresAt }).where(isIt).run();
  const ended = expiresAt > at ? null : 'replaced';
  const replaced: KeyEntry = { ...key, expiresAt: expiresAt.toISOString(), ended };
  const details = { replacedBy, expiresAt: replaced.expiresAt };
  const auditEvent = { event: 'key.rotated', subject: key.uuid, details } as const;
  await append(tx, { chain: tenantId, at, actor: by, ...auditEvent });
  return replaced;
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

interface KeySearch {
  readonly tenantId: string;
  /** The time at which the entries are shown. */
  readonly at: Date;
  readonly which?: SQL | undefined;
}

/** The tenant's keys that match `which` and are not deleted; masked, newest first. */
async function findKeys(
  reader: Reader,
  { tenantId, at, which }: KeySearch,
): Promise<readonly KeyEntry[]> {
  const rows = await reader
    .select({ key: apiKeys, tag: tenants.keyTag })
    .from(apiKeys)
    .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
    .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt), which))
    .orderBy(desc(apiKeys.createdAt), asc(apiKeys.uuid))
    .all();
  return rows.map(({ key, tag }) => keyEntry(key, masked(tag, key.ending), at));
}
