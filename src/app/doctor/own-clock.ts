import { max } from 'drizzle-orm';
import type { Db } from '../../db/open.ts';
import { analyses, tenants } from '../../db/schema.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';

// What was written in the same moment by a process that began a little later.
const toleranceMs = 60_000;

/**
 * Needs nobody else's clock: what was written cannot lie in the future.
 *
 * @param writtenAt - the newest time in the database; null where there is none.
 */
export function judgeOwnClock(now: Date, writtenAt: Date | null): Diagnosis {
  const { ok, failed } = diagnose('clock');
  if (writtenAt === null || writtenAt.getTime() <= now.getTime() + toleranceMs) {
    return ok(`It shows ${now.toISOString().slice(0, 19)}Z, after everything that was written.`);
  }
  return failed(
    `It is behind what was written at ${writtenAt.toISOString()}: it went back, or was ahead then.`,
    'Set the clock of this machine by NTP: timedatectl set-ntp true',
  );
}

/** The time of the newest entry; null where there is none. */
export function newestTime(db: Db): Date | null {
  const newest = [
    db
      .select({ at: max(analyses.updatedAt) })
      .from(analyses)
      .get()?.at,
    db
      .select({ at: max(tenants.createdAt) })
      .from(tenants)
      .get()?.at,
  ];
  const times = newest.flatMap((at) => (at ? [at.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.max(...times));
}
