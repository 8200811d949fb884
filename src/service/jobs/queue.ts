/**
 * A durable job queue: rows with leases. When a worker dies, its lease expires, another worker takes the job over, and
 * the fencing token rejects anything the first one still delivers. The queue knows nothing about kinds of work.
 *
 * pg-boss and graphile-worker claim jobs the same way (`FOR UPDATE SKIP LOCKED`), but they support neither SQLite, nor
 * a fence checked in the transaction of the result, nor fair scheduling between job owners.
 */

import { and, eq, gt, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import {
  type Clocked,
  buildOnce,
  type Db,
  newId,
  type Reader,
  skipLocked,
  transact,
  type Tx,
} from '../../ports/db/database.ts';
import { jobs } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../contract/errors.ts';

/** `fence` and `leasedBy` identify a claim together: after a database crash, the next one may get the same fence. */
export type Job = Readonly<
  Pick<typeof jobs.$inferSelect, 'id' | 'kind' | 'payload' | 'owner' | 'fence' | 'leasedBy'>
>;

interface Claim {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly kinds: readonly string[];
  /** Lists of owners whose jobs to skip; each applies only if the one before leaves no job due. */
  readonly except?: readonly (readonly string[])[];
}

interface More {
  readonly runAt?: Date;
  readonly owner?: string;
}

export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ db, now }: Clocked) {
  return {
    /** Adds a job in the transaction of the change that needs it. */
    async enqueue(tx: Tx, kind: string, payload: unknown, more: More = {}) {
      const at = now();
      const { runAt = at, owner = null } = more;
      const id = newId(at);
      const fresh = { fence: 0, wasAbandoned: false, createdAt: at };
      const row = { id, kind, payload, owner, runAt, ...fresh };
      await tx.insert(jobs).values(row).run();
      tx.notify('jobs');
      return id;
    },
    /** Leases the most overdue job to this worker; returns null if none is due. */
    claim: (claim: Claim) => claimJob(db, claim, now()),
    /** Returns false if another worker has taken the job over. */
    async extendLease(job: Job, leaseMs: number) {
      const leasedUntil = new Date(now().getTime() + leaseMs);
      return (await db.update(jobs).set({ leasedUntil }).where(heldBy(job)).run()).changes === 1;
    },
    /** Checks inside a transaction that this claim still holds. @throws {ForensicsError} `lease_lost`. */
    async assertLease(tx: Tx, job: Job) {
      assertLeased(await tx.$count(jobs, heldBy(job)));
    },
    /** Removes a finished job. @throws {ForensicsError} `lease_lost`; roll everything back then. */
    async finish(tx: Tx, job: Job) {
      assertLeased((await tx.delete(jobs).where(heldBy(job)).run()).changes);
    },
    /** Returns the job to the queue, due at `runAt`. @throws {ForensicsError} `lease_lost`. */
    async release(tx: Tx, job: Job, runAt: Date) {
      const free = { runAt, leasedBy: null, leasedUntil: null };
      assertLeased((await tx.update(jobs).set(free).where(heldBy(job)).run()).changes);
      tx.notify('jobs');
    },
    /** When the next job of these kinds is due, counting leases that expire; null if there is none. */
    async nextDueAt(kinds: readonly string[], except?: readonly string[]) {
      const [first] = await createLook(db, kinds, now())(except ?? []);
      return first === undefined ? null : new Date(first.dueAt);
    },
    count: async (kind: string) => db.$count(jobs, eq(jobs.kind, kind)),
    /** Number of leased jobs of a kind whose worker id starts with `workers`. */
    async countLeased(kind: string, workers: string) {
      const isTheirs = sql`substr(${jobs.leasedBy}, 1, ${workers.length}) = ${workers}`;
      return db.$count(jobs, and(eq(jobs.kind, kind), gt(dueAt, now().getTime()), isTheirs));
    },
    /** Calls `listener` after jobs are added; returns a function that unsubscribes it. */
    onAdded: (listener: () => void) => db.onNotification('jobs', listener),
  };
}

async function claimJob(db: Db, { kinds, except = [[]], ...lease }: Claim, at: Date) {
  // Looks first without a lock, so that idle workers of several processes do not block one another.
  const look = createLook(db, kinds, at);
  for (const owners of except) {
    for (const first of await look(owners)) {
      if (first.dueAt > at.getTime()) break;
      const isOwner = first.owner === null ? isNull(jobs.owner) : eq(jobs.owner, first.owner);
      const isAllowed = owners.length === 0 ? undefined : isOwner;
      const isEligible = and(eq(jobs.kind, first.kind), isAllowed, isDue(at));
      const claimed = await transact(db, (tx) => take(tx, isEligible, { ...lease, at }), 'claim');
      // If no job was claimed, other workers are about to take all that are due.
      if (claimed !== null) return claimed;
    }
  }
  return null;
}

/** A waiting job is due at `run_at`, a leased one when its lease expires. */
const dueAt = sql<number>`coalesce(${jobs.leasedUntil}, ${jobs.runAt})`;

/** Ordered by row id too, so that jobs due in the same millisecond keep their order of creation. */
const rowid = sql<number>`${jobs}.rowid`;
const byDue = [dueAt, rowid];

