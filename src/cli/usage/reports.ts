/** What a tenant used in a time that people name by its days. */

import type { UsageReport } from '../../analyses/usage-report.ts';
import { usageError } from '../failure.ts';
import type { TenantActs } from '../service/service.ts';

export interface Days {
  /** First and last day (UTC), `YYYY-MM-DD`; all time when both are left out. */
  readonly from?: string;
  readonly to?: string;
}

/** @throws {ForensicsError} `usage` for days that are the wrong way round. */
export async function reportOf(
  tenants: Pick<TenantActs, 'report'>,
  tenant: string,
  { from, to }: Days,
): Promise<UsageReport> {
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to)) {
    throw usageError('--from must not be later than --to.');
  }
  if (from === undefined && to === undefined) return tenants.report(tenant, { type: 'total' });
  const startTime = from ?? (await firstDay(tenants, tenant));
  const end = to === undefined ? {} : { endTime: to };
  return tenants.report(tenant, { type: 'range', startTime, ...end });
}

const dayMs = 86_400_000;

/**
 * One report a day: nothing was counted before the tenant was made, and nothing after today.
 *
 * @param whole - the report about the time that is asked for.
 */
export async function dailyReports(
  tenants: Pick<TenantActs, 'report'>,
  tenant: string,
  whole: UsageReport,
): Promise<readonly UsageReport[]> {
  const first = Math.max(Date.parse(whole.startTime), Date.parse(await firstDay(tenants, tenant)));
  const last = Math.min(Date.parse(whole.endTime), Date.now());
  const reports: UsageReport[] = [];
  for (let day = Math.floor(first / dayMs); day * dayMs <= last; day++) {
    const time = new Date(day * dayMs).toISOString().slice(0, 10);
    const query = { type: 'range', startTime: time, endTime: time } as const;
    // oxlint-disable-next-line no-await-in-loop -- one request after the other, as the server counts them
    reports.push(await tenants.report(tenant, query));
  }
  return reports;
}

/** The day, not the moment: `--to` may name the same day. */
async function firstDay(tenants: Pick<TenantActs, 'report'>, tenant: string): Promise<string> {
  return (await tenants.report(tenant, { type: 'total' })).startTime.slice(0, 10);
}
