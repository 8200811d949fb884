/**
 * Opens everything once from the settings and closes it in reverse. The only place that knows which implementation
 * stands behind a port.
 */

import { createTenantUsers, type TenantUsers } from './access/tenant-users.ts';
import type { Passwords } from './access/embedded/passwords.ts';
import { type Analyses, createAnalyses } from './analyses/analyses.ts';
import type { Notice } from './analyses/context.ts';
import { runJob } from './analyses/lifecycle/client.ts';
import type { Settings } from '../contract/config.ts';
import { modelsFolder } from '../ports/data-folder/data-folder.ts';
import { storageConfigs } from '../ports/db/schema.ts';
import { type OpenFeedback, sendJob } from './feedback/feedback.ts';
import { serviceLimits } from '../image/picture.ts';
import { createRegistry } from '../inference/registry.ts';
import { createQueue } from './jobs/queue.ts';
import { readTrustList } from '../provenance/c2pa-reader.ts';
import { createSandbox } from '../examiner/sandbox.ts';
import type { Tenancy } from './tenants/tenancy.ts';
import { citedValidation } from './validation/saved-validations.ts';
import { hasTroubledReceiver } from './webhooks/order.ts';
import { createOutbox } from './webhooks/outbox.ts';
import { createWebhookLog, type WebhookLog } from './webhooks/webhook-log.ts';
import { openWork } from './background.ts';
import { type Core, openCore } from './core.ts';
import { withStack } from './disposer.ts';
import { createEvidence, type EvidenceService } from './analyses/bundles.ts';
import { createFirstUser, type FirstUser, trialMd5s } from './first-run.ts';
import {
  type Check,
  createHealth,
  createModelHealth,
  createWorkload,
  type Workload,
} from './health.ts';
import { type EmbeddedObjects, openBlobs } from './storage.ts';
import { openTenancy, webhookGuardOf } from './tenants/tenant-storage.ts';

export interface App extends Omit<Core, 'close'> {
  readonly analyses: Analyses;
  readonly tenancy: Tenancy;
  readonly tenantUsers: TenantUsers;
  readonly webhookLog: WebhookLog;
  readonly evidence: EvidenceService;
  /** Makes the first account from a browser. */
  readonly firstUser: FirstUser;
  /** For the presigned URLs of the embedded store. */
  readonly embeddedObjects: EmbeddedObjects;
  readonly feedback: Pick<OpenFeedback, 'submit'>;
  health(): Promise<readonly Check[]>;
  workload(): Promise<Workload>;
  /** Presigned URLs begin with it; to be called before the first request when the port was not known at opening. */
  setPublicUrl(url: URL): void;
  /** Whether anything is, or was, stored elsewhere than here. */
  hasRemoteStores(): Promise<boolean>;
  /**
   * Tries the service's own store out; to be called before the first request. Temporary failures are reported to `onError`.
   *
   * @throws {ForensicsError} `config_invalid` when the store refuses us.
   */
  proveStorage(): Promise<void>;
  /** From now on jobs are worked on and webhooks delivered. */
  startWork(): void;
  close(): Promise<void>;
}

interface AppOptions {
  readonly now?: () => Date;
  /** Cheaper hashes are for tests. */
  readonly passwords?: Passwords;
  /** Told about trouble that no caller hears of. */
  readonly onError?: (what: string, error: unknown) => void;
  /** Called after automatic acts, such as a purge, and with the head of the audit log. */
  readonly onNotice?: (what: string, facts: Notice) => void;
  /** Called for external failures that need attention, such as a webhook that no receiver accepted. */
  readonly onWarning?: (what: string, facts: Notice) => void;
  /** False while lines of the log are dropped. */
  readonly isLogWorking?: () => boolean;
}

/** @throws {ForensicsError} `config_invalid`, `schema_newer`, `model_*`, `store_unavailable`, `no_space_left`. */
export async function openApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const { onError = () => undefined } = options;
  const { onNotice = () => undefined, onWarning = () => undefined } = options;
  const { isLogWorking = () => true } = options;
  return withStack(async (stack) => {
    const core = await openCore(settings, options.now, options.passwords);
    stack.defer(() => core.close());
    const { now } = core;
    const { db } = core.database;
    const modelsDir = modelsFolder(settings);
    const registry = createRegistry({ extra: modelsDir });
    const models = await registry.list();
    const modelHealth = createModelHealth({ registry, now });
    // Read and verified now: a damaged model must stop the start, not the first analysis.
    await modelHealth.check();
    const validation = await citedValidation(settings, registry);
    const limits = serviceLimits(settings);
    const sandbox = createSandbox({
      // Upgrades are drawn by who is asked for them.
      poolSize: Math.max(1, settings.workers),
      modelsDir,
      limits,
      trustList: settings.c2paTrustList && readTrustList(settings.c2paTrustList),
    });
    stack.defer(() => sandbox.close());
    const blobs = openBlobs({ settings, core, now, onError: (error) => onError('storage', error) });
    const queue = createQueue({ db, now });
    const outbox = createOutbox({ db, now });
    const analyses = createAnalyses({
      db,
      queue,
      outbox,
      stores: blobs.stores,
      sandbox: { ...sandbox, examine: modelHealth.watch(sandbox.examine) },
      models,
      validation,
      trialMd5s: trialMd5s(core.folder.path),
      limits,
      retention: settings,
      now,
      onError: (error) => onError('analyses', error),
      onNotice,
    });
    const work = openWork(stack, {
      settings,
      core,
      queue,
      outbox,
      analyses,
      buckets: blobs.embedded.buckets,
      now,
      onError,
      onNotice,
      onWarning,
    });
    return {
      ...core,
      analyses,
      evidence: createEvidence({
        core,
        input: {
          db,
          stores: blobs.stores,
          limits,
          validation,
          sandbox,
          trustList: settings.c2paTrustList && readTrustList(settings.c2paTrustList),
        },
        now,
      }),
      firstUser: await createFirstUser(core),
      feedback: work.feedback,
      tenancy: openTenancy({
        core,
        storage: blobs.storage,
        webhookGuard: webhookGuardOf(settings),
        now,
      }),
      tenantUsers: createTenantUsers(core),
      webhookLog: createWebhookLog({
        db,
        serverKey: core.webhookKey,
        allow: settings.webhookAllow,
        now,
      }),
      embeddedObjects: blobs.embedded,
      hasRemoteStores: async () =>
        (await db.select({ id: storageConfigs.id }).from(storageConfigs).limit(1).get()) !==
        undefined,
      setPublicUrl: (url) => blobs.setPublicUrl(url),
      proveStorage: () => blobs.prove(),
      health: createHealth({
        database: core.database,
        queue,
        checkModel: () => modelHealth.check(),
        checkStorage: () => blobs.check(),
        jobKinds: [runJob],
        jobsInHand: () => work.worker.running(),
        hasTroubledReceiver: () => hasTroubledReceiver(db, now()),
        isLogWorking,
        now,
      }),
      workload: createWorkload({
        db,
        queue,
        jobKinds: [runJob, sendJob],
        worker: work.worker,
        sandbox,
        now,
      }),
      startWork: () => work.start(),
      close: () => stack.unwind(),
    };
  });
}
