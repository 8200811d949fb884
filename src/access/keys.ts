/**
 * API keys: minted once, stored only as an HMAC, checked on every request. The pepper lives outside the database, so a
 * stolen database file opens no door.
 */

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import { type Db, transact } from '../db/open.ts';
import { apiKeys, tenants } from '../db/schema.ts';
import { characterCount } from '../db/text.ts';
import { ForensicsError } from '../errors.ts';
import { masked, newSecret, tagOf } from './key-format.ts';
import type { Principal } from './principal.ts';
import type { Tenant } from './tenants.ts';

/** As it is answered. `secret` is the whole key in the answer of `mint`, and masked ever after. */
export interface KeyEntry {
  readonly uuid: string;
  readonly name: string;
  readonly createdDate: string;
  readonly expiresAt: string;
  readonly secret: string;
}

export interface NewKey {
  readonly tenantId: string;
  readonly name: string;
  readonly expiresAt: Date;
}

export interface Keys {
  /** @throws {ForensicsError} `invalid_request` for a bad name or an expiry that is not ahead, `tenant_not_found`. */
  mint(key: NewKey): Promise<KeyEntry>;
  /** Newest first, deleted ones left out. */
  list(tenantId: string): Promise<readonly KeyEntry[]>;
  /** @throws {ForensicsError} `not_found`, also for a key that was deleted before. */
  revoke(tenantId: string, uuid: string): Promise<void>;
  /**
   * Whose key this is.
   *
   * @throws {ForensicsError} `forbidden` for an unknown tag or a deleted key; `unauthenticated` for a malformed or
   * expired key and for a wrong secret under a known tag.
   */
  authenticate(secret: string): Promise<{ readonly principal: Principal; readonly tenant: Tenant }>;
}

type KeyRow = typeof apiKeys.$inferSelect;

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
  const findHolder = prepareFindHolder(db);

  return {
    async mint({ tenantId, name, expiresAt }) {
      const createdAt = now();
      refuseUnusable(name, expiresAt, createdAt);
      return transact(db, (tx) => {
        const tenant = tx.select().from(tenants).where(eq(tenants.id, tenantId)).get();
        if (tenant === undefined) {
          throw new ForensicsError('tenant_not_found', 'There is no such tenant.');
        }
        const secret = newSecret(tenant.keyTag);
        const row = { uuid: randomUUID(), tenantId, name, createdAt, expiresAt };
        tx.insert(apiKeys)
          .values({ ...row, digest: digestOf(secret), ending: secret.slice(-4) })
          .run();
        return entry(row, secret);
      });
    },

    async list(tenantId) {
      const rows = db
        .select({ key: apiKeys, tag: tenants.keyTag })
        .from(apiKeys)
        .innerJoin(tenants, eq(tenants.id, apiKeys.tenantId))
        .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt)))
        .orderBy(desc(apiKeys.createdAt), asc(apiKeys.uuid))
        .all();
      return rows.map(({ key, tag }) => entry(key, masked(tag, key.ending)));
    },

    async revoke(tenantId, uuid) {
      const which = and(
        eq(apiKeys.tenantId, tenantId),
        eq(apiKeys.uuid, uuid),
        isNull(apiKeys.revokedAt),
      );
      const { changes } = db.update(apiKeys).set({ revokedAt: now() }).where(which).run();
      if (changes === 0) throw new ForensicsError('not_found', 'There is no such API key.');
    },

    async authenticate(secret) {
      const tag = tagOf(secret);
      if (tag === null) {
        throw refused('This is no well-formed API key; check that the header holds all of it.');
      }
      // Hash first, whatever the tag: the time taken tells nothing about which tags exist.
      const digest = digestOf(secret);
      const holder = findHolder.get({ tag, digest });
      const key = holder?.key ?? null;
      const isSame = timingSafeEqual(digest, key?.digest ?? Buffer.alloc(digest.length));
      if (holder === undefined) throw unknownKey();
      if (key === null || !isSame) throw refused('The API key is wrong.');
      if (key.revokedAt !== null) throw unknownKey();
      if (key.expiresAt <= now()) throw refused('The API key has expired; use a newer one.');
      return { principal: principalOf(key), tenant: holder.tenant };
    },
  };
}

/** Asked on every request: the tenant of a tag, with its key of that digest when there is one. */
function prepareFindHolder(db: Db) {
  const isKey = and(
    eq(apiKeys.tenantId, tenants.id),
    eq(apiKeys.digest, sql.placeholder('digest')),
  );
  return db
    .select({ tenant: tenants, key: apiKeys })
    .from(tenants)
    .leftJoin(apiKeys, isKey)
    .where(eq(tenants.keyTag, sql.placeholder('tag')))
    .prepare();
}

function principalOf(key: KeyRow): Principal {
  return {
    type: 'api',
    id: key.uuid,
    tenantIds: [key.tenantId],
    scopes: [],
    userType: null,
    sessionId: null,
  };
}

function entry(
  key: { uuid: string; name: string; createdAt: Date; expiresAt: Date },
  secret: string,
): KeyEntry {
  return {
    uuid: key.uuid,
    name: key.name,
    createdDate: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    secret,
  };
}

function refuseUnusable(name: string, expiresAt: Date, at: Date): void {
  if (name === '' || characterCount(name) > 255) {
    throw new ForensicsError('invalid_request', 'The name of a key has 1 to 255 characters.');
  }
  if (!(expiresAt > at)) {
    throw new ForensicsError('invalid_request', 'expiresAt must be a date and time in the future.');
  }
}

function refused(message: string): ForensicsError {
  return new ForensicsError('unauthenticated', message);
}

function unknownKey(): ForensicsError {
  return new ForensicsError('forbidden', 'The API key is unknown.');
}
