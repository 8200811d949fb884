/**
 * API keys: minted once, stored only as an HMAC, checked on every request. The pepper lives outside the database, so a
 * stolen database file gives no access.
 */

import { createHmac, createSecretKey, randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import type { Actor } from '../audit/entry.ts';
import { append } from '../audit/log.ts';
import type { KeyEntry, WhichKey } from '../../contract/keys.ts';
import { maxNameLength } from '../../contract/limits.ts';
import { recall, remember, type Repeatable } from '../idempotency.ts';
import { characterCount, type Db, transact, type Tx } from '../../ports/db/database.ts';
import { apiKeys } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../errors.ts';
import { createKeyAuthentication, keyEntry, newSecret } from './key-format.ts';
import {
  findKeys,
  type KeySearch,
  keyToReplace,
  noSuchKey,
  type Prune,
  replace,
  revokeEnded,
} from './key-rotation.ts';
import type { Principal } from './principal.ts';
import { activeTenant } from '../tenants/tenants.ts';

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly expiresAt: Date;
  readonly by: Actor;
  /** The same request under the same key of this kind makes one API key. */
  readonly idempotencyKey?: string | null;
}

interface Rotation {
  readonly tenantId: string;
  readonly which: WhichKey;
  /** End of the new key. */
  readonly expiresAt: Date;
  /** How long the old key stays good, at most. */
  readonly graceMs: number;
  readonly by: Actor;
  /** As above. */
  readonly idempotencyKey?: string | null;
}

export interface Rotated {
  readonly key: KeyEntry;
  readonly replaced: KeyEntry;
  /** Those that earlier rotations replaced and that were still in their grace; they end no later than `replaced`. */
  readonly earlier: readonly KeyEntry[];
}

interface Revocation {
  readonly tenantId: string;
  readonly uuid: string;
  readonly by: Actor;
}

export interface Keys {
  /**
   * The only answer that holds the whole secret. A repeated request gets the same entry with the secret masked: what
   * was revealed once is not stored.
   *
   * @throws {ForensicsError} `invalid_request` for a bad name or an expiry that is not ahead or too far, `tenant_not_found`,
   * `conflict` for a misused Idempotency-Key.
   */
  mint(key: NewKey): Promise<KeyEntry>;
  /** Newest first, deleted ones left out. */
  list(tenantId: string): Promise<readonly KeyEntry[]>;
  /** @throws {ForensicsError} `not_found`, also for a key that was deleted before. */
  revoke(revocation: Revocation): Promise<void>;
  /** Revokes those of the named keys that have ended; a living one is never touched. */
  prune(prune: Prune): Promise<readonly KeyEntry[]>;
  /**
   * A new key of the same name, and the end of the old one brought forward to the end of its grace. By name it can be
   * repeated within the grace: the newest key is replaced, and those before it end no later than that one. A repeated
   * request gets the same keys as they are by then, the secret masked.
   *
   * @throws {ForensicsError} what `mint` throws; `not_found`; `conflict` when several valid keys have the name and
   * no rotation made them one another's successors.
   */
  rotate(rotation: Rotation): Promise<Rotated>;
  /**
   * Whose key this is.
   *
   * @throws {ForensicsError} `forbidden` for an unknown tag or a deleted key; `unauthenticated` for a malformed or
   * expired key and for a wrong secret under a known tag.
   */
  authenticate(secret: string): Promise<Principal>;
}

type KeyRow = typeof apiKeys.$inferSelect;
type NewRow = Pick<KeyRow, 'tenantId' | 'name' | 'expiresAt' | 'createdAt'>;

// A key for ever is what the mandatory expiry is there to prevent.
const longestLifeMs = 3650 * 86_400_000;

export function createKeys({ db, pepper, now }: KeysParts): Keys {
  if (pepper.length < 16) throw new RangeError('pepper must have at least 16 bytes');
  // A key object, not bytes: Node takes it five times as fast.
  const pepperKey = createSecretKey(pepper);
  const digestSecret = (secret: string) => createHmac('sha256', pepperKey).update(secret).digest();

  const parts: Parts = { db, now, digestSecret };
  return {
    mint: (key) => mintKey(parts, key),
    rotate: (rotation) => rotateKey(parts, rotation),
    list: async (tenantId) => findKeys(db, { tenantId, at: now() }),
    revoke: (revocation) => revokeKey(parts, revocation),
    prune: async (prune) => transact(db, (tx) => revokeEnded(tx, { ...prune, at: now() })),
    authenticate: createKeyAuthentication(parts),
  };
}

interface KeysParts {
  readonly db: Db;
  readonly pepper: Uint8Array;
  readonly now: () => Date;
}

interface Parts extends Omit<KeysParts, 'pepper'> {
  readonly digestSecret: (secret: string) => Buffer;
}

