/** What serving and administration both need of remote stores: their configurations, and clients for them. */

import { createAzureStore } from '../blobs/azure.ts';
import { type BucketCors, createBucketCors } from '../blobs/bucket-cors.ts';
import type { OpenRemoteStore } from '../blobs/configured-stores.ts';
import { createS3Store } from '../blobs/s3.ts';
import { createSealedConfigs, type SealedConfigs } from '../blobs/sealed-configs.ts';
import { createSharedStore, type SharedStore } from '../blobs/shared-store.ts';
import type { Settings } from '../config.ts';
import type { Db } from '../db/open.ts';
import { createAddressGuard } from '../outbound/address-guard.ts';
import { type ConnectionGuard, createConnectionGuard } from '../outbound/connection-guard.ts';
import type { Core } from './core.ts';
import { readDefaultStorage } from './default-storage.ts';
import type { StorageType } from '../contract/vocabulary.ts';

export interface TenantStorage {
  readonly configs: SealedConfigs;
  readonly cors: BucketCors;
  readonly openRemote: OpenRemoteStore;
  /** Where stores of tenants may lie. */
  readonly guard: ConnectionGuard;
  /** The service's own store; null when that is the embedded one. */
  readonly shared: SharedStore | null;
  /** Of the service's own store. */
  readonly defaultType: StorageType;
}

export interface TenantStorageParts {
  readonly settings: Settings;
  readonly core: Pick<Core, 'secrets' | 'database'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** @throws {ForensicsError} `config_invalid` for an address range that makes no sense, or a default store that cannot be one. */
export function openTenantStorage({ settings, core, now, onError }: TenantStorageParts) {
  const { db } = core.database;
  const guard = createConnectionGuard(createAddressGuard(settings.storageAllow));
  const openRemote = remoteOpener(settings, guard);
  const configs = createSealedConfigs({ key: core.secrets.of('blobs/configs'), now });
  const shared = openShared({ settings, db, configs, openRemote });
  return {
    configs,
    cors: createBucketCors({ db, defaultOrigins: settings.corsAllowedOrigins, now, onError }),
    openRemote,
    guard,
    shared,
    defaultType: shared?.config.type ?? 's3',
  } satisfies TenantStorage;
}

function remoteOpener(settings: Settings, guard: ConnectionGuard): OpenRemoteStore {
  const { presignedUrlExpirySeconds: expirySeconds, maxUploadBytes: maxObjectBytes } = settings;
  return (config) => {
    // What an administrator wrote may lie anywhere, also on this machine.
    const limits = { maxObjectBytes, ...(config.shared === undefined ? { guard } : {}) };
    return config.type === 's3'
      ? createS3Store(config.s3, { ...limits, internal: config.shared?.internal ?? null })
      : createAzureStore(config.azure, { ...limits, expirySeconds });
  };
}

interface SharedParts extends Pick<TenantStorage, 'configs' | 'openRemote'> {
  readonly settings: Settings;
  readonly db: Db;
}

function openShared({ settings, db, configs, openRemote }: SharedParts): SharedStore | null {
  if (settings.defaultStorage === null) return null;
  const config = readDefaultStorage(settings.defaultStorage);
  return createSharedStore({ db, configs, config, store: openRemote(config) });
}
