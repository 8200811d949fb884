/** What serving and administration both need of the tenants' own stores: their configurations, and clients for them. */

import { createAzureStore } from '../blobs/azure.ts';
import { type BucketCors, createBucketCors } from '../blobs/bucket-cors.ts';
import type { OpenRemoteStore } from '../blobs/configured-stores.ts';
import { createS3Store } from '../blobs/s3.ts';
import { createSealedConfigs, type SealedConfigs } from '../blobs/sealed-configs.ts';
import type { Settings } from '../config.ts';
import { createAddressGuard } from '../webhooks/address-guard.ts';
import { createConnectionGuard } from '../webhooks/connection-guard.ts';
import type { Core } from './core.ts';

export interface TenantStorage {
  readonly configs: SealedConfigs;
  readonly cors: BucketCors;
  readonly openRemote: OpenRemoteStore;
}

export interface TenantStorageParts {
  readonly settings: Settings;
  readonly core: Pick<Core, 'secrets' | 'database'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** @throws {ForensicsError} `config_invalid` for an address range that makes no sense. */
export function openTenantStorage({ settings, core, now, onError }: TenantStorageParts) {
  const { db } = core.database;
  const guard = createConnectionGuard(createAddressGuard(settings.storageAllow));
  const { presignedUrlExpirySeconds: expirySeconds, maxUploadBytes: maxObjectBytes } = settings;
  const openRemote: OpenRemoteStore = (config) =>
    config.type === 's3'
      ? createS3Store(config.s3, { maxObjectBytes, guard })
      : createAzureStore(config.azure, { expirySeconds, maxObjectBytes, guard });
  return {
    configs: createSealedConfigs({ key: core.secrets.of('blobs/configs'), now }),
    cors: createBucketCors({ db, defaultOrigins: settings.corsAllowedOrigins, now, onError }),
    openRemote,
  } satisfies TenantStorage;
}
