/**
 * Takes jobs from the queue and gives them to their handlers, keeps their leases alive, and stops cleanly. A handler
 * settles its job itself (`finish` or `release`) in the transaction that makes the outcome visible.
 */

import { type Db, transact } from '../../ports/db/database.ts';
import { ForensicsError } from '../../errors.ts';
import { requireFreeSpace } from '../../ports/files/free-space.ts';
import { createLoop } from './poll-loop.ts';
import type { Job, Queue } from './queue.ts';

export type Handler = (job: Job, context: { readonly signal: AbortSignal }) => Promise<void>;

interface WorkerOptions {
  readonly db: Db;
  readonly queue: Queue;
  /** By kind of job. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly workerId: string;
  /** Jobs at a time. */
  readonly concurrency: number;
  /** False while no job could begin: none is claimed then. */
  readonly canBegin?: () => boolean;
  readonly now: () => Date;
  /** How long to sleep at most: jobs that another process added are seen after this time. */
  readonly pollMs?: number;
  /** A lease is renewed three times in this time; after it another worker takes over a dead worker's job. */
  readonly leaseMs?: number;
  /** Told about everything a handler throws, and about the loop's own troubles. */
  readonly onError?: (error: unknown, job: Job | null) => void;
}

export interface Worker {
  start(): void;
  /** Takes no new job, gives running ones `graceMs`, then aborts them and gives them back to the queue. */
  stop(how?: { readonly graceMs?: number }): Promise<void>;
  /** Works until nothing is due and nothing runs. */
  drain(): Promise<void>;
  /** Jobs in hand. */
  running(): number;
}

const longestPauseMs = 60_000;
/** Until it is asked again whether a job could begin. */
const retryMs = 250;

export function createWorker(options: WorkerOptions): Worker {
  const { queue, handlers, workerId, concurrency, now } = options;
  const { pollMs = 1000, leaseMs = 60_000, onError = () => undefined } = options;
  const { canBegin = () => true } = options;
  const kinds = Object.keys(handlers);
  const scheduler = createFairScheduler(now);
  const loop = createLoop<AbortController>({
    turn,
    now,
    pollMs,
    onError: (error) => onError(error, null),
  });
  let isStopping = false;
  const stopListening = queue.onAdded(() => loop.wake());

  async function turn(): Promise<Date | null> {
    for (;;) {
      // With all hands full there is nothing to wait for: the end of a job wakes the loop.
      if (isStopping || loop.inHand().length >= concurrency) return null;
      if (!canBegin()) return new Date(now().getTime() + retryMs);
      const except = scheduler.choices();
      const job = await queue.claim({ workerId, leaseMs, kinds, except });
      if (job === null) {
        const ends = [await queue.nextDueAt(kinds, scheduler.blocked()), scheduler.nextAt()];
        const times = ends.flatMap((end) => end?.getTime() ?? []);
        return times.length === 0 ? null : new Date(Math.min(...times));
      }
      const abort = new AbortController();
      loop.takeOn(work(job, abort), abort);
    }
  }

  async function work(job: Job, abort: AbortController): Promise<void> {
    const lending = { queue, leaseMs, onError };
    const heartbeat = setInterval(() => void renew(lending, job, abort), leaseMs / 3);
    const endTurn = scheduler.begin(job.owner);
    try {
      await handlers[job.kind]!(job, { signal: abort.signal });
      endTurn('done');
    } catch (error) {
      const isOurStop = abort.signal.aborted && isStopping;
      if (!isOurStop) onError(error, job);
      const pauseMs = Math.min(longestPauseMs, 500 * 2 ** Math.min(job.fence, 10));
      await giveBack({ ...options, onError }, job, isOurStop ? 0 : pauseMs);
      endTurn(abort.signal.aborted || isLeaseLost(error) ? 'taken away' : 'failed');
    } finally {
      clearInterval(heartbeat);
    }
  }

  return {
    start: () => loop.start(),
    running: () => loop.inHand().length,
    drain: () => loop.drain(),
    async stop({ graceMs = 10_000 } = {}) {
      isStopping = true;
      stopListening();
      await loop.stop();
      const reason = new ForensicsError('cancelled', 'The worker is stopping.');
      const abortAll = () => loop.inHand().forEach((abort) => abort.abort(reason));
      const giveUp = setTimeout(abortAll, graceMs);
      await loop.settled();
      clearTimeout(giveUp);
    },
  };
}

