/** The stores of all tenants: the embedded one, one bucket a tenant; the one that they share; those that they configured. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Buckets, createBuckets } from '../blobs/embedded/buckets.ts';
import { createStores } from '../blobs/configured-stores.ts';
import { bucketNameFor, createBucketCredentials } from '../blobs/embedded/credentials.ts';
import { createS3Api, type S3Api } from '../blobs/s3-server/server.ts';
import { createEmbeddedStore } from '../blobs/embedded/embedded.ts';
import type { BlobStore } from '../blobs/store.ts';
import type { Stores } from '../blobs/stores.ts';
import type { Settings } from '../config.ts';
import type { Core } from './core.ts';
import { proveDefaultStorage } from './default-storage.ts';
import { checkFolder, checkRemote } from './storage-check.ts';
import { openTenantStorage, type TenantStorage } from './tenant-storage.ts';

export interface Blobs {
  readonly buckets: Buckets;
  /** The S3 API of the embedded store. */
  readonly s3Api: S3Api;
  readonly stores: Stores;
  readonly storage: TenantStorage;
  /** As `proveDefaultStorage`; the embedded store needs no proof. */
  prove(): Promise<void>;
  /** Whether the service's own store is at work. */
  check(): Promise<void>;
  setPublicUrl(url: URL): void;
}

export interface BlobParts {
  readonly settings: Settings;
  readonly core: Core;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

const region = 'us-east-1';

export function openBlobs(parts: BlobParts): Blobs {
  const { settings, core, now, onError } = parts;
  const storage = openTenantStorage(parts);
  const { shared } = storage;
  const root = join(core.folder.path, 'blobs');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const buckets = createBuckets({
    root,
    maxObjectBytes: settings.maxUploadBytes,
    quotaBytes: settings.tenantQuotaBytes,
    now,
  });
  const credentials = createBucketCredentials(core.secrets.of('blobs/buckets'));
  // A place-holder until the port is known; before that nobody is there to be answered.
  let publicUrl = new URL(settings.publicUrl ?? 'https://localhost');

  const openEmbedded = (tenantId: string): BlobStore => {
    const bucket = bucketNameFor(tenantId);
    return createEmbeddedStore({
      buckets,
      bucket,
      credentials: credentials.credentialsFor(bucket),
      endpoint: () => publicUrl,
      region,
      expirySeconds: settings.presignedUrlExpirySeconds,
    });
  };

  return {
    buckets,
    s3Api: createS3Api({
      buckets,
      secretFor: (accessKeyId) => credentials.secretFor(accessKeyId),
      region,
      now,
      corsOrigins: settings.corsAllowedOrigins,
      onError,
    }),
    stores: createStores({
      ...storage,
      db: core.database.db,
      embeddedFor: oncePerTenant(openEmbedded),
      onError,
    }),
    storage,
    async prove() {
      if (shared === null || settings.defaultStorage === null) return;
      await proveDefaultStorage(settings.defaultStorage, { shared, onError });
    },
    check: shared === null ? checkFolder(root) : checkRemote(shared.store, { now }),
    setPublicUrl(url) {
      publicUrl = url;
    },
  };
}

/** Opening sweeps a folder; every act asks. */
function oncePerTenant(open: (tenantId: string) => BlobStore): (tenantId: string) => BlobStore {
  const opened = new Map<string, BlobStore>();
  return (tenantId) => {
    const store = opened.get(tenantId) ?? open(tenantId);
    opened.set(tenantId, store);
    return store;
  };
}
