/**
 * Checks whether the parts are working. Each check is quick, leaves nothing behind and reveals
 * nothing about tenants. Database, storage, model and queue are vital to analyses; webhooks may fail
 * because of a tenant's receiver, and a log that nobody reads loses lines but no analysis.
 */

import { withinTime } from '../waiting.ts';
import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite, requireFreeSpace } from '../ports/files/files.ts';
import type { RemoteStore } from '../ports/storage/store.ts';
import { countCompleted } from './usage/usage.ts';
import { type OpenDatabase, statementsOfProcess, type Clocked } from '../ports/db/database.ts';
import type { Queue } from './jobs/queue.ts';
import type { Worker } from './jobs/worker.ts';
import { ForensicsError, type ErrorCode, storeUnavailable } from '../contract/errors.ts';
import type { Registry } from '../inference/registry.ts';
import type { Sandbox } from '../examiner/sandbox.ts';
import { countBacklog } from './webhooks/deliver.ts';

/** Parts without which the service still works. */
const optional = ['webhooks', 'log'];

interface HealthParts {
  readonly database: Pick<OpenDatabase, 'check'>;
  readonly queue: Pick<Queue, 'nextDueAt'>;
  readonly checkModel: () => Promise<void>;
  readonly checkStorage: () => Promise<void>;
  readonly jobKinds: readonly string[];
  readonly jobsInHand: () => number;
  readonly hasFailingReceiver: () => Promise<boolean>;
  /** False while log lines are being dropped. */
  readonly isLogWorking: () => boolean;
  readonly now: () => Date;
}

// The health route is public and has no rate limit, so parts are checked at most this often.
const healthFreshMs = 1000;
// Much longer than a lease. A long queue is healthy as long as workers make progress.
const longestWaitMs = 15 * 60_000;

/** Each check has a null `cause` if all is well. The service still works if a part that is not vital fails. */
export function createHealth(parts: HealthParts) {
  const { database, queue, checkModel, checkStorage, jobKinds, jobsInHand, now } = parts;
  const { hasFailingReceiver, isLogWorking } = parts;
  const checks = {
    database: () =>
      withinTime(database.check(), checkTimeoutMs, () => {
        throw new Error('The database does not answer in time.');
      }),
    storage: checkStorage,
    model: checkModel,
    async queue() {
      const dueAt = await queue.nextDueAt(jobKinds);
      const waitedMs = dueAt === null ? 0 : now().getTime() - dueAt.getTime();
      if (waitedMs <= longestWaitMs || jobsInHand() > 0) return;
      throw new Error(`Work has been due for ${waitedMs} ms and no worker has taken it.`);
    },
    async webhooks() {
      if (await hasFailingReceiver()) throw new Error('A webhook receiver is not responding.');
    },
    log() {
      if (!isLogWorking())
        throw new Error('Nothing is reading the log, so lines are being dropped.');
    },
  };
  const look = async () =>
    Promise.all(
      Object.entries<() => void | Promise<void>>(checks).map(async ([name, check]) => {
        const isVital = !optional.includes(name);
        try {
          await check();
          return { name, cause: null, isVital };
        } catch (error) {
          const cause = error instanceof Error ? error : new Error(String(error));
          return { name, cause, isVital };
        }
      }),
    );
  return cached(look, healthFreshMs, now);
}

/** The amount of work, in numbers that reveal nothing about tenants. */
export type Workload = Awaited<ReturnType<ReturnType<typeof createWorkload>>>;

interface WorkloadParts extends Clocked {
  readonly queue: Pick<Queue, 'count' | 'nextDueAt'>;
  readonly jobKinds: readonly string[];
  readonly worker: Pick<Worker, 'running'>;
  readonly sandbox: Pick<Sandbox, 'status'>;
}

const dayMs = 24 * 3_600_000;

export function createWorkload({ db, queue, jobKinds, worker, sandbox, now }: WorkloadParts) {
  return async () => {
    const { waiting, givenUp } = await countBacklog(db, new Date(now().getTime() - dayMs));
    const jobs: Record<string, number> = {};
    const waitMs: Record<string, number> = {};
    for (const kind of jobKinds) {
      jobs[kind] = await queue.count(kind);
      const dueAt = await queue.nextDueAt([kind]);
      waitMs[kind] = dueAt === null ? 0 : Math.max(0, now().getTime() - dueAt.getTime());
    }
    return {
      /** Number of jobs by kind, waiting and running. */
      jobs,
      /** How long the oldest due job has waited, by kind. */
      waitMs,
      jobsInHand: worker.running(),
      /** Total since the installation was set up, over all processes. */
      analysesCompleted: await countCompleted(db),
      statements: { ...statementsOfProcess },
      children: sandbox.status(),
      deliveries: { waiting, givenUpInADay: givenUp },
    };
  };
}

