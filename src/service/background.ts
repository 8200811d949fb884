/** Work that nobody waits for: runs, webhooks, feedback and daily chores. */

import { hostname } from 'node:os';
import type { Settings } from '../contract/config.ts';
import { createSender } from '../ports/network/post.ts';
import type { Buckets } from '../ports/storage/embedded/embedded.ts';
import { purgeExpired } from './access/embedded/sessions.ts';
import { forgetCounts } from './access/request-counts.ts';
import type { Analyses } from './analyses/analyses.ts';
import type { Notice } from './analyses/context.ts';
import { runJob } from './analyses/lifecycle/client.ts';
import type { Core } from './core.ts';
import { createFeedback, purgeFeedback, sendJob } from './feedback/feedback.ts';
import { type Chore, createChores } from './jobs/poll-loop.ts';
import type { Queue } from './jobs/queue.ts';
import type { Sandbox } from '../examiner/sandbox.ts';
import { createWorker, withRoom } from './jobs/worker.ts';
import { createDeliverer, purgeDeliveries } from './webhooks/deliver.ts';
import type { Outbox } from './webhooks/outbox.ts';

interface BackgroundOptions {
  readonly settings: Settings;
  readonly core: Pick<Core, 'audit' | 'database' | 'folder' | 'webhookKey'>;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly analyses: Pick<Analyses, 'run' | 'cleanUp'>;
  readonly buckets: Pick<Buckets, 'sweep'>;
  readonly sandbox: Pick<Sandbox, 'status'>;
  readonly now: () => Date;
  readonly onError: (what: string, error: unknown) => void;
  readonly onNotice: (what: string, facts: Notice) => void;
  readonly onWarning: (what: string, facts: Notice) => void;
}

/**
 * Nothing happens before `start`; everything stops when the stack unwinds.
 *
 * @throws {ForensicsError} `config_invalid`.
 */
export function openWork(stack: Stack, parts: BackgroundOptions) {
  const { settings, core, queue, outbox, analyses, sandbox, now, onError, onWarning } = parts;
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
  const feedback = openFeedback(stack, parts, workerId);
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
function openFeedback(stack: Stack, parts: BackgroundOptions, workerId: string) {
  const { settings, core, queue, now } = parts;
  const onError = (error: unknown) => parts.onError('feedback', error);
  const common = { db: core.database.db, queue, now, onError };
  // There is no address guard: the administrator chose the address, which may well be internal.
  const sender = createSender({ guard: { isAllowed: () => true } });
  stack.defer(() => sender.close());
  const feedback = createFeedback({ ...common, sender, url: settings.feedbackWebhookUrl });
  const handlers = { [sendJob]: feedback.send };
  const worker = createWorker({ ...common, workerId, handlers, concurrency: 2 });
  stack.defer(() => worker.stop());
  return { ...feedback, start: () => worker.start() };
}

/** More than is needed for the heatmaps and reports of the largest picture. */
const runBytes = 64 * 1024 * 1024;

/** Long enough to follow up a complaint about a missing message. */
const deliveriesKeptMs = 30 * 24 * 3_600_000;

const dayMs = 24 * 3_600_000;

/** The daily chores: they clean up, and record the head of the audit log. */
function listChores({ core, analyses, buckets, now, onNotice }: BackgroundOptions): Chore[] {
  const { audit } = core;
  const { db } = core.database;
  return [
    {
      name: 'webhook-deliveries',
      run: (signal) => purgeDeliveries(db, new Date(now().getTime() - deliveriesKeptMs), signal),
    },
    { name: 'sessions', run: () => purgeExpired(db, now()) },
    { name: 'request-counts', run: () => forgetCounts(db, new Date(now().getTime() - dayMs)) },
    { name: 'feedback', run: () => purgeFeedback(db, now()) },
    { name: 'uploads', run: () => buckets.sweep() },
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
