/** The stores of all tenants: the embedded one with a bucket for each tenant, a shared one, and those that tenants configured. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../contract/config.ts';
import { bucketName, type Buckets, createBuckets } from '../ports/storage/embedded/buckets.ts';
import {
  createEmbeddedStore,
  createObjectUrls,
  type ObjectUrls,
} from '../ports/storage/embedded/embedded.ts';
import type { BlobStore } from '../ports/storage/store.ts';
import { createStores, type Stores } from '../ports/storage/stores.ts';
import { proveDefaultStorage } from './tenants/merge-storage.ts';
import { openTenantStorage, type TenantStorage, uploadOrigins } from './tenants/tenant-storage.ts';
import type { Core } from './core.ts';
import { checkFolder, checkRemote } from './health.ts';

export interface Blobs {
  readonly embedded: EmbeddedObjects;
  readonly stores: Stores;
  readonly storage: TenantStorage;
  /** As `proveDefaultStorage`; does nothing for the embedded store. */
  prove(): Promise<void>;
  /** Whether the service's own store works. */
  check(): Promise<void>;
  setPublicUrl(url: URL): void;
}

/** What the server needs to answer presigned URLs of the embedded store. */
export interface EmbeddedObjects {
  readonly buckets: Buckets;
  readonly urls: ObjectUrls;
  /** Origins whose pages may use the URLs: `*`, an origin, or one with a `*` in it. */
  readonly corsOrigins: readonly string[];
}

interface BlobParts {
  readonly settings: Settings;
  readonly core: Core;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

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
  buckets.sweep();
  const urls = createObjectUrls({ key: core.secrets.of('blobs/buckets'), now });
  // A placeholder until the port is known; there are no requests before that.
  let publicUrl = new URL(settings.publicUrl ?? 'https://localhost');

  const openEmbedded = (tenantId: string): BlobStore =>
    createEmbeddedStore({
      buckets,
      bucket: bucketName(tenantId),
      urls,
      endpoint: () => publicUrl,
      expirySeconds: settings.presignedUrlExpirySeconds,
    });

  return {
    embedded: { buckets, urls, corsOrigins: uploadOrigins(settings) },
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

/** Opening sweeps a folder, and every act needs the store. */
function oncePerTenant(open: (tenantId: string) => BlobStore): (tenantId: string) => BlobStore {
  const opened = new Map<string, BlobStore>();
  return (tenantId) => {
    const store = opened.get(tenantId) ?? open(tenantId);
    opened.set(tenantId, store);
    return store;
  };
}
