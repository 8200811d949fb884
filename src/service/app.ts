/** Opens everything once and closes it in reverse order; only this file knows the implementation behind each port. */

import { hostname } from 'node:os';
import type { Settings } from '../contract/config.ts';
import { createSandbox } from '../examiner/sandbox.ts';
import { limitsForAccepted, serviceLimits } from '../image/picture.ts';
import { createRegistry } from '../inference/registry.ts';
import { modelsFolder } from '../ports/data-folder/data-folder.ts';
import { hasRow } from '../ports/db/database.ts';
import { storageConfigs } from '../ports/db/schema.ts';
import { createSender } from '../ports/network/post.ts';
import { readTrustList } from '../provenance/c2pa-reader.ts';
import type { Passwords } from './access/embedded/passwords.ts';
import { purgeExpired } from './access/embedded/sessions.ts';
import { forgetCounts } from './access/request-counts.ts';
import { createTenantUsers } from './access/tenant-users.ts';
import { createAnalyses } from './analyses/analyses.ts';
import { createEvidence } from './analyses/bundles.ts';
import type { Notice } from './analyses/context.ts';
import { runJob } from './analyses/lifecycle/client.ts';
import { openCore } from './core.ts';
import { createFeedback, purgeFeedback, sendJob } from './feedback/feedback.ts';
import { createFirstUser, trialMd5s } from './first-run.ts';
import { createHealth, createModelHealth, createWorkload, runBytes } from './health.ts';
import { type Chore, createChores, createWorker, withRoom } from './jobs/worker.ts';
import { createQueue } from './jobs/queue.ts';
import { openBlobs } from './storage.ts';
import { createTenancy } from './tenants/tenancy.ts';
import { citedValidation } from './validation/saved-validations.ts';
import { createDeliverer, purgeDeliveries } from './webhooks/deliver.ts';
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
  return withStack(async (stack) => {
    const parts = await openParts(settings, options, stack);
    const work = openWork(parts, stack);
    const { core, db, now, blobs, analyses, queue, modelHealth, sandbox, isLogWorking } = parts;
    const { webhookAllow } = settings;
    const { worker } = work;
    return {
      /** Database, tenants, keys and users; closed with the app. */
      core,
      analyses,
      evidence: createEvidence({ core, input: { ...parts, stores: blobs.stores }, now }),
      administration: {
        tenancy: createTenancy({ ...blobs.storage, db, keys: core.keys, webhookAllow, now }),
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
      operations: {
        health: createHealth({
          database: core.database,
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
      },
      close: () => stack.unwind(),
    };
  });
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openParts(settings: Settings, options: AppOptions, stack: Stack) {
  const { onError = () => undefined, onNotice = () => undefined } = options;
  const { onWarning = () => undefined, isLogWorking = () => true } = options;
  const core = await openCore(settings, options.now, options.passwords);
  stack.defer(() => core.close());
  const { now } = core;
  const { db } = core.database;
  const examiner = await openExaminer(settings, now, stack);
  const { sandbox, modelHealth, models, validation } = examiner;
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
    limits: serviceLimits(settings),
    retention: settings,
    now,
    onError: (error) => onError('analyses', error),
    onNotice,
  });
  const hooks = { onError, onNotice, onWarning, isLogWorking };
  return { settings, core, db, now, ...examiner, blobs, queue, outbox, analyses, ...hooks };
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

// Work that nobody waits for: runs, webhooks, feedback and daily chores.

/** Nothing happens before `start`; all stops when the stack unwinds. @throws {ForensicsError} `config_invalid`. */
function openWork(parts: Parts, stack: Stack) {
  const { settings, core, db, queue, outbox, analyses, sandbox, now, onError, onWarning } = parts;
  const workerId = `${hostname()}:${process.pid}`;
  const room = {
    folder: core.folder.path,
    bytes: runBytes,
    runsUnderWay: async () => queue.countLeased(runJob, `${hostname()}:`),
  };
  const worker = createWorker({
    db,
    queue,
    handlers: { [runJob]: withRoom(room, analyses.run) },
    workerId,
    concurrency: settings.workers,
    // If every child process is busy, a run goes back to the queue, which its client can see.
    canBegin: () => sandbox.status().busy < settings.workers,
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
    onNotice: onWarning,
  });
  stack.defer(() => deliverer.stop());
  const feedback = openFeedback(parts, stack, workerId);
  const onChoreError = (error: unknown) => onError('chores', error);
  const chores = createChores({ db, now, chores: listChores(parts), onError: onChoreError });
  stack.defer(() => chores.stop());
  return {
    worker,
    feedback,
    start() {
      worker.start();
      deliverer.start();
      feedback.start();
      chores.start();
    },
  };
}

/** Feedback has its own worker, so that a slow receiver does not delay analyses. */
function openFeedback(
  { settings, db, queue, now, ...parts }: Parts,
  stack: Stack,
  workerId: string,
) {
  const common = { db, queue, now, onError: (error: unknown) => parts.onError('feedback', error) };
  // There is no address guard: the administrator chose the address, which may well be internal.
  const sender = createSender({ guard: { isAllowed: () => true } });
  stack.defer(() => sender.close());
  const feedback = createFeedback({ ...common, sender, url: settings.feedbackWebhookUrl });
  const handlers = { [sendJob]: feedback.send };
  const worker = createWorker({ ...common, workerId, handlers, concurrency: 2 });
  stack.defer(() => worker.stop());
  return { ...feedback, start: () => worker.start() };
}

const dayMs = 24 * 3_600_000;
/** Long enough to follow up a complaint about a missing message. */
const deliveriesKeptMs = 30 * dayMs;

/** The daily chores: they clean up, and record the head of the audit log. */
function listChores({ core: { audit }, db, analyses, blobs, now, onNotice }: Parts): Chore[] {
  const ago = (ms: number) => new Date(now().getTime() - ms);
  return [
    {
      name: 'webhook-deliveries',
      run: (signal) => purgeDeliveries(db, ago(deliveriesKeptMs), signal),
    },
    { name: 'sessions', run: () => purgeExpired(db, now()) },
    { name: 'request-counts', run: () => forgetCounts(db, ago(dayMs)) },
    { name: 'feedback', run: () => purgeFeedback(db, now()) },
    { name: 'uploads', run: () => blobs.embedded.buckets.sweep() },
    { name: 'retention', run: (signal) => analyses.cleanUp(signal) },
    {
      // The server log is stored elsewhere, out of reach of an attacker who rewrites the database.
      name: 'audit-heads',
      run: async () => {
        for (const chain of await audit.chains())
          onNotice('audit-head', { ...(await audit.head(chain)) });
      },
    },
  ];
}

// Resources are released in reverse order of acquisition, even if acquiring one of them fails.

export interface Stack {
  defer(release: () => void | Promise<void>): void;
  /** Releases everything; one failing release does not prevent the others. */
  unwind(): Promise<void>;
}

/** Runs `open`; when it throws, releases what it acquired so far and rethrows the error. */
export async function withStack<T>(open: (stack: Stack) => Promise<T>): Promise<T> {
  const releases: (() => void | Promise<void>)[] = [];
  const stack: Stack = {
    defer: (release) => void releases.push(release),
    async unwind() {
      const failures: unknown[] = [];
      for (let release = releases.pop(); release; release = releases.pop()) {
        try {
          await release();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, 'Some resources could not be closed.');
    },
  };
  try {
    return await open(stack);
  } catch (error) {
    // The caller needs the reason why opening failed; a failure to close usually follows from it.
    await stack.unwind().catch(() => undefined);
    throw error;
  }
}
