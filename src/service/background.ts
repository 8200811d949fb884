/** What is done without anybody waiting for it: runs, webhooks, feedback, chores. */

import { hostname } from 'node:os';
import { eq } from 'drizzle-orm';
import type { Settings } from '../contract/config.ts';
import { type Db, transact } from '../ports/db/database.ts';
import { forgetOldRequests } from './idempotency.ts';
import { settings as settingRows } from '../ports/db/schema.ts';
import { requireFreeSpace } from '../ports/files/free-space.ts';
import type { Buckets } from '../ports/storage/embedded/buckets.ts';
import { purgeExpired } from './access/embedded/sessions.ts';
import { forgetCounts } from './access/request-counts.ts';
import type { Analyses } from './analyses/analyses.ts';
import type { Notice } from './analyses/context.ts';
import { runJob } from './analyses/lifecycle/client.ts';
import type { Audit } from './audit/log.ts';
import type { Core } from './core.ts';
import type { Stack } from './disposer.ts';
import { type OpenFeedback, openFeedback, purgeFeedback } from './feedback/feedback.ts';
import { createLoop } from './jobs/poll-loop.ts';
import type { Queue } from './jobs/queue.ts';
import { createWorker, type Handler, type Worker } from './jobs/worker.ts';
import { createDeliverer } from './webhooks/deliver.ts';
import { purgeDeliveries } from './webhooks/deliveries.ts';
import type { Outbox } from './webhooks/outbox.ts';

interface BackgroundOptions {
  readonly settings: Settings;
  readonly core: Pick<Core, 'audit' | 'database' | 'folder' | 'webhookKey'>;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly analyses: Pick<Analyses, 'run' | 'cleanUp'>;
  readonly buckets: Pick<Buckets, 'sweep'>;
  readonly now: () => Date;
  readonly onError: (what: string, error: unknown) => void;
  readonly onNotice: (what: string, facts: Notice) => void;
  readonly onWarning: (what: string, facts: Notice) => void;
}

interface Work {
  /** Of the runs. */
  readonly worker: Pick<Worker, 'running'>;
  readonly feedback: Pick<OpenFeedback, 'submit'>;
  start(): void;
}

/**
 * Nothing moves before `start`; everything stops when the stack unwinds.
 *
 * @throws {ForensicsError} `config_invalid`.
 */
