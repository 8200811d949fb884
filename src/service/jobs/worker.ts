/** Passes jobs to handlers, renews leases and shuts down cleanly; a handler settles its job along with its result. */

import { type Clocked, type Db, transact } from '../../ports/db/database.ts';
import { ForensicsError, hasCode } from '../../contract/errors.ts';
import { requireFreeSpace } from '../../ports/files/files.ts';
import type { Job, Queue } from './queue.ts';
import { eq } from 'drizzle-orm';
import { settings } from '../../ports/db/schema.ts';

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
    // It is settled already, or the lease is lost and another worker decides. A file error ends with the lease.
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
    /** Owners to skip, from the fairest choice to the least fair: running or served last, running, only blocked. */
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
        if (end !== 'failed') return;
        const at = now().getTime();
        const restMs = Math.max(shortestRestMs, 10 * (at - begunAt));
        failing.set(owner, new Date(at + Math.min(longestRestMs, restMs)));
      };
    },
  };
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

// A loop that sleeps until something is due. A notification wakes it at once; otherwise it looks every `pollMs` for the
// work of other processes. Turns run one at a time; tasks started in a turn continue after it, and each wakes the loop
// when it ends.

/** @param turn - starts what is due; resolves to when the next is, or null. A failed one is repeated after `pollMs`. */
export function createLoop<T = never>({ turn, now, pollMs, onError }: LoopParts) {
  let isRunning = false;
  let isTurning = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<unknown> = Promise.resolve();
  const running = new Map<Promise<void>, T>();
  let ended = 0;

  /** Runs a turn after the one in progress; rejects when that turn fails. */
  const run = (): Promise<Date | null> => {
    const next = present.then(turn);
    present = next.catch(() => undefined);
    return next;
  };

  const sleep = (ms: number) => {
    clearTimeout(timer);
    if (isRunning) timer = setTimeout(() => void haveTurn(), ms);
  };

  async function haveTurn(): Promise<void> {
    isTurning = true;
    isWoken = false;
    let ms = pollMs;
    try {
      const dueAt = await run();
      if (dueAt !== null) ms = dueAt.getTime() - now().getTime();
    } catch (error) {
      onError(error);
    }
    isTurning = false;
    sleep(isWoken ? 0 : Math.min(pollMs, Math.max(0, ms)));
  }

  /** Schedules a turn soon; calls close together share one turn. */
  function wake(): void {
    isWoken = true;
    if (!isTurning) sleep(0);
  }

  return {
    /** @param work - must never reject. @param about - what `inHand` returns for it. */
    takeOn(work: Promise<void>, about: T): void {
      const done = work.finally(() => {
        running.delete(done);
        ended++;
        wake();
      });
      running.set(done, about);
    },
    inHand: (): readonly T[] => [...running.values()],
    /** Resolves when all tasks now running have ended. */
    async settled(): Promise<void> {
      await Promise.all(running.keys());
    },
    start() {
      isRunning = true;
      sleep(0);
    },
    wake,
    run,
    /** Runs turns until nothing is due and no task is running. */
    async drain(): Promise<void> {
      for (;;) {
        const endedBefore = ended;
        await run();
        if (running.size > 0) await Promise.race(running.keys());
        // A task that ended during the turn may have freed a slot that the turn did not see.
        else if (ended === endedBefore) return;
      }
    },
    /** Resolves when the current turn has ended. Its tasks continue. */
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await present;
    },
  };
}

interface LoopParts {
  readonly turn: () => Promise<Date | null>;
  readonly now: () => Date;
  readonly pollMs: number;
  readonly onError: (error: unknown) => void;
}

// A daily chore, done by whichever process comes first. The database stores when each chore last began, so a restart
// repeats nothing and two processes never do the same one. A chore interrupted by a crash waits until the next day,
// because chores only clean up.

export interface Chore {
  /** Must stay the same: the database stores the last start under it. */
  readonly name: string;
  /** Must end soon after `signal` is aborted. */
  readonly run: (signal: AbortSignal) => void | Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** @param parts.onError - receives the error of a failed chore, which is retried after an hour. */
export function createChores(
  parts: Clocked &
    Pick<LoopParts, 'onError'> & { readonly chores: readonly Chore[]; readonly pollMs?: number },
) {
  const { db, now, chores, onError, pollMs = hourMs / 4 } = parts;
  const stopping = new AbortController();
  const loop = createLoop({ turn, now, pollMs, onError });

  async function turn(): Promise<null> {
    for (const { name, run } of chores) {
      const key = `chore/${name}`;
      try {
        if (stopping.signal.aborted || !(await takeChore(db, key, now()))) continue;
        await run(stopping.signal);
      } catch (error) {
        onError(error);
        // Due again in an hour.
        const value = new Date(now().getTime() - dayMs + hourMs).toISOString();
        const isIt = eq(settings.key, key);
        await db.update(settings).set({ value }).where(isIt).run().catch(onError);
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
    /** Runs the chores that are due, one after another. */
    async drain() {
      await loop.run();
    },
  };
}

/** Returns true only in the process that is to do it today. */
async function takeChore(db: Db, key: string, at: Date): Promise<boolean> {
  return transact(db, async (tx) => {
    const row = await tx.select().from(settings).where(eq(settings.key, key)).get();
    const ageMs = at.getTime() - Date.parse(row?.value ?? '');
    // A time in the future was written when the clock was wrong.
    if (ageMs >= 0 && ageMs < dayMs) return false;
    const value = at.toISOString();
    const write = tx.insert(settings).values({ key, value });
    await write.onConflictDoUpdate({ target: settings.key, set: { value } }).run();
    return true;
  });
}
