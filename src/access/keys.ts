/**
 * API keys: minted once, stored only as an HMAC, checked on every request. The pepper lives outside the database, so a
 * stolen database file opens no door.
 */

import { createHmac, randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { append } from '../audit/append.ts';
import type { Actor } from '../audit/entry.ts';
import { recall, remember } from '../db/idempotency.ts';
import { type Db, transact, type Tx } from '../db/open.ts';
import { apiKeys, tenants } from '../db/schema.ts';
import { characterCount } from '../db/text.ts';
import { ForensicsError } from '../errors.ts';
import { createKeyAuthentication } from './key-authentication.ts';
import { findEnded, revokeEnded } from './key-end.ts';
import type { EndedKey, Prune } from './key-end.ts';
import { findKeys, keyEntry } from './key-entry.ts';
import type { KeyEntry } from './key-entry.ts';
import { newSecret } from './key-format.ts';
import { keyToReplace, replace } from './key-rotation.ts';
import type { WhichKey } from './key-rotation.ts';
import type { Principal } from './principal.ts';

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly expiresAt: Date;
  readonly by: Actor;
  /** The same request under the same key of this kind makes one API key. */
  readonly idempotencyKey?: string | null;
}

export interface Rotation {
  readonly tenantId: string;
  readonly which: WhichKey;
  /** End of the new key. */
  readonly expiresAt: Date;
  /** How long the old key stays good, at most. */
  readonly graceMs: number;
  readonly by: Actor;
}

export interface Revocation {
  readonly tenantId: string;
  readonly uuid: string;
  readonly by: Actor;
}

export interface Keys {
  /**
   * The only answer that holds the whole secret. A repeated request gets the same entry with the secret masked: what
   * was revealed once is not kept.
   *
   * @throws {ForensicsError} `invalid_request` for a bad name or an expiry that is not ahead or too far, `tenant_not_found`,
   * `conflict` for a misused Idempotency-Key.
   */
  mint(key: NewKey): Promise<KeyEntry>;
  /** Newest first, deleted ones left out. */
  list(tenantId: string): Promise<readonly KeyEntry[]>;
  /** @throws {ForensicsError} `not_found`, also for a key that was deleted before. */
  revoke(revocation: Revocation): Promise<void>;
  /** Keys that are good no more and were not deleted: expired, or replaced and beyond their grace. */
  ended(tenantId: string): Promise<readonly EndedKey[]>;
  /** Revokes those of the named keys that have ended; a living one is never touched. */
  prune(prune: Prune): Promise<readonly EndedKey[]>;
  /**
   * A new key of the same name, and the end of the old one brought forward to the end of its grace. By name it can be
   * repeated within the grace: the newest key is replaced, and those before it end no later than that one.
   *
   * @throws {ForensicsError} what `mint` throws; `not_found`; `conflict` when several valid keys have the name and
   * no rotation made them one another's successors.
   */
  rotate(rotation: Rotation): Promise<{ readonly key: KeyEntry; readonly replaced: KeyEntry }>;
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

export function createKeys({
  db,
  pepper,
  now,
}: {
  readonly db: Db;
  readonly pepper: Uint8Array;
  readonly now: () => Date;
}): Keys {
  if (pepper.length < 16) throw new RangeError('pepper must have at least 16 bytes');
  const digestOf = (secret: string) => createHmac('sha256', pepper).update(secret).digest();

  function insert(tx: Tx, key: NewRow, by: Actor): KeyEntry {
    const tenant = tx.select().from(tenants).where(eq(tenants.id, key.tenantId)).get();
    if (tenant === undefined) {
      throw new ForensicsError('tenant_not_found', 'There is no such tenant.');
    }
    const secret = newSecret(tenant.keyTag);
    const row = { ...key, uuid: randomUUID(), lastUsedAt: null };
    tx.insert(apiKeys)
      .values({ ...row, digest: digestOf(secret), ending: secret.slice(-4) })
      .run();
    append(tx, {
      chain: key.tenantId,
      at: key.createdAt,
      actor: by,
      event: 'key.created',
      subject: row.uuid,
      details: { expiresAt: key.expiresAt.toISOString() },
    });
    return keyEntry(row, secret);
  }

  return {
    async mint({ tenantId, name, expiresAt, by, idempotencyKey = null }) {
      const at = now();
      refuseUnusable(name, expiresAt, at);
      const request = { act: 'createKey', name, expiresAt };
      const repeatable =
        idempotencyKey === null ? null : { tenantId, key: idempotencyKey, request, at };
      return transact(db, (tx) => {
        const earlier = recall(tx, repeatable);
        if (earlier !== null) return madeEarlier(tx, tenantId, earlier);
        const key = insert(tx, { tenantId, name, expiresAt, createdAt: at }, by);
        remember(tx, repeatable, key.uuid);
        return key;
      });
    },

    async rotate({ tenantId, which, expiresAt, graceMs, by }) {
      const at = now();
      return transact(db, (tx) => {
        const { key: old, earlier } = keyToReplace(tx, tenantId, which, at);
        refuseUnusable(old.name, expiresAt, at);
        const key = insert(tx, { tenantId, name: old.name, expiresAt, createdAt: at }, by);
        const end = new Date(at.getTime() + graceMs);
        const change = { tenantId, by, at, end, replacedBy: key.uuid };
        for (const one of earlier) replace(tx, one, change);
        return { key, replaced: replace(tx, old, change) };
      });
    },

    list: async (tenantId) => findKeys(db, tenantId),

    async revoke({ tenantId, uuid, by }) {
      const which = and(
        eq(apiKeys.tenantId, tenantId),
        eq(apiKeys.uuid, uuid.toLowerCase()),
        isNull(apiKeys.revokedAt),
      );
      const at = now();
      transact(db, (tx) => {
        const key = tx.update(apiKeys).set({ revokedAt: at }).where(which).returning().get();
        if (key === undefined) throw new ForensicsError('not_found', 'There is no such API key.');
        const told = { event: 'key.revoked', subject: key.uuid, details: {} } as const;
        append(tx, { chain: tenantId, at, actor: by, ...told });
      });
    },

    ended: async (tenantId) => findEnded(db, tenantId, now()),
    prune: async (prune) => transact(db, (tx) => revokeEnded(tx, { ...prune, at: now() })),

    authenticate: createKeyAuthentication({ db, digestOf, now }),
  };
}

function madeEarlier(tx: Tx, tenantId: string, uuid: string): KeyEntry {
  const [key] = findKeys(tx, tenantId, eq(apiKeys.uuid, uuid));
  if (key !== undefined) return key;
  throw new ForensicsError(
    'conflict',
    'The API key of this Idempotency-Key was deleted; send a new Idempotency-Key.',
  );
}

function refuseUnusable(name: string, expiresAt: Date, at: Date): void {
  if (name === '' || characterCount(name) > 255) {
    throw new ForensicsError('invalid_request', 'The name of a key has 1 to 255 characters.');
  }
  if (!(expiresAt > at)) {
    throw new ForensicsError('invalid_request', 'expiresAt must be a date and time in the future.');
  }
  if (expiresAt.getTime() - at.getTime() > longestLifeMs) {
    throw new ForensicsError('invalid_request', 'expiresAt must be within ten years from now.');
  }
}
