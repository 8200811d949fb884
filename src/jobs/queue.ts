/**
 * The queue of work that must not be lost: rows with leases. A worker that died loses its lease, another takes the job
 * over, and the fencing number refuses whatever the first one still brings. It knows no kind of work.
 */

import { EventEmitter } from 'node:events';
import { and, count, eq, isNull, notInArray, or, sql } from 'drizzle-orm';
import { newId } from '../db/ids.ts';
import { type Db, type Reader, transact, type Tx } from '../db/open.ts';
import { jobs } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** On whose behalf it is done; null for the service's own. */
  readonly owner: string | null;
  /** Number of claims so far, this one included; identifies the claim. */
  readonly fence: number;
}

interface Claim {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly kinds: readonly string[];
  /** Owners whose jobs are left where they are. */
  readonly except?: readonly string[];
}

interface More {
  readonly runAt?: Date;
  readonly owner?: string;
}

export interface Queue {
  /** Adds a job in the transaction of the act that needs it. */
  enqueue(tx: Tx, kind: string, payload: unknown, more?: More): string;
  /** The job that is due longest, leased to this worker; null when none is due. */
  claim(claim: Claim): Job | null;
  /** False when another worker has taken the job over. */
  extendLease(job: Job, leaseMs: number): boolean;
  /** Checks inside a transaction that the job is still this claim's. @throws {ForensicsError} `lease_lost`. */
  assertLease(tx: Tx, job: Job): void;
  /** Removes a done job. @throws {ForensicsError} `lease_lost`: roll everything back. */
  finish(tx: Tx, job: Job): void;
  /** Gives the job back, due at `runAt`. @throws {ForensicsError} `lease_lost`. */
  release(tx: Tx, job: Job, runAt: Date): void;
  /** When the next job of these kinds is due, a lease running out included; null when there is none. */
  nextDueAt(kinds: readonly string[], except?: readonly string[]): Date | null;
  /** Number of jobs of a kind, waiting or leased. */
  count(kind: string): number;
  /** Calls back after jobs were added by this process; returns the way to stop that. */
  onAdded(listener: () => void): () => void;
}

export function createQueue({ db, now }: { readonly db: Db; readonly now: () => Date }): Queue {
  const added = new EventEmitter();
  added.setMaxListeners(0);

  // Transactions are synchronous, so a microtask runs after the commit. After a rollback it wakes a worker for nothing.
  const announce = () => queueMicrotask(() => added.emit('added'));

  return {
    enqueue(tx, kind, payload, { runAt, owner = null } = {}) {
      const at = now();
      const id = newId(at);
      const fresh = { fence: 0, wasAbandoned: false, createdAt: at };
      tx.insert(jobs)
        .values({ id, kind, payload, owner, runAt: runAt ?? at, ...fresh })
        .run();
      announce();
      return id;
    },
    claim(claim) {
      // Looking costs no lock: idle workers of several processes do not stand in each other's way.
      const first = firstOf(db, claim, now());
      if (first === undefined || first.dueAt > now().getTime()) return null;
      return transact(db, (tx) => claimDue(tx, claim, now()));
    },
    extendLease(job, leaseMs) {
      const leasedUntil = new Date(now().getTime() + leaseMs);
      return db.update(jobs).set({ leasedUntil }).where(heldBy(job)).run().changes === 1;
    },
    assertLease(tx, job) {
      refuseUnlessHeld(tx.select().from(jobs).where(heldBy(job)).all().length);
    },
    finish(tx, job) {
      refuseUnlessHeld(tx.delete(jobs).where(heldBy(job)).run().changes);
    },
    release(tx, job, runAt) {
      const free = { runAt, leasedBy: null, leasedUntil: null };
      refuseUnlessHeld(tx.update(jobs).set(free).where(heldBy(job)).run().changes);
      announce();
    },
    nextDueAt(kinds, except) {
      const first = firstOf(db, { kinds, except }, now());
      return first === undefined ? null : new Date(first.dueAt);
    },
    count(kind) {
      const row = db.select({ jobs: count() }).from(jobs).where(eq(jobs.kind, kind)).get();
      return row?.jobs ?? 0;
    },
    onAdded(listener) {
      added.on('added', listener);
      return () => added.off('added', listener);
    },
  };
}

/** A waiting job is due at `run_at`, a leased one when its lease ends. */
const dueAt = sql<number>`coalesce(${jobs.leasedUntil}, ${jobs.runAt})`;

/** Kind by kind: each look-up is one step in the index, however long the queue; with exceptions it steps over theirs. */
function firstOf(
  reader: Reader,
  { kinds, except = [] }: { kinds: readonly string[]; except?: readonly string[] | undefined },
  at: Date,
) {
  const isOthers =
    except.length === 0 ? undefined : or(isNull(jobs.owner), notInArray(jobs.owner, [...except]));

  const firsts = kinds.flatMap((kind) =>
    reader
      .select({ id: jobs.id, dueAt, createdAt: jobs.createdAt })
      .from(jobs)
      .where(and(eq(jobs.kind, kind), isOthers))
      // By row: jobs that became due in the same millisecond keep the order of their making.
      .orderBy(dueAt, sql`${jobs}.rowid`)
      .limit(1)
      .all(),
  );
  return firsts
    .map(({ id, ...times }) => ({ id, dueAt: isOutOfTime(times, at) ? at.getTime() : times.dueAt }))
    .toSorted((a, b) => a.dueAt - b.dueAt)[0];
}

// Above the longest pause and the longest lease of all kinds: twelve hours.
const longestWaitMs = 13 * 3_600_000;
const clockStepMs = 60_000;

/** The clock was put back since: what was due at a time of the old clock would wait for that. */
function isOutOfTime(job: { readonly dueAt: number; readonly createdAt: Date }, at: Date): boolean {
  const [dueInMs, madeInMs] = [job.dueAt - at.getTime(), job.createdAt.getTime() - at.getTime()];
  // A lease of the present clock ends before a job of the old one was made.
  const isOfOldClock = madeInMs > clockStepMs && dueInMs >= madeInMs;
  return dueInMs > longestWaitMs || isOfOldClock;
}

function claimDue(tx: Tx, { workerId, leaseMs, ...which }: Claim, at: Date): Job | null {
  const due = firstOf(tx, which, at);
  if (due === undefined || due.dueAt > at.getTime()) return null;
  return (
    tx
      .update(jobs)
      .set({
        fence: sql`${jobs.fence} + 1`,
        leasedBy: workerId,
        leasedUntil: new Date(at.getTime() + leaseMs),
      })
      .where(eq(jobs.id, due.id))
      .returning({
        id: jobs.id,
        kind: jobs.kind,
        payload: jobs.payload,
        owner: jobs.owner,
        fence: jobs.fence,
      })
      .get() ?? null
  );
}

function heldBy(job: Job) {
  return and(eq(jobs.id, job.id), eq(jobs.fence, job.fence), sql`${jobs.leasedUntil} IS NOT NULL`);
}

function refuseUnlessHeld(changes: number): void {
  if (changes === 1) return;
  throw new ForensicsError('lease_lost', 'Another worker has taken this job over.');
}