export function openWork(stack: Stack, parts: BackgroundOptions): Work {
  const { settings, core, queue, outbox, analyses, buckets, now } = parts;
  const { onError, onNotice, onWarning } = parts;
  const { db } = core.database;
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
  const feedback = openFeedback({
    settings,
    db,
    queue,
    workerId,
    now,
    onError: (error) => onError('feedback', error),
  });
  stack.defer(() => feedback.stop());
  const chores = createChores({
    db,
    now,
    chores: listChores({ db, audit: core.audit, analyses, buckets, now, onNotice }),
    onError: (error) => onError('chores', error),
  });
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

/** More than the heatmaps and reports of the largest picture take. */
const runBytes = 64 * 1024 * 1024;

interface Room {
  readonly folder: string;
  /** What one run writes. */
  readonly bytes: number;
  /** The runs of all processes that write to this disk, the one that begins included. */
  readonly runsUnderWay: () => Promise<number>;
}

/**
 * The same handler, which does not begin where the disk has no room for what it and the runs under way write: the job waits
 * in the queue until there is some, and its analysis stays as it is.
 */
export function withRoom({ folder, bytes, runsUnderWay }: Room, handler: Handler): Handler {
  return async (job, context) => {
    await requireFreeSpace(folder, bytes * (await runsUnderWay()));
    await handler(job, context);
  };
}

/** Long enough to look into a complaint about a message that did not come. */
const deliveriesKeptMs = 30 * 24 * 3_600_000;

/** What the program does once a day: it cleans up, and logs the head of the audit log. */
function listChores({
  db,
  audit,
  analyses,
  buckets,
  now,
  onNotice,
}: {
  readonly db: Db;
  readonly audit: Pick<Audit, 'chains' | 'head'>;
  readonly analyses: Pick<Analyses, 'cleanUp'>;
  readonly buckets: Pick<Buckets, 'sweep'>;
  readonly now: () => Date;
  readonly onNotice: (what: string, facts: Notice) => void;
}): Chore[] {
  return [
    {
      name: 'webhook-deliveries',
      run: (signal) => purgeDeliveries(db, new Date(now().getTime() - deliveriesKeptMs), signal),
    },
    {
      name: 'idempotency-keys',
      run: async () => transact(db, (tx) => forgetOldRequests(tx, now())),
    },
    { name: 'sessions', run: () => purgeExpired(db, now()) },
    { name: 'request-counts', run: () => forgetCounts(db, new Date(now().getTime() - dayMs)) },
    { name: 'feedback', run: () => purgeFeedback(db, now()) },
    { name: 'uploads', run: () => void buckets.sweep() },
    { name: 'retention', run: (signal) => analyses.cleanUp(signal) },
    {
      // Into the log of the server, which is stored elsewhere: an attacker who rewrites the database does not reach it there.
      name: 'audit-heads',
      run: async () => {
        for (const chain of await audit.chains())
          onNotice('audit-head', { ...(await audit.head(chain)) });
      },
    },
  ];
}

// What has to be done once a day, by whichever process comes first: when each was last begun stands in the database, so
// a restart repeats nothing and a second process does nothing twice. A chore that a crash cuts short is done the next
// day: chores clean up, nothing waits for them.

export interface Chore {
  /** Stable: under it the database remembers when it was begun. */
  readonly name: string;
  /** Soon ends when `signal` is aborted. */
  readonly run: (signal: AbortSignal) => void | Promise<void>;
}

interface Chores {
  start(): void;
  stop(): Promise<void>;
  /** Does what is due, one after the other. */
  drain(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function createChores({
  db,
  now,
  chores,
  onError,
  pollMs = hourMs / 4,
}: {
  readonly db: Db;
  readonly now: () => Date;
  readonly chores: readonly Chore[];
  /** Told about a chore that failed; it is tried again after an hour. */
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
}): Chores {
  const stopping = new AbortController();
  const loop = createLoop({ turn, now, pollMs, onError });

  async function turn(): Promise<null> {
    for (const { name, run } of chores) {
      try {
        if (stopping.signal.aborted || !(await takeChore(db, name, now()))) continue;
        await run(stopping.signal);
      } catch (error) {
        onError(error);
        await postponeChore(db, name, now()).catch(onError);
      }
    }
    return null;
  }

  return {
    start: () => loop.start(),
    async stop() {
      stopping.abort();
      await loop.stop();
    },
    async drain() {
      await loop.run();
    },
  };
}

/** True for the one process that has it to do today. */
async function takeChore(db: Db, name: string, at: Date): Promise<boolean> {
  return transact(db, async (tx) => {
    const key = choreKey(name);
    const row = await tx.select().from(settingRows).where(eq(settingRows.key, key)).get();
    const ageMs = at.getTime() - Date.parse(row?.value ?? '');
    // A time in the future was written by a clock that was wrong.
    if (ageMs >= 0 && ageMs < dayMs) return false;
    const value = at.toISOString();
    const write = tx.insert(settingRows).values({ key, value });
    await write.onConflictDoUpdate({ target: settingRows.key, set: { value } }).run();
    return true;
  });
}

/** By an hour. */
async function postponeChore(db: Db, name: string, at: Date): Promise<void> {
  const value = new Date(at.getTime() - dayMs + hourMs).toISOString();
  const isIt = eq(settingRows.key, choreKey(name));
  await db.update(settingRows).set({ value }).where(isIt).run();
}

function choreKey(name: string): string {
  return `chore/${name}`;
}
