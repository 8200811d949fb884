/**
 * The store that the administrator configured for the whole service instead of the embedded one: a bucket that all
 * tenants share, each with a prefix of its own. Each tenant has a row for it, so that its objects stay readable when
 * the service switches to another store. While this store is in use, the administrator's file applies, not the rows.
 */

import { isDeepStrictEqual } from 'node:util';
import { and, eq, sql } from 'drizzle-orm';
import { type Db, transact } from '../db/database.ts';
import { storageConfigs } from '../db/schema.ts';
import { type ConfigRow, type SealedConfigs, type SharedConfig, storagePlace } from './configs.ts';
import { type BlobStore, checkPath, type RemoteStore } from './store.ts';

export type SharedStore = ReturnType<typeof createSharedStore>;

interface SharedStoreSettings {
  readonly db: Db;
  readonly configs: SealedConfigs;
  /** The administrator's configuration, with an empty prefix. */
  readonly config: SharedConfig;
  readonly store: RemoteStore;
}

export function createSharedStore(settings: SharedStoreSettings) {
  const { db, configs, config, store } = settings;
  const wholePlace = storagePlace(config);
  const isPlace = and(
    eq(storageConfigs.tenantId, sql.placeholder('tenantId')),
    eq(storageConfigs.place, sql.placeholder('place')),
  );
  const findRow = db.select().from(storageConfigs).where(isPlace).prepare();
  const placeFor = (tenantId: string): string => `${wholePlace}${tenantPrefix(tenantId)}`;
  const configFor = (tenantId: string): SharedConfig => ({
    ...config,
    shared: { ...config.shared, keyPrefix: tenantPrefix(tenantId) },
  });
  const isInThisStore = ({ tenantId, place }: ConfigRow): boolean => place === placeFor(tenantId);

  return {
    config,
    store,
    /** The row of the tenant's part; created if missing. */
    async rowFor(tenantId: string): Promise<ConfigRow> {
      const known = await findRow.get({ tenantId, place: placeFor(tenantId) });
      if (known !== undefined) return known;
      return transact(db, async (tx) => {
        const id = await configs.save(tx, tenantId, configFor(tenantId));
        return (await configs.find(tx, { tenantId, id }))!;
      });
    },
    /** Null if the row belongs to another store. */
    partOf(row: ConfigRow) {
      if (!isInThisStore(row)) return null;
      const part = configFor(row.tenantId);
      return { config: part, store: withPrefix(store, part.shared.keyPrefix) };
    },
    /**
     * Tests the store, then saves the working credentials in the rows, for use once another store has replaced it.
     *
     * @throws {ForensicsError} as `RemoteStore.probe`.
     */
    async prove(): Promise<void> {
      await store.probe();
      await transact(db, async (tx) => {
        const rows = await tx.select().from(storageConfigs).all();
        for (const row of rows.filter(isInThisStore)) {
          const present = configFor(row.tenantId);
          if (!isKept(configs, row, present)) await configs.save(tx, row.tenantId, present);
        }
      });
    },
  };
}

function tenantPrefix(tenantId: string): string {
  return `${tenantId}/`;
}

/** Whether the row has this configuration; false also if the current master key cannot open the row. */
function isKept(configs: SealedConfigs, row: ConfigRow, config: SharedConfig): boolean {
  try {
    return isDeepStrictEqual(configs.open(row), config);
  } catch {
    return false;
  }
}

/**
 * The part of a shared store in which keys start with `prefix`. No key can reach anything outside this part. Callers
 * see the prefix only in presigned URLs.
 */
export function withPrefix(store: RemoteStore, prefix: string): RemoteStore {
  const whole = (key: string): string => {
    checkPath(key);
    return `${prefix}${key}`;
  };

  const part: BlobStore = {
    type: store.type,
    async put(key, body, options) {
      return { ...(await store.put(whole(key), body, options)), key };
    },
    read: async (key, maxBytes) => store.read(whole(key), maxBytes),
    async head(key) {
      const info = await store.head(whole(key));
      return info === null ? null : { ...info, key };
    },
    delete: async (key) => store.delete(whole(key)),
    presign: (key, now) => store.presign(whole(key), now),
  };
  return { ...store, ...part };
}