/** Finds the earliest due job of these kinds, or, with exceptions, the earliest of each owner. */
function createLook(reader: Reader, kinds: readonly string[], at: Date) {
  const seen = new Map<string, readonly Due[]>();

  /** The first few jobs usually have several owners. Only if all of these are skipped is every owner queried. */
  async function dueOfOthers(kind: string, except: readonly string[]): Promise<readonly Due[]> {
    const due = seen.get(kind) ?? (await findDue(reader).all({ kind }));
    seen.set(kind, due);
    if (except.length === 0) return due.slice(0, 1);
    const others = due.filter(({ owner }) => owner === null || !except.includes(owner));
    if (others.length === 0 && due.length === firstLook) return dueOfEach(reader, kind, except);
    return [...new Map(others.toReversed().map((job) => [job.owner, job])).values()];
  }

  return async (except: readonly string[]): Promise<readonly Due[]> => {
    const found: Due[] = [];
    for (const kind of kinds) found.push(...(await dueOfOthers(kind, except)));
    return found
      .map((job) => ({ ...job, dueAt: isOutOfTime(job, at) ? at.getTime() : job.dueAt }))
      .toSorted((a, b) => a.dueAt - b.dueAt);
  };
}

type Due = Pick<typeof jobs.$inferSelect, 'kind' | 'owner' | 'createdAt'> & {
  readonly dueAt: number;
};

const firstLook = 50;

const findDue = buildOnce((reader) =>
  reader
    .select({ kind: jobs.kind, owner: jobs.owner, dueAt, createdAt: jobs.createdAt })
    .from(jobs)
    .where(eq(jobs.kind, sql.placeholder('kind')))
    .orderBy(...byDue)
    .limit(firstLook)
    .prepare(),
);

/** Two index lookups per owner; with DISTINCT, both databases would read all jobs. Jobs without one have own kinds. */
async function dueOfEach(
  reader: Reader,
  kind: string,
  except: readonly string[],
): Promise<readonly Due[]> {
  const names = except.map((owner) => sql`${owner}`);
  const excepted = sql.join(names, sql`, `);
  const ofFirst = (value: SQL) => sql`(SELECT ${value} FROM ${jobs}
    WHERE ${jobs.kind} = ${kind} AND ${jobs.owner} = owners.name ORDER BY ${dueAt}, ${rowid} LIMIT 1)`;
  const found = await reader.values<[string, number, number]>(sql`
    WITH RECURSIVE owners (name) AS (
      SELECT min(owner) FROM jobs WHERE kind = ${kind}
      UNION ALL
      SELECT (SELECT min(owner) FROM jobs WHERE kind = ${kind} AND owner > name)
      FROM owners WHERE name IS NOT NULL)
    SELECT name, ${ofFirst(dueAt)}, ${ofFirst(sql`${jobs.createdAt}`)} FROM owners
    WHERE name NOT IN (${excepted})`);
  return found.map(([owner, due, createdAt]) => {
    return { kind, owner, dueAt: due, createdAt: new Date(createdAt) };
  });
}

// Longer than any pause or lease of any kind, which is twelve hours.
const longestWaitMs = 13 * 3_600_000;
const clockStepMs = 60_000;

/** Whether the clock has been set back since the job was added; if so, it would wait for a time by the old clock. */
function isOutOfTime(job: { readonly dueAt: number; readonly createdAt: Date }, at: Date): boolean {
  const [dueInMs, madeInMs] = [job.dueAt - at.getTime(), job.createdAt.getTime() - at.getTime()];
  // A lease taken under the current clock ends before a job created under the old clock.
  const isOfOldClock = madeInMs > clockStepMs && dueInMs >= madeInMs;
  return dueInMs > longestWaitMs || isOfOldClock;
}

/** The same condition for a row, together with whether it is due. */
function isDue(at: Date) {
  const [now, later] = [at.getTime(), at.getTime() + clockStepMs];
  return or(
    lte(dueAt, now),
    gt(dueAt, now + longestWaitMs),
    and(gt(jobs.createdAt, new Date(later)), gte(dueAt, jobs.createdAt)),
  );
}

async function take(
  tx: Tx,
  isEligible: SQL | undefined,
  { workerId, leaseMs, at }: Pick<Claim, 'workerId' | 'leaseMs'> & { readonly at: Date },
): Promise<Job | null> {
  const due = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(isEligible)
    .orderBy(...byDue)
    .limit(1);
  const leasedUntil = new Date(at.getTime() + leaseMs);
  const { id, kind, payload, owner, fence, leasedBy } = jobs;
  const claimed = await tx
    .update(jobs)
    .set({ fence: sql`${jobs.fence} + 1`, leasedBy: `${workerId}/${newId(at)}`, leasedUntil })
    .where(sql`${jobs.id} = (${due.getSQL()}${skipLocked(tx)})`)
    .returning({ id, kind, payload, owner, fence, leasedBy })
    .get();
  return claimed ?? null;
}

/** Matches no row while the job is free, because nobody holds a lease on it then. */
function heldBy({ id, fence, leasedBy }: Job) {
  return sql`${jobs.id} = ${id} AND ${jobs.fence} = ${fence} AND ${jobs.leasedBy} = ${leasedBy}`;
}

function assertLeased(changes: number): void {
  if (changes === 1) return;
  throw new ForensicsError('lease_lost', 'Another worker has taken this job over.');
}
