/** Usage as CSV: a row a day, so that a spreadsheet can add up what it likes. The header is the same for ever. */

import type { Tenant } from '../../access/tenants.ts';
import type { UsageReport, UsageReports } from '../../analyses/usage-report.ts';
import { csvText, type CsvValue } from '../csv.ts';

type Column = readonly [name: string, valueOf: (day: UsageReport) => CsvValue];

// Read by programs: a column is added at the end or not at all. Names and units are those of the interface.
const columns: readonly Column[] = [
  ['day', (day) => day.startTime.slice(0, 10)],
  ['total', ({ successfulProcessing: done }) => done.byType.total],
  ['api', ({ successfulProcessing: done }) => done.byType.api],
  ['app', ({ successfulProcessing: done }) => done.byType.app],
  ['real', ({ successfulProcessing: done }) => done.byResult.real],
  ['fake', ({ successfulProcessing: done }) => done.byResult.fake],
  ['uncertain', ({ successfulProcessing: done }) => done.byResult.uncertain],
  ['abstain', ({ successfulProcessing: done }) => done.byResult.abstain],
  ['confidenceScore', ({ successfulProcessing: done }) => done.byResult.confidenceScore],
  ['flagging', ({ successfulProcessing: done }) => done.byModelTypeAndTier.image.flagging],
  [
    'forensicReporting',
    ({ successfulProcessing: done }) => done.byModelTypeAndTier.image.forensicReporting,
  ],
  ['appLogins', (day) => day.userInteraction.appLogins],
  ['processingErrors', (day) => day.impediments.processingErrors],
  ['retries', (day) => day.impediments.retries],
  ['errorRatePercent', (day) => day.qualityIndicators.errorRatePercent],
  ['backpressurePercent', (day) => day.qualityIndicators.backpressurePercent],
  ['singleMinutes', (day) => durationsOf(day).single],
  ['bulkMinutes', (day) => durationsOf(day).bulk],
];

/** @param whole - the report about the time that is asked for. */
export async function usageCsv(
  usage: UsageReports,
  tenant: Tenant,
  whole: UsageReport,
): Promise<string> {
  const rows: CsvValue[][] = [columns.map(([name]) => name)];
  for (const day of daysOf(tenant, whole)) {
    // oxlint-disable-next-line no-await-in-loop -- SQLite answers one question after the other anyway
    const report = await usage.report(tenant, { type: 'range', startTime: day, endTime: day });
    rows.push(columns.map(([, valueOf]) => valueOf(report)));
  }
  return csvText(rows);
}

const dayMs = 86_400_000;

/** Nothing was counted before the tenant was made, and nothing after today. */
function* daysOf({ createdAt }: Tenant, { startTime, endTime }: UsageReport): Generator<string> {
  const first = Math.max(Date.parse(startTime), createdAt.getTime());
  const last = Math.min(Date.parse(endTime), Date.now());
  for (let day = Math.floor(first / dayMs); day * dayMs <= last; day++) {
    yield new Date(day * dayMs).toISOString().slice(0, 10);
  }
}

function durationsOf({ processingDurations: durations }: UsageReport) {
  return durations.byModelTypeAndParallelism.image;
}
