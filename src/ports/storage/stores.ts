/**
 * Finds the store that contains the objects of an analysis: the service's own, embedded or shared, or one that the
 * tenant configured. Configurations are read again for every operation, so that credentials saved by one process apply
 * immediately in all others.
 */

import { and, eq, sql } from 'drizzle-orm';
import type { StorageType } from '../../contract/vocabulary.ts';
import { type Clocked, type Db, transact } from '../db/database.ts';
import { storageConfigs, tenants } from '../db/schema.ts';
import { storeUnavailable } from '../../contract/errors.ts';
import {
  type ConfigRow,
  type SealedConfigs,
  type SharedConfig,
  type StorageConfig,
  storagePlace,
} from './configs.ts';
import { type BlobStore, type RemoteStore, storageUrls, withPrefix } from './store.ts';
import { withinTime } from '../../waiting.ts';
import { isDeepStrictEqual } from 'node:util';

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
  const { findCurrent, findPlace } = prepareQueries(db);
  const opened = new Map<string, Opened & { readonly sealed: Buffer }>();
  /** Configurations that could not be opened; each is reported only once. */
  const reported = new Set<string>();

  /** One client per configuration, until the configuration is saved again and its encrypted bytes change. */
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
     * The store for new objects of the tenant. Applies the bucket's CORS rules before a URL is first signed for it; if
     * the bucket rejects them, a warning is recorded. The rows of objects stored there must record `configId`, which is
     * null for the embedded store.
     *
     * @throws {ForensicsError} `store_unavailable` if the configuration cannot be opened with the current master key.
     */
    async current(tenantId: string): Promise<{ store: BlobStore; configId: string | null }> {
      const row = (await findCurrent.get({ tenantId }))?.config ?? (await shared?.rowFor(tenantId));
      if (row === undefined) return { store: embeddedFor(tenantId), configId: null };
      const { config, store } = open(row);
      await cors.ensure(row, config, store);
      return { store, configId: row.id };
    },
    /**
     * The store of the objects created under this configuration, with its latest credentials. Makes no request. If the
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

function prepareQueries(db: Db) {
  const tenantId = sql.placeholder('tenantId');
  const isPlace = and(
    eq(storageConfigs.tenantId, tenantId),
    eq(storageConfigs.id, sql.placeholder('storageConfigId')),
  );
  return {
    findCurrent: db
      .select({ config: storageConfigs })
      .from(tenants)
      .innerJoin(storageConfigs, eq(storageConfigs.id, tenants.storageConfigId))
      .where(eq(tenants.id, tenantId))
      .prepare(),
    findPlace: db.select().from(storageConfigs).where(isPlace).prepare(),
  };
}

function createClosedStore(type: StorageType): BlobStore {
  const presign = (objectKey: string, now: Date) => storageUrls({ type, objectKey }, now, () => '');
  return { type, put: fail, read: fail, head: fail, delete: fail, presign };
}

async function fail(): Promise<never> {
  throw storeUnavailable(
    'The storage configuration of this analysis cannot be decrypted. Ask the administrator to restore the master key.',
  );
}

// Controls which web pages may use the presigned URLs of a tenant's own bucket. The rules are applied once per
// configuration, and the outcome is saved with it. If a store rejects them, the result is a warning, not a failure.

export type BucketCors = ReturnType<typeof createBucketCors>;

type CorsTarget = Pick<RemoteStore, 'applyCors'>;

interface BucketCorsSettings extends Clocked {
  readonly defaultOrigins: readonly string[];
  /** Maximum time for which a caller waits; the attempt continues after that. */
  readonly timeoutMs?: number;
  readonly onError?: (error: unknown) => void;
}

const pauseMs = 10 * 60_000;

export function createBucketCors(settings: BucketCorsSettings) {
  const { db, defaultOrigins, now, timeoutMs = 5000, onError = () => undefined } = settings;
  const running = new Map<string, Promise<void>>();
  const failedAtMs = new Map<string, number>();

  const allowedOrigins = (config: StorageConfig): readonly string[] =>
    (config.type === 's3' ? config.s3.corsAllowedOrigins : null) ?? defaultOrigins;

  async function applyAndRecord(row: ConfigRow, origins: readonly string[], store: CorsTarget) {
    const outcome = await store.applyCors(origins);
    if (outcome.applied) failedAtMs.delete(row.id);
    else failedAtMs.set(row.id, now().getTime());
    const change = outcome.applied
      ? { corsApplied: origins, corsWarning: null }
      : { corsApplied: null, corsWarning: outcome.reason };
    // Nothing is recorded if the configuration has been saved again in the meantime.
    const isSame = and(eq(storageConfigs.id, row.id), eq(storageConfigs.sealed, row.sealed));
    await db.update(storageConfigs).set(change).where(isSame).run();
  }

  async function apply(row: ConfigRow, config: StorageConfig, store: CorsTarget): Promise<void> {
    const nonce = row.sealed.toString('base64');
    const already = running.get(nonce);
    if (already !== undefined) return withinTime(already, timeoutMs, () => undefined);
    const applying = applyAndRecord(row, allowedOrigins(config), store)
      .catch(onError)
      .finally(() => running.delete(nonce));
    running.set(nonce, applying);
    await withinTime(applying, timeoutMs, () => undefined);
  }

  return {
    /** Applies the rules even if this was already done. */
    apply,
    /** Applies the rules unless already applied; concurrent calls share one attempt. Waits at most `timeoutMs`. */
    async ensure(row: ConfigRow, config: StorageConfig, store: CorsTarget) {
      if (isDeepStrictEqual(allowedOrigins(config), row.corsApplied ?? [])) return;
      const failedMs = failedAtMs.get(row.id);
      if (failedMs !== undefined && now().getTime() - failedMs < pauseMs) return;
      await apply(row, config, store);
    },
  };
}

// The store that the administrator configured for the whole service instead of the embedded one: a bucket that all
// tenants share, each with a prefix of its own. Each tenant has a row for it, so that its objects stay readable when
// the service switches to another store. While this store is in use, the administrator's file applies, not the rows.

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
  const placeFor = (tenantId: string): string => `${wholePlace}${tenantId}/`;
  const configFor = (tenantId: string): SharedConfig => ({
    ...config,
    shared: { ...config.shared, keyPrefix: `${tenantId}/` },
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
    /** Tests the store, then saves its credentials in the rows, for later. @throws as `RemoteStore.probe`. */
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

/** Whether the row has this configuration; false also if the current master key cannot open the row. */
function isKept(configs: SealedConfigs, row: ConfigRow, config: SharedConfig): boolean {
  try {
    return isDeepStrictEqual(configs.open(row), config);
  } catch {
    return false;
  }
}