type Lending = Required<Pick<WorkerOptions, 'queue' | 'leaseMs' | 'onError'>>;

async function renew(
  { queue, leaseMs, onError }: Lending,
  job: Job,
  abort: AbortController,
): Promise<void> {
  try {
    if (await queue.extendLease(job, leaseMs)) return;
    abort.abort(new ForensicsError('lease_lost', 'Another worker has taken this job over.'));
  } catch (error) {
    // The next heartbeat tries again; two may fail before the lease is gone.
    onError(error, job);
  }
}

async function giveBack(
  { db, queue, now, onError }: Required<Pick<WorkerOptions, 'db' | 'queue' | 'now' | 'onError'>>,
  job: Job,
  afterMs: number,
): Promise<void> {
  try {
    await transact(db, (tx) => queue.release(tx, job, new Date(now().getTime() + afterMs)));
  } catch (error) {
    // Settled by the handler already, or lost: the lease decides. A trouble of the file ends with the lease, too.
    if (!isLeaseLost(error)) onError(error, job);
  }
}

function isLeaseLost(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'lease_lost';
}

/**
 * The owner whose job runs next, so that no owner delays the others: owners take turns, and one whose latest job failed
 * rests ten times as long as it took, then gets one job at a time until one is done. Kept in memory: a new process has to
 * find out again.
 */
interface FairScheduler {
  /** Owners whose jobs must not start now. */
  blocked(): readonly string[];
  /**
   * Owners whose jobs are left alone, from the fairest choice to the last: first an owner that has no running job and was not
   * served last, then an owner without a running job, then any that is not blocked.
   */
  choices(): readonly (readonly string[])[];
  /** When the next rest ends; null when no owner rests. */
  nextAt(): Date | null;
  /** Records that a job starts; call the returned function with its outcome. */
  begin(owner: string | null): (end: 'done' | 'failed' | 'taken away') => void;
}

const shortestRestMs = 1000;
const longestRestMs = 15 * 60_000;

function createFairScheduler(now: () => Date): FairScheduler {
  const inHand: string[] = [];
  /** Owners whose latest job failed, and until when they rest. */
  const failing = new Map<string, Date>();
  let latest: string | null = null;

  const isResting = (until: Date) => until > now();

  const blocked = () =>
    [...failing]
      .filter(([owner, until]) => isResting(until) || inHand.includes(owner))
      .map(([owner]) => owner);

  return {
    blocked,
    choices() {
      const last = blocked();
      const idle = [...last, ...inHand];
      return [latest === null ? idle : [...idle, latest], idle, last];
    },
    nextAt() {
      const ends = [...failing.values()].filter(isResting).map((until) => until.getTime());
      return ends.length === 0 ? null : new Date(Math.min(...ends));
    },
    begin(owner) {
      if (owner === null) return () => undefined;
      const begunAt = now().getTime();
      inHand.push(owner);
      latest = owner;
      return (end) => {
        inHand.splice(inHand.indexOf(owner), 1);
        if (end === 'done') failing.delete(owner);
        if (end === 'failed') failing.set(owner, restUntil(begunAt));
      };
    },
  };

  function restUntil(begunAt: number): Date {
    const at = now().getTime();
    const restMs = Math.max(shortestRestMs, 10 * (at - begunAt));
    return new Date(at + Math.min(longestRestMs, restMs));
  }
}

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
