/** What is done without anybody waiting for it: runs, webhooks, feedback, chores. */

import { hostname } from 'node:os';
import type { Analyses } from '../analyses/analyses.ts';
import { runJob } from '../analyses/client-acts.ts';
import type { Notice } from '../analyses/context.ts';
import type { Buckets } from '../blobs/embedded/buckets.ts';
import type { Settings } from '../config.ts';
import { createChores } from '../jobs/chores.ts';
import type { Queue } from '../jobs/queue.ts';
import { createWorker } from '../jobs/worker.ts';
import type { Worker } from '../jobs/worker.ts';
import { createDeliverer } from '../webhooks/deliverer.ts';
import type { Outbox } from '../webhooks/outbox.ts';
import { choresOf } from './chores.ts';
import type { Core } from './core.ts';
import { openFeedback } from './feedback.ts';
import type { OpenFeedback } from './feedback.ts';
import type { Stack } from './stack.ts';

interface Parts {
  readonly settings: Settings;
  readonly core: Pick<Core, 'audit' | 'database' | 'webhookKey'>;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly analyses: Pick<Analyses, 'run' | 'cleanUp'>;
  readonly buckets: Pick<Buckets, 'sweep'>;
  readonly now: () => Date;
  readonly onError: (what: string, error: unknown) => void;
  readonly onNotice: (what: string, facts: Notice) => void;
  readonly onWarning: (what: string, facts: Notice) => void;
}

export interface Work {
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
export function openWork(stack: Stack, parts: Parts): Work {
  const { settings, core, queue, outbox, analyses, buckets, now } = parts;
  const { onError, onNotice, onWarning } = parts;
  const { db } = core.database;
  const workerId = `${hostname()}:${process.pid}`;
  const worker = createWorker({
    db,
    queue,
    handlers: { [runJob]: analyses.run },
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
    chores: choresOf({ db, audit: core.audit, analyses, buckets, now, onNotice }),
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
