/** The configurations of remote stores and clients for them, for the server and for administration. */

import { isIPv6 } from 'node:net';
import type { Settings } from '../../contract/config.ts';
import type { StorageType } from '../../contract/vocabulary.ts';
import type { Db } from '../../ports/db/database.ts';
import {
  type ConnectionGuard,
  createAddressGuard,
  createConnectionGuard,
} from '../../ports/network/address-guard.ts';
import { createAzureStore } from '../../ports/storage/azure/azure.ts';
import { type BucketCors, createBucketCors } from '../../ports/storage/bucket-cors.ts';
import { createSealedConfigs, type SealedConfigs } from '../../ports/storage/configs.ts';
import { createS3Store } from '../../ports/storage/s3/s3.ts';
import { createSharedStore, type SharedStore } from '../../ports/storage/shared-store.ts';
import type { OpenRemoteStore } from '../../ports/storage/stores.ts';
import type { Core } from '../core.ts';
import { readDefaultStorage } from './merge-storage.ts';
import { createTenancy, type Tenancy, type TenancyContext, type WebhookGuard } from './tenancy.ts';

export interface TenantStorage {
  readonly configs: SealedConfigs;
  readonly cors: BucketCors;
  readonly openRemote: OpenRemoteStore;
  /** Which addresses stores of tenants may have. */
  readonly guard: ConnectionGuard;
  /** The service's own store; null when that is the embedded one. */
  readonly shared: SharedStore | null;
  /** Of the service's own store. */
  readonly defaultType: StorageType;
}

interface TenantStorageParts {
  readonly settings: Settings;
  readonly core: Pick<Core, 'secrets' | 'database'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** @throws {ForensicsError} `config_invalid` for an invalid address range or an invalid default store. */
export function openTenantStorage({ settings, core, now, onError }: TenantStorageParts) {
  const { db } = core.database;
  const guard = createConnectionGuard(createAddressGuard(settings.storageAllow));
  const openRemote = remoteOpener(settings, guard);
  const configs = createSealedConfigs({ key: core.secrets.of('blobs/configs'), now });
  const shared = openShared({ settings, db, configs, openRemote });
  return {
    configs,
    cors: createBucketCors({ db, defaultOrigins: uploadOrigins(settings), now, onError }),
    openRemote,
    guard,
    shared,
    defaultType: shared?.config.type ?? 's3',
  } satisfies TenantStorage;
}

/** Origins whose pages may use presigned URLs: those of the setting, or else those of this server. */
export function uploadOrigins({
  corsAllowedOrigins,
  publicUrl,
  behindProxy,
  host,
  port,
}: Pick<
  Settings,
  'corsAllowedOrigins' | 'publicUrl' | 'behindProxy' | 'host' | 'port'
>): readonly string[] {
  if (corsAllowedOrigins.length > 0) return corsAllowedOrigins;
  // Behind a proxy no page is opened on our own port; port 0 is a different one each time.
  const hosts = behindProxy || port === 0 ? [] : [host, 'localhost', '127.0.0.1'];
  const own = hosts
    .filter((name) => !anyAddress.includes(name))
    .map((name) => new URL(`https://${isIPv6(name) ? `[${name}]` : name}:${port}`).origin);
  return [...new Set([...(publicUrl === null ? [] : [publicUrl]), ...own])];
}

const anyAddress = ['0.0.0.0', '::'];

function remoteOpener(settings: Settings, guard: ConnectionGuard): OpenRemoteStore {
  const { presignedUrlExpirySeconds: expirySeconds, maxUploadBytes: maxObjectBytes } = settings;
  return (config) => {
    // The administrator's own store may have any address, even on this machine.
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

interface TenancyParts extends Pick<TenancyContext, 'webhookGuard' | 'now'> {
  readonly core: Pick<Core, 'database' | 'keys'>;
  readonly storage: TenantStorage;
}

/** Not part of the core: clients for S3 and Azure are slow to load, and few commands need them. */
export function openTenancy({ core, storage, webhookGuard, now }: TenancyParts): Tenancy {
  const { database, keys } = core;
  return createTenancy({ ...storage, db: database.db, keys, webhookGuard, now });
}

/** @throws {ForensicsError} `config_invalid` for an invalid address range. */
export function createWebhookGuard({ webhookAllow }: Pick<Settings, 'webhookAllow'>): WebhookGuard {
  return createConnectionGuard(createAddressGuard(webhookAllow));
}