async function mintKey(
  parts: Parts,
  { tenantId, name, expiresAt, by, idempotencyKey = null }: NewKey,
): Promise<KeyEntry> {
  const at = parts.now();
  assertUsable(name, expiresAt, at);
  const request = { act: 'createKey', name, expiresAt };
  const repeatable = toRepeatable({ tenantId, idempotencyKey, request, at });
  return transact(parts.db, async (tx) => {
    const earlier = await recall(tx, repeatable);
    if (earlier !== null) return madeEarlier(tx, { tenantId, at, uuid: earlier });
    const key = await insert(parts, tx, { tenantId, name, expiresAt, createdAt: at }, by);
    await remember(tx, repeatable, key.uuid);
    return key;
  });
}

async function rotateKey(
  parts: Parts,
  { tenantId, which, expiresAt, graceMs, by, idempotencyKey = null }: Rotation,
): Promise<Rotated> {
  const at = parts.now();
  const request = { act: 'rotateKey', which, expiresAt, graceMs };
  const repeatable = toRepeatable({ tenantId, idempotencyKey, request, at });
  return transact(parts.db, async (tx): Promise<Rotated> => {
    const done = await recall(tx, repeatable);
    if (done !== null) return rotatedEarlier(tx, { tenantId, at, uuids: done });
    const { key: old, earlier } = await keyToReplace(tx, tenantId, which, at);
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

async function insert({ digestSecret }: Parts, tx: Tx, key: NewRow, by: Actor): Promise<KeyEntry> {
  const tenant = await activeTenant(tx, key.tenantId);
  const secret = newSecret(tenant.keyTag);
  const row = { ...key, uuid: randomUUID(), lastUsedAt: null, replacedAt: null };
  await tx
    .insert(apiKeys)
    .values({ ...row, digest: digestSecret(secret), ending: secret.slice(-4) })
    .run();
  const details = { expiresAt: key.expiresAt.toISOString() };
  const told = { event: 'key.created', subject: row.uuid, details } as const;
  await append(tx, { chain: key.tenantId, at: key.createdAt, actor: by, ...told });
  return keyEntry(row, { secret, at: key.createdAt });
}

async function revokeKey({ db, now }: Parts, { tenantId, uuid, by }: Revocation): Promise<void> {
  const which = and(
    eq(apiKeys.tenantId, tenantId),
    eq(apiKeys.uuid, uuid.toLowerCase()),
    isNull(apiKeys.revokedAt),
  );
  const at = now();
  await transact(db, async (tx) => {
    const key = await tx.update(apiKeys).set({ revokedAt: at }).where(which).returning().get();
    if (key === undefined) throw noSuchKey();
    const told = { event: 'key.revoked', subject: key.uuid, details: {} } as const;
    await append(tx, { chain: tenantId, at, actor: by, ...told });
  });
}

interface Asked extends Pick<NewKey, 'tenantId'> {
  readonly idempotencyKey: string | null;
  readonly request: unknown;
  readonly at: Date;
}

function toRepeatable({ idempotencyKey: key, ...asked }: Asked): Repeatable | null {
  return key === null ? null : { ...asked, key };
}

interface Earlier extends Pick<KeySearch, 'tenantId' | 'at'> {
  readonly uuid: string;
}

async function madeEarlier(tx: Tx, { uuid, ...search }: Earlier): Promise<KeyEntry> {
  const [key] = await findKeys(tx, { ...search, which: eq(apiKeys.uuid, uuid) });
  if (key !== undefined) return key;
  throw new ForensicsError(
    'conflict',
    'The API key of this Idempotency-Key was deleted; send a new Idempotency-Key.',
  );
}

/** @param uuids - as `rotate` remembered them: the new key, the one it replaced, those before. */
async function rotatedEarlier(
  tx: Tx,
  { uuids, ...search }: Omit<Earlier, 'uuid'> & { readonly uuids: string },
): Promise<Rotated> {
  const keys = [];
  for (const uuid of uuids.split(' ')) keys.push(await madeEarlier(tx, { ...search, uuid }));
  const [key, replaced, ...earlier] = keys;
  return { key: key!, replaced: replaced!, earlier };
}

function assertUsable(name: string, expiresAt: Date, at: Date): void {
  if (name === '' || characterCount(name) > maxNameLength) {
    throw new ForensicsError(
      'invalid_request',
      `The name of a key must have 1 to ${maxNameLength} characters.`,
    );
  }
  if (!(expiresAt > at)) {
    throw new ForensicsError('invalid_request', 'expiresAt must be a date and time in the future.');
  }
  if (expiresAt.getTime() - at.getTime() > longestLifeMs) {
    throw new ForensicsError('invalid_request', 'expiresAt must be within ten years from now.');
  }
}
