/** How much there is to do, in numbers that tell nothing about tenants. */

import type { Db } from '../db/open.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Worker } from '../jobs/worker.ts';
import type { Lab, LabStatus } from '../lab/lab.ts';
import { backlogOf } from '../webhooks/backlog.ts';

export interface Workload {
  /** By kind; waiting and in hand. */
  readonly jobs: Readonly<Record<string, number>>;
  readonly jobsInHand: number;
  /** Child processes that look at pictures. */
  readonly children: LabStatus;
  readonly deliveries: { readonly waiting: number; readonly givenUpInADay: number };
}

interface Parts {
  readonly db: Db;
  readonly queue: Pick<Queue, 'count'>;
  readonly jobKinds: readonly string[];
  readonly worker: Pick<Worker, 'running'>;
  readonly lab: Pick<Lab, 'status'>;
  readonly now: () => Date;
}

const dayMs = 24 * 3_600_000;

export function createWorkload({ db, queue, jobKinds, worker, lab, now }: Parts): () => Workload {
  return () => {
    const { waiting, givenUp } = backlogOf(db, new Date(now().getTime() - dayMs));
    return {
      jobs: Object.fromEntries(jobKinds.map((kind) => [kind, queue.count(kind)])),
      jobsInHand: worker.running(),
      children: lab.status(),
      deliveries: { waiting, givenUpInADay: givenUp },
    };
  };
}
