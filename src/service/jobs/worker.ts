/**
 * Takes jobs from the queue, passes them to their handlers, renews their leases and shuts down cleanly. A handler
 * settles its job itself (`finish` or `release`) in the transaction that makes the result visible.
 */

import { transact, type Clocked } from '../../ports/db/database.ts';
import { hasCode, ForensicsError } from '../../errors.ts';
import { requireFreeSpace } from '../../ports/files/files.ts';
import { createLoop } from './poll-loop.ts';
import type { Job, Queue } from './queue.ts';

export type Handler = (job: Job, context: { readonly signal: AbortSignal }) => Promise<void>;

interface WorkerOptions extends Clocked {
  readonly queue: Queue;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly workerId: string;
  readonly concurrency: number;
  /** Returns false while no job could start; no job is claimed then. */
  readonly canBegin?: () => boolean;
  /** Longest sleep: jobs added by another process are noticed after this time. */
  readonly pollMs?: number;
  /** Lease duration. A lease is renewed three times within it; once it expires, another worker takes the job over. */
  readonly leaseMs?: number;
  /** Receives everything a handler throws, and errors of the loop itself (with a null job). */
  readonly onError?: (error: unknown, job: Job | null) => void;
}

export type Worker = ReturnType<typeof createWorker>;

const longestPauseMs = 60_000;
/** How often `canBegin` is called again. */
const retryMs = 250;

const defaults = { pollMs: 1000, leaseMs: 60_000, onError: () => undefined, canBegin: () => true };

type Parts = Required<WorkerOptions>;

export function createWorker(options: WorkerOptions) {
  const parts: Parts = { ...defaults, ...options };
  const { queue, handlers, workerId, concurrency, now, pollMs, leaseMs, onError, canBegin } = parts;
  const kinds = Object.keys(handlers);
  const scheduler = createFairScheduler(now);
  const onTurnError = (error: unknown) => onError(error, null);
  const loop = createLoop<AbortController>({ turn, now, pollMs, onError: onTurnError });
  let isStopping = false;
  const stopListening = queue.onAdded(() => loop.wake());

  async function turn(): Promise<Date | null> {
    for (;;) {
      // When all slots are taken, the end of a job wakes the loop.
      if (isStopping || loop.inHand().length >= concurrency) return null;
      if (!canBegin()) return new Date(now().getTime() + retryMs);
      const job = await queue.claim({ workerId, leaseMs, kinds, except: scheduler.choices() });
      if (job === null) {
        const dueAt = await queue.nextDueAt(kinds, scheduler.blocked());
        return earliest([dueAt, scheduler.nextAt()]);
      }
      const abort = new AbortController();
      loop.takeOn(work(job, abort), abort);
    }
  }

  async function work(job: Job, abort: AbortController): Promise<void> {
    const heartbeat = setInterval(() => void renew(parts, job, abort), leaseMs / 3);
    const endTurn = scheduler.begin(job.owner);
    try {
      await handlers[job.kind]!(job, { signal: abort.signal });
      endTurn('done');
    } catch (error) {
      const isOurStop = abort.signal.aborted && isStopping;
      if (!isOurStop) onError(error, job);
      const pauseMs = Math.min(longestPauseMs, 500 * 2 ** Math.min(job.fence, 10));
      await giveBack(parts, job, isOurStop ? 0 : pauseMs);
      endTurn(abort.signal.aborted || hasCode(error, 'lease_lost') ? 'taken away' : 'failed');
    } finally {
      clearInterval(heartbeat);
    }
  }

  return {
    start: () => loop.start(),
    running: () => loop.inHand().length,
    drain: () => loop.drain(),
    /** Takes no new jobs, gives running ones `graceMs` to finish, then aborts them and returns them to the queue. */
    async stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}) {
      isStopping = true;
      stopListening();
      await loop.stop();
      const reason = new ForensicsError('cancelled', 'The worker is stopping.');
      const giveUp = setTimeout(() => {
        for (const abort of loop.inHand()) abort.abort(reason);
      }, graceMs);
      await loop.settled();
      clearTimeout(giveUp);
    },
  };
}

function earliest(dates: readonly (Date | null)[]): Date | null {
  const times = dates.flatMap((date) => date?.getTime() ?? []);
  return times.length === 0 ? null : new Date(Math.min(...times));
}

async function renew(parts: Parts, job: Job, abort: AbortController): Promise<void> {
  try {
    if (await parts.queue.extendLease(job, parts.leaseMs)) return;
    abort.abort(new ForensicsError('lease_lost', 'Another worker has taken this job over.'));
  } catch (error) {
    // The next heartbeat tries again; two may fail before the lease expires.
    parts.onError(error, job);
  }
}

async function giveBack(parts: Parts, job: Job, afterMs: number): Promise<void> {
  const { db, queue, now, onError } = parts;
  try {
    await transact(db, (tx) => queue.release(tx, job, new Date(now().getTime() + afterMs)));
  } catch (error) {
    // The handler has settled the job already, or the lease is lost and another worker decides. A
    // file error ends with the lease too.
    if (!hasCode(error, 'lease_lost')) onError(error, job);
  }
}

const shortestRestMs = 1000;
const longestRestMs = 15 * 60_000;

/**
 * Decides whose job runs next, so that no owner delays the others. Owners take turns; an owner
 * whose latest job failed pauses for ten times the job's duration, then gets one job at a time
 * until one succeeds. Kept in memory: a new process has to learn it again.
 */
function createFairScheduler(now: () => Date) {
  const inHand: string[] = [];
  /** Owners whose latest job failed, and until when they are paused. */
  const failing = new Map<string, Date>();
  let latest: string | null = null;

  const isResting = (until: Date) => until > now();

  const blocked = () =>
    [...failing]
      .filter(([owner, until]) => isResting(until) || inHand.includes(owner))
      .map(([owner]) => owner);

  return {
    blocked,
    /**
     * Lists of owners to skip, from the fairest choice to the least fair: first prefer an owner without a running job who
     * was not served last, then any owner without a running job, then any that is not blocked.
     */
    choices(): readonly (readonly string[])[] {
      const last = blocked();
      const idle = [...last, ...inHand];
      return [latest === null ? idle : [...idle, latest], idle, last];
    },
    /** When the next pause ends; null if no owner is paused. */
    nextAt: () => earliest([...failing.values()].filter(isResting)),
    /** Records that a job starts; call the returned function with its outcome. */
    begin(owner: string | null): (end: 'done' | 'failed' | 'taken away') => void {
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

/**
 * Wraps a handler so that a run only starts when the disk has room for it and for the runs in
 * progress. Otherwise its job stays in the queue and the analysis is unchanged.
 *
 * @param room.runsUnderWay - number of runs in all processes writing to this disk, with the one about to start.
 */
export function withRoom(
  room: { folder: string; bytes: number; runsUnderWay: () => Promise<number> },
  handler: Handler,
): Handler {
  const { folder, bytes, runsUnderWay } = room;
  return async (job, context) => {
    await requireFreeSpace(folder, bytes * (await runsUnderWay()));
    await handler(job, context);
  };
}
