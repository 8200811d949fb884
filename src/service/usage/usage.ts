/** Usage by tenant and UTC day, counted with the event itself in whole numbers; ratios are computed when read. */

import { and, between, eq, inArray, sql } from 'drizzle-orm';
import type { ReportQuery } from '../../contract/usage.ts';
import type { ResultClass, Tier } from '../../contract/vocabulary.ts';
import type { Decision } from '../../detectors/result.ts';
import { toTime } from '../../contract/common.ts';
import { invalidRequest } from '../../contract/errors.ts';
import type { Clocked, Reader, Tx } from '../../ports/db/database.ts';
import { usageCounters } from '../../ports/db/schema.ts';
import { type AnalysisRow, countPending } from '../analyses/rows.ts';
import type { Tenant } from '../tenants/tenants.ts';

type Parallelism = 'single' | 'bulk';

type Counter =
  /** Billed deliveries. An upgrade adds one to forensicReporting and leaves flagging, which was delivered before. */
  | `billed.${Tier}`
  /** Successful analyses by who created them: `app` for a person, `api` for everything else. */
  | `success.${'api' | 'app'}`
  | `result.${ResultClass}`
  /** Sum over decided results (real, fake) of the probability of the decided class, in millionths. */
  | 'confidence'
  | 'upgrades'
  /** Analyses that failed after processing began. A rejected upload is never processed and not counted. */
  | 'errors'
  | 'retries'
  /** Number of times an analysis went from pending to processing. */
  | 'runs'
  /** Analyses returned to the queue because every instance was busy. */
  | 'backpressure'
  | 'logins'
  /** Number of successful analyses, and the milliseconds they spent processing, automatic retries included. */
  | `timed.${Parallelism}`
  | `ms.${Parallelism}`;

export type Count = readonly [counter: Counter, amount: number];

const confidenceScale = 1_000_000;

/** Runs one statement, however many counters the event changes. */
export async function countUsage(
  tx: Tx,
  { tenantId, at }: { readonly tenantId: string; readonly at: Date },
  counts: readonly Count[],
) {
  const day = utcDay(at);
  await tx
    .insert(usageCounters)
    .values(counts.map(([counter, amount]) => ({ tenantId, day, counter, amount })))
    .onConflictDoUpdate({
      target: [usageCounters.tenantId, usageCounters.day, usageCounters.counter],
      set: { amount: sql`${usageCounters.amount} + excluded.amount` },
    })
    .run();
}

export async function countLogin(tx: Tx, tenantIds: readonly string[], at: Date): Promise<void> {
  for (const tenantId of new Set(tenantIds))
    await countUsage(tx, { tenantId, at }, [['logins', 1]]);
}

/** The counters that a successful analysis increments. @param row - the row after the change. */
export function successCounts(row: AnalysisRow, decision: Decision): readonly Count[] {
  const parallelism: Parallelism = row.isBulk === true ? 'bulk' : 'single';
  const { processingStartedAt: from, processingFinishedAt: to } = row;
  const { resultClass, fakeProbability } = decision;
  const isDecided = resultClass === 'real' || resultClass === 'fake';
  const probability = resultClass === 'fake' ? fakeProbability : 1 - fakeProbability;
  const confidence = Math.round(confidenceScale * probability);
  return [
    [`billed.${row.tier}`, 1],
    [`success.${row.createdByType === 'user' ? 'app' : 'api'}`, 1],
    [`result.${decision.resultClass}`, 1],
    ...(isDecided ? [['confidence', confidence] as const] : []),
    [`timed.${parallelism}`, 1],
    // Never negative, although the clock may be set back during processing.
    [`ms.${parallelism}`, from && to ? Math.max(0, to.getTime() - from.getTime()) : 0],
  ];
}

/** Usage is stored by UTC day, so every day that the range touches counts in full. */
interface Period {
  /** Identical for all reports about the same period. */
  readonly id: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** First and last day, inclusive; null for all days. */
  readonly days: readonly [first: string, last: string] | null;
  readonly isLive: boolean;
}

type Dated = Pick<Tenant, 'id' | 'createdAt'>;

/** @throws {ForensicsError} `invalid_request` for a start after the end. */
function toPeriod(tenant: Dated, { type, startTime, endTime }: ReportQuery, now: Date): Period {
  if (type !== 'range') {
    const since = { startTime: tenant.createdAt, endTime: now };
    return { id: `${tenant.id}-total`, ...since, days: null, isLive: true };
  }
  const start = startTime === undefined ? now : toTime(startTime);
  const end = endTime === undefined ? now : toTime(endTime);
  const first = utcDay(start);
  const last = utcDay(end);
  // A date without a time means all of that day.
  if (endTime?.length === 10 ? first > last : start > end) {
    throw invalidRequest(
      'startTime must not be after endTime; either defaults to the present when omitted.',
    );
  }
  const today = utcDay(now);
  return {
    id: [tenant.id, ...new Set([first, last])].join('-'),
    startTime: new Date(`${first}T00:00:00.000Z`),
    endTime: new Date(`${last}T23:59:59.999Z`),
    days: [first, last],
    isLive: first <= today && today <= last,
  };
}

/** The UTC day an event counts towards, `YYYY-MM-DD`. */
function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

export async function countCompleted(reader: Reader): Promise<number> {
  const amount = sql<number>`coalesce(sum(${usageCounters.amount}), 0)`;
  const isSuccess = inArray(usageCounters.counter, ['success.api', 'success.app']);
  const row = await reader.select({ amount }).from(usageCounters).where(isSuccess).get();
  return row?.amount ?? 0;
}

export function createUsageReports({ db, now }: Clocked) {
  return {
    /** @throws {ForensicsError} `invalid_request` for a start after the end. */
    async report(tenant: Dated, query: ReportQuery) {
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
  const forensicReporting = sum('billed.forensicReporting');
  const image = { forensicReporting, flagging: sum('billed.flagging') };
  const parallel = { single: minutes(sum, 'single'), bulk: minutes(sum, 'bulk') };
  return {
    successfulProcessing: {
      byType: { api, app, total },
      byResult: toResults(sum),
      byModelTypeAndTier: { image },
    },
    userInteraction: { appLogins: sum('logins') },
    impediments: { processingErrors: errors, retries: sum('retries') },
    qualityIndicators: {
      errorRatePercent: percent(errors, errors + total),
      backpressurePercent: percent(sum('backpressure'), sum('runs')),
    },
    processingDurations: { byModelTypeAndParallelism: { image: parallel } },
  };
}

/**
 * `confidenceScore` is the mean calibrated probability of the decided class over all decided results (real, fake),
 * 0..1. Uncertain and abstain are not classes, so they have no confidence; 0 if nothing was decided.
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

/** Capped at 100: a run begun before midnight may be returned to the queue after it, on a day with fewer runs. */
function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, (100 * part) / whole);
}

/** Mean processing time in minutes; null if nothing was timed. */
function minutes(sum: Sums, parallelism: Parallelism): number | null {
  const count = sum(`timed.${parallelism}`);
  return count === 0 ? null : sum(`ms.${parallelism}`) / count / 60_000;
}
