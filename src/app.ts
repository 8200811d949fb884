/**
 * Opens everything once from the settings and closes it in reverse. The only place that knows which implementation
 * stands behind a port.
 */

import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Tenant } from './access/tenants.ts';
import { createAnalyses } from './analyses/analyses.ts';
import type { Analyses } from './analyses/analyses.ts';
import { runJob } from './analyses/lifecycle.ts';
import { openCore } from './app/core.ts';
import type { Core } from './app/core.ts';
import { createHealth } from './app/health.ts';
import type { Check } from './app/health.ts';
import { withStack } from './app/stack.ts';
import { trialMd5s } from './app/trial-images.ts';
import { bucketNameFor, createBucketCredentials } from './blobs/credentials.ts';
import { createS3Door } from './blobs/door.ts';
import type { S3Door } from './blobs/door.ts';
import { createEmbeddedStore } from './blobs/embedded.ts';
import type { BlobStore } from './blobs/store.ts';
import type { Settings } from './config.ts';
import { defaultLimits } from './image/limits.ts';
import { createRegistry } from './inference/registry.ts';
import { createQueue } from './jobs/queue.ts';
import { createWorker } from './jobs/worker.ts';
import { createLab } from './lab/create-lab.ts';
import { createDeliverer } from './webhooks/deliverer.ts';
import { createOutbox } from './webhooks/outbox.ts';

export interface App extends Omit<Core, 'close'> {
  readonly analyses: Analyses;
  /** The HTTP door of the embedded store. */
  readonly door: S3Door;
  health(): Promise<readonly Check[]>;
  /** Presigned URLs begin with it; to be called before the first request when the port was not known at opening. */
  setPublicUrl(url: URL): void;
  /** From now on jobs are worked on and webhooks delivered. */
  startWork(): void;
  close(): Promise<void>;
}

export interface AppOptions {
  readonly now?: () => Date;
  /** Told about trouble that no caller hears of. */
  readonly onError?: (what: string, error: unknown) => void;
}

const region = 'us-east-1';

/** @throws {ForensicsError} `config_invalid`, `schema_newer`, `model_*`, `store_unavailable`, `no_space_left`. */
export async function openApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const { now = () => new Date(), onError = () => undefined } = options;
  return withStack(async (stack) => {
    const core = openCore(settings, now);
    stack.defer(() => core.close());
    const { db } = core.database;
    const registry = createRegistry({ extra: settings.modelsDir });
    const models = await registry.list();
    // Read and verified now: a damaged model must stop the start, not the first analysis.
    await registry.open(null);
    const limits = { ...defaultLimits, maxBytes: settings.maxUploadBytes };
    const lab = createLab({ poolSize: settings.workers, modelsDir: settings.modelsDir, limits });
    stack.defer(() => lab.close());
    const blobs = openBlobs({ settings, core, now, onError });
    const queue = createQueue({ db, now });
    const outbox = createOutbox({ db, now });
    const analyses = createAnalyses({
      db,
      queue,
      outbox,
      tenants: core.tenants,
      storeFor: (tenant) => blobs.storeFor(tenant),
      lab,
      models,
      trialMd5s: trialMd5s(core.folder.path),
      limits,
      now,
      onError: (error) => onError('analyses', error),
    });
    const worker = createWorker({
      db,
      queue,
      handlers: { [runJob]: analyses.run },
      workerId: `${hostname()}:${process.pid}`,
      concurrency: settings.workers,
      leaseMs: settings.leaseSeconds * 1000,
      now,
      onError: (error) => onError('worker', error),
    });
    stack.defer(() => worker.stop());
    const deliverer = createDeliverer({
      outbox,
      now,
      serverKey: core.webhookKey,
      allow: settings.webhookAllow,
      onError: (error) => onError('webhooks', error),
    });
    stack.defer(() => deliverer.stop());
    return {
      ...core,
      analyses,
      door: blobs.door,
      setPublicUrl: (url) => blobs.setPublicUrl(url),
      health: createHealth({
        database: core.database,
        queue,
        registry,
        blobsRoot: blobs.root,
        jobKinds: [runJob],
        jobsInHand: () => worker.running(),
        now,
      }),
      startWork() {
        worker.start();
        deliverer.start();
      },
      close: () => stack.unwind(),
    };
  });
}

interface BlobParts {
  readonly settings: Settings;
  readonly core: Core;
  readonly now: () => Date;
  readonly onError: (what: string, error: unknown) => void;
}

interface Blobs {
  readonly root: string;
  readonly door: S3Door;
  storeFor(tenant: Tenant): BlobStore;
  setPublicUrl(url: URL): void;
}

function openBlobs({ settings, core: { folder }, now, onError }: BlobParts): Blobs {
  const root = join(folder.path, 'blobs');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const credentials = createBucketCredentials(folder.masterKey);
  const stores = new Map<string, BlobStore>();
  // A place-holder until the port is known; before that nobody is there to be answered.
  let publicUrl = new URL(settings.publicUrl ?? 'https://localhost');

  function open(tenantId: string): BlobStore {
    const bucket = bucketNameFor(tenantId);
    return createEmbeddedStore({
      root,
      bucket,
      credentials: credentials.credentialsFor(bucket),
      endpoint: () => publicUrl,
      region,
      expirySeconds: settings.presignedUrlExpirySeconds,
      maxObjectBytes: settings.maxUploadBytes,
      now,
    });
  }

  return {
    root,
    door: createS3Door({
      root,
      secretFor: (accessKeyId) => credentials.secretFor(accessKeyId),
      region,
      now,
      maxObjectBytes: settings.maxUploadBytes,
      corsOrigins: settings.corsAllowedOrigins,
      onError: (error) => onError('storage', error),
    }),
    storeFor({ id }) {
      const store = stores.get(id) ?? open(id);
      stores.set(id, store);
      return store;
    },
    setPublicUrl(url) {
      publicUrl = url;
    },
  };
}
