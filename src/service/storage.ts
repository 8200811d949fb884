/** The stores of all tenants: the embedded one with a bucket for each tenant, a shared one, and those that tenants configured. */

import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../contract/config.ts';
import { ForensicsError } from '../errors.ts';
import { bucketName, type Buckets, createBuckets } from '../ports/storage/embedded/buckets.ts';
import {
  createEmbeddedStore,
  createObjectUrls,
  type ObjectUrls,
} from '../ports/storage/embedded/embedded.ts';
import type { BlobStore, RemoteStore } from '../ports/storage/store.ts';
import { createStores, type Stores } from '../ports/storage/stores.ts';
import {
  openTenantStorage,
  proveDefaultStorage,
  type TenantStorage,
  uploadOrigins,
} from './tenants/tenant-storage.ts';
import type { Core } from './core.ts';
import { cached } from './health.ts';

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

// Requests to a store may cost money, and take time.
const freshMs = 10_000;
// A health check must not wait as long as an act may take.
const patienceMs = 3000;

/** @param root - the folder of the embedded store. */
export function checkFolder(root: string): () => Promise<void> {
  return async () => {
    const file = join(root, `.health-${randomUUID()}`);
    try {
      await writeFile(file, 'ok', { mode: 0o600 });
    } finally {
      await rm(file, { force: true });
    }
  };
}

/** @throws {ForensicsError} in the check: `store_refused`, `store_unavailable`. */
export function checkRemote(
  store: Pick<RemoteStore, 'head'>,
  { now, timeoutMs = patienceMs }: { readonly now: () => Date; readonly timeoutMs?: number },
): () => Promise<void> {
  // The object does not exist, but only a store that accepts our credentials says so.
  const ask = async () => withinTime(store.head('forensics-probe/health'), timeoutMs);
  return cached(ask, { freshMs, now });
}

async function withinTime(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const pause = new AbortController();
  const late = wait(timeoutMs, undefined, { signal: pause.signal, ref: false }).then(() => {
    throw new ForensicsError('store_unavailable', 'The store does not answer in time.');
  });
  try {
    await Promise.race([work, late]);
  } finally {
    pause.abort();
  }
}
