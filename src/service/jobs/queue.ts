/**
 * The queue of work that must not be lost: rows with leases. A worker that died loses its lease, another takes the job
 * over, and the fencing number refuses whatever the first one still brings. It knows no kind of work.
 *
 * pg-boss and graphile-worker hand jobs out in the same way (`FOR UPDATE SKIP LOCKED`), but know no SQLite, no fence that is
 * checked in the transaction of the outcome, and no turns between the owners of jobs.
 */

import { and, count, eq, gt, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import {
  buildOnce,
  type Db,
  newId,
  type Reader,
  skipLocked,
  transact,
  type Tx,
} from '../../ports/db/database.ts';
import { jobs } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../errors.ts';

/**
 * A claimed job. `fence` and `leasedBy` together identify the claim: a crash of the database may undo one, and the next then
 * has the same number.
 */
export type Job = Readonly<
  Pick<typeof jobs.$inferSelect, 'id' | 'kind' | 'payload' | 'owner' | 'fence' | 'leasedBy'>
>;

interface Claim {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly kinds: readonly string[];
  /** Owners whose jobs are left where they are: the next list holds where the one before it leaves nothing that is due. */
  readonly except?: readonly (readonly string[])[];
}

interface More {
  readonly runAt?: Date;
  readonly owner?: string;
}

export interface Queue {
  /** Adds a job in the transaction of the act that needs it. */
  enqueue(tx: Tx, kind: string, payload: unknown, more?: More): Promise<string>;
  /** The job that is due longest, leased to this worker; null when none is due. */
  claim(claim: Claim): Promise<Job | null>;
  /** False when another worker has taken the job over. */
  extendLease(job: Job, leaseMs: number): Promise<boolean>;
  /** Checks inside a transaction that the job is still this claim's. @throws {ForensicsError} `lease_lost`. */
  assertLease(tx: Tx, job: Job): Promise<void>;
  /** Removes a done job. @throws {ForensicsError} `lease_lost`: roll everything back. */
  finish(tx: Tx, job: Job): Promise<void>;
  /** Gives the job back, due at `runAt`. @throws {ForensicsError} `lease_lost`. */
  release(tx: Tx, job: Job, runAt: Date): Promise<void>;
  /** When the next job of these kinds is due, a lease running out included; null when there is none. */
  nextDueAt(kinds: readonly string[], except?: readonly string[]): Promise<Date | null>;
  /** Number of jobs of a kind, waiting or leased. */
  count(kind: string): Promise<number>;
  /** Number of jobs of a kind under a lease of a worker whose id begins so. */
  countLeased(kind: string, workers: string): Promise<number>;
  /** Milliseconds for which the first of those that are due has waited; 0 where none is. */
  waitOf(kind: string): Promise<number>;
  /** Calls back after jobs were added; returns the way to stop that. */
  onAdded(listener: () => void): () => void;
}

export function createQueue({ db, now }: { readonly db: Db; readonly now: () => Date }): Queue {
  return {
    async enqueue(tx, kind, payload, { runAt, owner = null } = {}) {
      const at = now();
      const id = newId(at);
      const fresh = { fence: 0, wasAbandoned: false, createdAt: at };
      await tx
        .insert(jobs)
        .values({ id, kind, payload, owner, runAt: runAt ?? at, ...fresh })
        .run();
      tx.notify('jobs');
      return id;
    },
    claim: (claim) => claimJob(db, claim, now()),
    async extendLease(job, leaseMs) {
      const leasedUntil = new Date(now().getTime() + leaseMs);
      return (await db.update(jobs).set({ leasedUntil }).where(heldBy(job)).run()).changes === 1;
    },
    async assertLease(tx, job) {
      assertLeased(
        (await heldJob(tx).all({ id: job.id, fence: job.fence, leasedBy: job.leasedBy })).length,
      );
    },
    async finish(tx, job) {
      assertLeased((await tx.delete(jobs).where(heldBy(job)).run()).changes);
    },
    async release(tx, job, runAt) {
      const free = { runAt, leasedBy: null, leasedUntil: null };
      assertLeased((await tx.update(jobs).set(free).where(heldBy(job)).run()).changes);
      tx.notify('jobs');
    },
    async nextDueAt(kinds, except) {
      const [first] = await createLook(db, kinds, now())(except ?? []);
      return first === undefined ? null : new Date(first.dueAt);
    },
    async count(kind) {
      const row = await db.select({ jobs: count() }).from(jobs).where(eq(jobs.kind, kind)).get();
      return row?.jobs ?? 0;
    },
    async countLeased(kind, workers) {
      const isTheirs = sql`substr(${jobs.leasedBy}, 1, ${workers.length}) = ${workers}`;
      const isLeased = and(eq(jobs.kind, kind), gt(dueAt, now().getTime()), isTheirs);
      return (await db.select({ jobs: count() }).from(jobs).where(isLeased).get())?.jobs ?? 0;
    },
    async waitOf(kind) {
      const at = now();
      const isWaiting = and(eq(jobs.kind, kind), isNull(jobs.leasedUntil), lte(jobs.runAt, at));
      const first = db
        .select({ runAt: jobs.runAt })
        .from(jobs)
        .where(isWaiting)
        .orderBy(...byDue);
      const row = await first.limit(1).get();
      return row === undefined ? 0 : at.getTime() - row.runAt.getTime();
    },
    onAdded: (listener) => db.onNotification('jobs', listener),
  };
}

async function claimJob(
  db: Db,
  { kinds, except = [[]], ...lease }: Claim,
  at: Date,
): Promise<Job | null> {
  // Looking costs no lock: idle workers of several processes do not stand in each other's way.
  const look = createLook(db, kinds, at);
  for (const owners of except) {
    for (const first of await look(owners)) {
      if (first.dueAt > at.getTime()) break;
      const isOwner = first.owner === null ? isNull(jobs.owner) : eq(jobs.owner, first.owner);
      const isAllowed = owners.length === 0 ? undefined : isOwner;
      const isSought = and(eq(jobs.kind, first.kind), isAllowed, isDue(at));
      const claimed = await transact(db, (tx) => take(tx, isSought, { ...lease, at }), 'claim');
      // Where there is none, others are about to take all that are due.
      if (claimed !== null) return claimed;
    }
  }
  return null;
}

/** A waiting job is due at `run_at`, a leased one when its lease ends. */
const dueAt = sql<number>`coalesce(${jobs.leasedUntil}, ${jobs.runAt})`;

/** By row: jobs that became due in the same millisecond keep the order of their making. */
const rowid = sql<number>`${jobs}.rowid`;
const byDue = [dueAt, rowid];

/** Finds the job that is due first of a kind or, with exceptions, of an owner; the earliest first. */
function createLook(reader: Reader, kinds: readonly string[], at: Date) {
  const seen = new Map<string, readonly Due[]>();

  /** The first jobs mostly are of several owners; only behind a long row of one owner's is every owner asked for. */
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

/**
 * Two steps in an index for each owner: one with fifty thousand jobs costs no more than one with a single job.
 * (For DISTINCT both engines would read all of them.) Jobs without an owner are of kinds that have none at all.
 */
async function dueOfEach(
  reader: Reader,
  kind: string,
  except: readonly string[],
): Promise<readonly Due[]> {
  const excepted = sql.join(
    except.map((owner) => sql`${owner}`),
    sql`, `,
  );
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
  return found.map(([owner, due, createdAt]) => ({
    kind,
    owner,
    dueAt: due,
    createdAt: new Date(createdAt),
  }));
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

/** The same of a row, and whether it is due at all. */
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
  isSought: SQL | undefined,
  { workerId, leaseMs, at }: Pick<Claim, 'workerId' | 'leaseMs'> & { readonly at: Date },
): Promise<Job | null> {
  const due = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(isSought)
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

const heldJob = buildOnce((tx) => {
  const [id, fence, leasedBy] = ['id', 'fence', 'leasedBy'].map((name) => sql.placeholder(name));
  return tx.select({ id: jobs.id }).from(jobs).where(heldBy({ id, fence, leasedBy })).prepare();
});

/** No row while the job is free: then it is leased by nobody. */
function heldBy({ id, fence, leasedBy }: Readonly<Record<'id' | 'fence' | 'leasedBy', unknown>>) {
  return sql`${jobs.id} = ${id} AND ${jobs.fence} = ${fence} AND ${jobs.leasedBy} = ${leasedBy}`;
}

function assertLeased(changes: number): void {
  if (changes === 1) return;
  throw new ForensicsError('lease_lost', 'Another worker has taken this job over.');
}