/** Caches the last result while it is fresh; concurrent callers share one check. */
function cached<T>(act: () => Promise<T>, freshMs: number, now: () => Date): () => Promise<T> {
  let latest: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
  return async () => {
    const atMs = now().getTime();
    if (latest === null || atMs - latest.atMs >= freshMs) latest = { atMs, answer: act() };
    return latest.answer;
  };
}

// Requests to a store take time and may cost money.
const storeFreshMs = 10_000;
// A health check must not wait as long as a request may.
const checkTimeoutMs = 3000;

/** Free space for one run: more than the heatmaps and reports of the largest picture need. */
export const runBytes = 64 * 1024 * 1024;

/** Large enough to occupy space of its own on any file system. */
const probe = Buffer.alloc(64 * 1024, 'health');

/** @throws {ForensicsError} `no_space_left` when no run can start, before uploads and the database fail; as `writeProbe`. */
export async function checkFolder(root: string): Promise<void> {
  await requireFreeSpace(root, runBytes);
  await writeProbe(root);
}

/** Writes to a folder, reads back and deletes. @throws {ForensicsError} `no_space_left`, `config_invalid`. */
export async function writeProbe(root: string): Promise<void> {
  const file = join(root, `.health-${randomUUID()}`);
  try {
    await writeFile(file, probe, { mode: 0o600, flush: true }).catch((error: unknown) => {
      throw cannotWrite(error);
    });
    const read = await readFile(file);
    if (!read.equals(probe))
      throw new Error('The data folder returned different bytes from those written.');
  } finally {
    await rm(file, { force: true });
  }
}

/** @throws {ForensicsError} in the check: `store_refused`, `store_unavailable`. */
export function checkRemote(
  store: Pick<RemoteStore, 'head'>,
  { now, timeoutMs = checkTimeoutMs }: { readonly now: () => Date; readonly timeoutMs?: number },
): () => Promise<void> {
  // The object does not exist, but only a store that accepts our credentials reports that.
  const ask = () =>
    withinTime(store.head('forensics-probe/health'), timeoutMs, () => {
      throw storeUnavailable('The store did not respond in time.');
    });
  return cached(async () => void (await ask()), storeFreshMs, now);
}

/** An unknown model is the client's mistake. */
const brokenModel: readonly ErrorCode[] = ['model_integrity', 'runtime_missing'];
// An unhealthy service may not get any more requests, so no successful run could clear the failure.
const runFailureMs = 10 * 60_000;

/**
 * Checks whether the models used by runs match their manifests. This happens every second, so files are only read and
 * hashed again if a size or time has changed. A run that failed because of the model counts at once, whatever the files
 * look like.
 */
export function createModelHealth(parts: {
  readonly registry: Pick<Registry, 'find' | 'open' | 'openLocator' | 'stampDefaults'>;
  readonly now: () => Date;
}) {
  const { registry, now } = parts;
  let reading: Awaited<ReturnType<typeof readAgain>> | null = null;
  let failedRun: { readonly cause: ForensicsError; readonly at: number } | null = null;

  async function readAgain(stamp: string) {
    try {
      await registry.open(null);
      await registry.openLocator();
      return { stamp, cause: null };
    } catch (error) {
      if (error instanceof ForensicsError) return { stamp, cause: error };
      throw error;
    }
  }

  async function noteFailure(model: string | null, error: unknown): Promise<void> {
    if (!(error instanceof ForensicsError) || !brokenModel.includes(error.code)) return;
    const isDefault = model === null || (await registry.find(null)).id === model;
    if (isDefault) failedRun = { cause: error, at: now().getTime() };
  }

  return {
    /** @throws {ForensicsError} `model_*`, `runtime_missing`. */
    async check() {
      const stamp = await registry.stampDefaults();
      const isOver = failedRun !== null && now().getTime() - failedRun.at >= runFailureMs;
      if (reading?.stamp !== stamp || isOver) {
        reading = await readAgain(stamp);
        failedRun = null;
      }
      const cause = reading.cause ?? failedRun?.cause;
      if (cause) throw cause;
    },
    /** Wraps `examine` so that its outcomes are recorded. */
    watch:
      (examine: Sandbox['examine']): Sandbox['examine'] =>
      async (...args) => {
        const [{ options }] = args;
        try {
          const examination = await examine(...args);
          failedRun = null;
          return examination;
        } catch (error) {
          await noteFailure(options.model, error).catch(() => undefined);
          throw error;
        }
      },
  };
}
