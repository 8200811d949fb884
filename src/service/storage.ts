/** The stores of all tenants: embedded, with a bucket for each; shared; and those that tenants configured. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../contract/config.ts';
import {
  bucketName,
  createBuckets,
  createEmbeddedStore,
  createObjectUrls,
} from '../ports/storage/embedded/embedded.ts';
import {
  createStores,
  type OpenRemoteStore,
  createBucketCors,
  createSharedStore,
} from '../ports/storage/stores.ts';
import { proveDefaultStorage, readDefaultStorage } from './tenants/merge-storage.ts';
import type { Core } from './core.ts';
import { checkFolder, checkRemote, writeProbe } from './health.ts';
import { isIPv6 } from 'node:net';
import { createAddressGuard, createConnectionGuard } from '../ports/network/address-guard.ts';
import { createAzureStore } from '../ports/storage/azure/azure.ts';
import { createSealedConfigs } from '../ports/storage/configs.ts';
import { createS3Store } from '../ports/storage/s3/s3.ts';

export type Blobs = ReturnType<typeof openBlobs>;

/** What the server needs to answer presigned URLs of the embedded store. */
export type EmbeddedObjects = Blobs['embedded'];

export function openBlobs(parts: TenantStorageParts & { readonly core: Core }) {
  const { settings, core, now, onError } = parts;
  const storage = openTenantStorage(parts);
  const { shared } = storage;
  const root = join(core.folder.path, 'blobs');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const buckets = createBuckets({ root, maxObjectBytes: settings.maxUploadBytes, now });
  const urls = createObjectUrls({ key: core.secrets.of('blobs/buckets'), now });
  // A placeholder until the port is known; there are no requests before that.
  let publicUrl = new URL(settings.publicUrl ?? 'https://localhost');

  const embeddedFor = (tenantId: string) =>
    createEmbeddedStore({
      buckets,
      bucket: bucketName(tenantId),
      urls,
      endpoint: () => publicUrl,
      expirySeconds: settings.presignedUrlExpirySeconds,
    });
  const checkShared = shared && checkRemote(shared.store, { now });
  return {
    embedded: { buckets, urls, corsOrigins: uploadOrigins(settings) },
    stores: createStores({ ...storage, db: core.database.db, embeddedFor, onError }),
    storage,
    /** Checks that the data folder can be written to, then does the same as `proveDefaultStorage`. */
    async prove() {
      await writeProbe(root);
      if (shared === null || settings.defaultStorage === null) return;
      await proveDefaultStorage(settings.defaultStorage, { shared, onError });
    },
    check: async () => {
      // Runs need this folder even if the objects are elsewhere, and so does a database in it.
      await checkFolder(root);
      await checkShared?.();
    },
    setPublicUrl(url: URL) {
      publicUrl = url;
    },
  };
}

interface TenantStorageParts {
  readonly settings: Settings;
  readonly core: Pick<Core, 'secrets' | 'database'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Apart from the core, because its clients load slowly. @throws {ForensicsError} `config_invalid`. */
export function openTenantStorage({ settings, core, now, onError }: TenantStorageParts) {
  const { db } = core.database;
  const guard = createConnectionGuard(createAddressGuard(settings.storageAllow));
  const { presignedUrlExpirySeconds: expirySeconds, maxUploadBytes: maxObjectBytes } = settings;
  const openRemote: OpenRemoteStore = (config) => {
    // The administrator's own store may have any address, even on this machine.
    const limits = { maxObjectBytes, ...(config.shared === undefined ? { guard } : {}) };
    return config.type === 's3'
      ? createS3Store(config.s3, { ...limits, internal: config.shared?.internal ?? null })
      : createAzureStore(config.azure, { ...limits, expirySeconds });
  };
  const configs = createSealedConfigs({ key: core.secrets.of('blobs/configs'), now });
  const written = settings.defaultStorage;
  const config = written === null ? null : readDefaultStorage(written);
  /** The service's own store; null if the embedded store is used. */
  const shared =
    config === null ? null : createSharedStore({ db, configs, config, store: openRemote(config) });
  return {
    configs,
    cors: createBucketCors({ db, defaultOrigins: uploadOrigins(settings), now, onError }),
    openRemote,
    guard,
    shared,
    defaultType: shared?.config.type ?? 's3',
  };
}

/** Whose pages may use presigned URLs. Each is `*`, an origin, or one with a `*` in it. */
export function uploadOrigins(
  settings: Pick<Settings, 'corsAllowedOrigins' | 'publicUrl' | 'behindProxy' | 'host' | 'port'>,
): readonly string[] {
  const { corsAllowedOrigins, publicUrl, behindProxy, host, port } = settings;
  if (corsAllowedOrigins.length > 0) return corsAllowedOrigins;
  // Behind a proxy, no page is served from our own port, and with port 0 the port is different each time.
  const hosts = behindProxy || port === 0 ? [] : [host, 'localhost', '127.0.0.1'];
  const own = hosts
    .filter((name) => !anyAddress.includes(name))
    .map((name) => new URL(`https://${isIPv6(name) ? `[${name}]` : name}:${port}`).origin);
  return [...new Set([...(publicUrl === null ? [] : [publicUrl]), ...own])];
}

const anyAddress = ['0.0.0.0', '::'];
