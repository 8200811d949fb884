/**
 * Finds the store with the objects of an analysis: the service's own, embedded or shared, or one that the tenant
 * configured. Configurations are read again for every operation, so that credentials saved by one process apply
 * immediately in all others.
 */

import { and, eq, sql } from 'drizzle-orm';
import type { StorageUrls } from '../../contract/analysis.ts';
import type { StorageType } from '../../contract/vocabulary.ts';
import type { Db } from '../db/database.ts';
import { storageConfigs, tenants } from '../db/schema.ts';
import { ForensicsError } from '../../errors.ts';
import type { BucketCors } from './bucket-cors.ts';
import type { ConfigRow, SealedConfigs, StorageConfig } from './configs.ts';
import { type SharedStore, withPrefix } from './shared-store.ts';
import type { BlobStore, RemoteStore } from './store.ts';

export interface TenantStore {
  readonly store: BlobStore;
  /** Null for the embedded store. Recorded in the row of whatever is stored there. */
  readonly configId: string | null;
}

/** The columns of an analysis that locate its objects. */
export interface StoreRef {
  readonly tenantId: string;
  /** Null for the embedded store. */
  readonly storageConfigId: string | null;
}

export type Stores = ReturnType<typeof createStores>;

/** Creates a client without making a request. @throws {ForensicsError} `invalid_request` for an unusable configuration. */
export type OpenRemoteStore = (config: StorageConfig) => RemoteStore;

interface StoresSettings {
  readonly db: Db;
  readonly configs: Pick<SealedConfigs, 'open'>;
  readonly cors: Pick<BucketCors, 'ensure'>;
  /** The service's own store if it is not the embedded one. */
  readonly shared?: Pick<SharedStore, 'partOf' | 'rowFor'> | null;
  /** The tenant's embedded store. Called for every operation, so it must be fast. */
  readonly embeddedFor: (tenantId: string) => BlobStore;
  readonly openRemote: OpenRemoteStore;
  readonly onError?: (error: unknown) => void;
}

interface Opened {
  readonly config: StorageConfig;
  readonly store: RemoteStore;
}

export function createStores(settings: StoresSettings) {
  const { db, configs, cors, embeddedFor, openRemote, onError = () => undefined } = settings;
  const { shared = null } = settings;
  const findCurrent = prepareFindCurrent(db);
  const findPlace = prepareFindPlace(db);
  const opened = new Map<string, Opened & { readonly sealed: Buffer }>();
  /** Configurations that could not be opened, each reported only once. */
  const reported = new Set<string>();

  /** One client per configuration until it is re-saved, which changes the encrypted bytes. */
  function openSealed(row: ConfigRow): Opened {
    const known = opened.get(row.id);
    if (known?.sealed.equals(row.sealed)) return known;
    const config = configs.open(row);
    const client = openRemote(config);
    const store =
      config.shared === undefined ? client : withPrefix(client, config.shared.keyPrefix);
    const fresh = { sealed: row.sealed, config, store };
    opened.set(row.id, fresh);
    return fresh;
  }

  const open = (row: ConfigRow): Opened => shared?.partOf(row) ?? openSealed(row);

  return {
    /**
     * Store for the tenant's new objects. Applies the bucket's CORS rules before the first URL is signed for it; if the
     * bucket rejects them, a warning is recorded.
     *
     * @throws {ForensicsError} `store_unavailable` if the configuration cannot be opened with the current master key.
     */
    async current(tenantId: string): Promise<TenantStore> {
      const row = (await findCurrent.get({ tenantId }))?.config ?? (await shared?.rowFor(tenantId));
      if (row === undefined) return { store: embeddedFor(tenantId), configId: null };
      const { config, store } = open(row);
      await cors.ensure(row, config, store);
      return { store, configId: row.id };
    },
    /**
     * Store of the objects created under this configuration, with its latest credentials. Makes no request. If the
     * configuration cannot be opened, returns a store whose operations fail with `store_unavailable` and whose URLs are
     * empty, so that analyses stay readable and lists work.
     */
    async of({ tenantId, storageConfigId }: StoreRef): Promise<BlobStore> {
      if (storageConfigId === null) return embeddedFor(tenantId);
      const row = await findPlace.get({ tenantId, storageConfigId });
      if (row === undefined)
        throw new TypeError('The configuration does not belong to the tenant.');
      try {
        return open(row).store;
      } catch (error) {
        if (!reported.has(row.id)) onError(error);
        reported.add(row.id);
        return createClosedStore(row.type);
      }
    },
  };
}

function prepareFindCurrent(db: Db) {
  return db
    .select({ config: storageConfigs })
    .from(tenants)
    .innerJoin(storageConfigs, eq(storageConfigs.id, tenants.storageConfigId))
    .where(eq(tenants.id, sql.placeholder('tenantId')))
    .prepare();
}

function prepareFindPlace(db: Db) {
  const isPlace = and(
    eq(storageConfigs.tenantId, sql.placeholder('tenantId')),
    eq(storageConfigs.id, sql.placeholder('storageConfigId')),
  );
  return db.select().from(storageConfigs).where(isPlace).prepare();
}

/** Stands in for a store whose configuration cannot be opened. */
function createClosedStore(type: StorageType): BlobStore {
  const presign = (objectKey: string, now: Date): StorageUrls => ({
    type,
    objectKey,
    putUrl: '',
    getUrl: '',
    deleteUrl: '',
    expiresAt: now.toISOString(),
  });
  return { type, put: fail, read: fail, head: fail, delete: fail, presign };
}

async function fail(): Promise<never> {
  throw new ForensicsError(
    'store_unavailable',
    'The storage configuration of this analysis cannot be decrypted. Ask the administrator to restore the master key.',
  );
}
