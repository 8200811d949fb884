/** Usage reports: the counters of a tenant added up over a time, in the contract's words. */

import { and, between, eq, sql } from 'drizzle-orm';
import type { Tenant } from '../tenants/tenants.ts';
import type { ReportQuery, UsageReport } from '../../contract/usage.ts';
import type { Db, Reader } from '../../ports/db/database.ts';
import { usageCounters } from '../../ports/db/schema.ts';
import { countPending } from '../analyses/rows.ts';
import { confidenceScale, type Counter, type Parallelism, type Period, toPeriod } from './usage.ts';

export interface UsageReports {
  /** @throws {ForensicsError} `invalid_request` for a time that is none, or a start after the end. */
  report(tenant: Tenant, query: ReportQuery): Promise<UsageReport>;
}

export function createUsageReports({
  db,
  now,
}: {
  readonly db: Db;
  readonly now: () => Date;
}): UsageReports {
  return {
    async report(tenant, query) {
      const at = now();
      const period = toPeriod(tenant, query, at);
      const { id, startTime, endTime, isLive } = period;
      const updatedAt = isLive || endTime > at ? at : endTime;
      return {
        id,
        tenantId: tenant.id,
        updatedAt: updatedAt.toISOString(),
        startTime: startTime.toISOString(),
        endTime: endTime.toISOString(),
        queuedAnalyses: isLive ? await countPending(db, tenant.id) : 0,
        ...toFigures(await sumCounters(db, tenant.id, period)),
      };
    },
  };
}

type Sums = (counter: Counter) => number;

async function sumCounters(reader: Reader, tenantId: string, { days }: Period): Promise<Sums> {
  const ofTenant = eq(usageCounters.tenantId, tenantId);
  const rows = await reader
    .select({ counter: usageCounters.counter, sum: sql<number>`sum(${usageCounters.amount})` })
    .from(usageCounters)
    .where(days === null ? ofTenant : and(ofTenant, between(usageCounters.day, ...days)))
    .groupBy(usageCounters.counter)
    .all();
  const sums = new Map(rows.map(({ counter, sum }) => [counter, sum]));
  return (counter) => sums.get(counter) ?? 0;
}

function toFigures(sum: Sums) {
  const api = sum('success.api');
  const app = sum('success.app');
  const total = api + app;
  const errors = sum('errors');
  return {
    successfulProcessing: {
      byType: { api, app, total },
      byResult: toResults(sum),
      byModelTypeAndTier: {
        image: {
          forensicReporting: sum('billed.forensicReporting'),
          flagging: sum('billed.flagging'),
        },
      },
    },
    userInteraction: { appLogins: sum('logins') },
    impediments: { processingErrors: errors, retries: sum('retries') },
    qualityIndicators: {
      errorRatePercent: percent(errors, errors + total),
      backpressurePercent: percent(sum('backpressure'), sum('runs')),
    },
    processingDurations: {
      byModelTypeAndParallelism: {
        image: { single: minutes(sum, 'single'), bulk: minutes(sum, 'bulk') },
      },
    },
  };
}

/**
 * `confidenceScore` is the mean over what was decided (real, fake) of the calibrated probability of the class that was
 * decided, 0..1. Uncertain and abstain claim no class, so there is nothing to be confident of; 0 when nothing was decided.
 */
function toResults(sum: Sums) {
  const real = sum('result.real');
  const fake = sum('result.fake');
  const uncertain = sum('result.uncertain');
  const abstain = sum('result.abstain');
  const total = fake + real + uncertain + abstain;
  const decided = real + fake;
  const confidenceScore = decided === 0 ? 0 : sum('confidence') / confidenceScale / decided;
  return { fake, real, uncertain, abstain, total, confidenceScore };
}

/** At most 100: a run that began before midnight may be rolled back after it, on a day with fewer runs. */
function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, (100 * part) / whole);
}

/** The mean; null when there was none. */
function minutes(sum: Sums, parallelism: Parallelism): number | null {
  const count = sum(`timed.${parallelism}`);
  return count === 0 ? null : sum(`ms.${parallelism}`) / count / 60_000;
}
