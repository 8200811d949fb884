/**
 * Opens everything once, as the settings say, and closes it in reverse order. This is the only place that knows which
 * implementation is behind each port.
 */

import type { Passwords } from './access/embedded/passwords.ts';
import { createTenantUsers } from './access/tenant-users.ts';
import { createAnalyses } from './analyses/analyses.ts';
import { createEvidence } from './analyses/bundles.ts';
import type { Notice } from './analyses/context.ts';
import { runJob } from './analyses/lifecycle/client.ts';
import type { Settings } from '../contract/config.ts';
import { createSandbox } from '../examiner/sandbox.ts';
import { limitsForAccepted, serviceLimits } from '../image/picture.ts';
import { createRegistry } from '../inference/registry.ts';
import { modelsFolder } from '../ports/data-folder/data-folder.ts';
import { hasRow } from '../ports/db/database.ts';
import { storageConfigs } from '../ports/db/schema.ts';
import { readTrustList } from '../provenance/c2pa-reader.ts';
import { openWork, type Stack, withStack } from './background.ts';
import { type Core, openCore } from './core.ts';
import { sendJob } from './feedback/feedback.ts';
import { createFirstUser, trialMd5s } from './first-run.ts';
import { createHealth, createModelHealth, createWorkload } from './health.ts';
import { createQueue, type Queue } from './jobs/queue.ts';
import { type Blobs, openBlobs } from './storage.ts';
import { createTenancy } from './tenants/tenancy.ts';
import { citedValidation } from './validation/saved-validations.ts';
import { createOutbox, hasFailingReceiver } from './webhooks/outbox.ts';

export type App = Awaited<ReturnType<typeof openApp>>;
export type Administration = App['administration'];
export type Operations = App['operations'];

interface AppOptions {
  readonly now?: () => Date;
  /** Tests pass cheaper password hashes. */
  readonly passwords?: Passwords;
  /** Receives errors that reach no caller. */
  readonly onError?: (what: string, error: unknown) => void;
  /** Called after automatic actions, such as a purge, and with the head of the audit log. */
  readonly onNotice?: (what: string, facts: Notice) => void;
  /** Called for external failures that need attention, such as a webhook that no receiver accepted. */
  readonly onWarning?: (what: string, facts: Notice) => void;
  /** Returns false while log lines are being dropped. */
  readonly isLogWorking?: () => boolean;
}

/** @throws {ForensicsError} `config_invalid`, `schema_newer`, `model_*`, `store_unavailable`, `no_space_left`. */
export async function openApp(settings: Settings, options: AppOptions = {}) {
  const { onError = () => undefined, onNotice = () => undefined } = options;
  const { onWarning = () => undefined, isLogWorking = () => true } = options;
  return withStack(async (stack) => {
    const core = await openCore(settings, options.now, options.passwords);
    stack.defer(() => core.close());
    const { now } = core;
    const { db } = core.database;
    const examiner = await openExaminer(settings, now, stack);
    const blobs = openBlobs({ settings, core, now, onError: (error) => onError('storage', error) });
    const { stores, storage } = blobs;
    const queue = createQueue({ db, now });
    const outbox = createOutbox({ db, now });
    const { sandbox, modelHealth, models, validation, limits, trustList } = examiner;
    const analyses = createAnalyses({
      db,
      queue,
      outbox,
      stores,
      sandbox: { ...sandbox, examine: modelHealth.watch(sandbox.examine) },
      models,
      validation,
      trialMd5s: trialMd5s(core.folder.path),
      limits: serviceLimits(settings),
      retention: settings,
      now,
      onError: (error) => onError('analyses', error),
      onNotice,
    });
    const { buckets } = blobs.embedded;
    const parts = { settings, core, queue, outbox, analyses, buckets, sandbox, now };
    const work = openWork(stack, { ...parts, onError, onNotice, onWarning });
    const input = { db, stores, limits, validation, sandbox, trustList };
    const { webhookAllow } = settings;
    return {
      /** Database, tenants, keys and users; closed with the app. */
      core,
      analyses,
      evidence: createEvidence({ core, input, now }),
      administration: {
        tenancy: createTenancy({ ...storage, db, keys: core.keys, webhookAllow, now }),
        tenantUsers: createTenantUsers(core),
        webhookAllow,
        firstUser: await createFirstUser(core),
        feedback: work.feedback,
      },
      storage: {
        ...blobs,
        /** Whether a remote store contains, or has contained, anything. */
        hasRemote: () => hasRow(db, storageConfigs),
      },
      operations: openOperations({ core, queue, blobs, work, isLogWorking, ...examiner }),
      close: () => stack.unwind(),
    };
  });
}

async function openExaminer(settings: Settings, now: () => Date, stack: Stack) {
  const modelsDir = modelsFolder(settings);
  const registry = createRegistry({ extra: modelsDir });
  const models = await registry.list();
  const modelHealth = createModelHealth({ registry, now });
  await modelHealth.check();
  const validation = await citedValidation(settings, registry);
  const limits = limitsForAccepted(settings);
  const trustList = settings.c2paTrustList && readTrustList(settings.c2paTrustList);
  // Upgrades are rendered in the process that receives the request, even when the workers are elsewhere.
  const poolSize = Math.max(1, settings.workers);
  const sandbox = createSandbox({ poolSize, modelsDir, limits, trustList });
  stack.defer(() => sandbox.close());
  return { models, modelHealth, validation, limits, trustList, sandbox };
}

interface OperationsParts
  extends Pick<Awaited<ReturnType<typeof openExaminer>>, 'modelHealth' | 'sandbox'> {
  readonly core: Core;
  readonly queue: Queue;
  readonly blobs: Blobs;
  readonly work: ReturnType<typeof openWork>;
  readonly isLogWorking: () => boolean;
}

function openOperations(parts: OperationsParts) {
  const { core, queue, blobs, work, isLogWorking, modelHealth, sandbox } = parts;
  const { now, database } = core;
  const { db } = database;
  const { worker } = work;
  return {
    health: createHealth({
      database,
      queue,
      checkModel: () => modelHealth.check(),
      checkStorage: () => blobs.check(),
      jobKinds: [runJob],
      jobsInHand: () => worker.running(),
      hasFailingReceiver: () => hasFailingReceiver(db, now()),
      isLogWorking,
      now,
    }),
    workload: createWorkload({ db, queue, jobKinds: [runJob, sendJob], worker, sandbox, now }),
    start: () => work.start(),
  };
}
