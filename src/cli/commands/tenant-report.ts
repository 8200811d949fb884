/** `forensics tenant report`: what a tenant used, as a table, as CSV, or as the HTTP interface returns it. */

import { type Command, Option } from 'commander';
import type { UsageReport } from '../../contract/usage.ts';
import { calling, type ServiceOptions } from '../options.ts';
import { csvText, listTable } from '../output/layout.ts';
import { print, printJson } from '../output/terminal.ts';
import { withService } from '../connection/server.ts';
import {
  columnNames,
  dailyReports,
  type Days,
  readReport,
  valuesOfDay,
  withDays,
} from './usage.ts';

interface ReportOptions extends ServiceOptions, Days {
  readonly csv: boolean;
}

/** @param command - `report`, with the options of `ServiceOptions`. */
export function describeTenantReport(command: Command): void {
  withDays(
    command
      .description('Show the usage of a tenant, in total or for some days.')
      .argument('<name>', 'the tenant'),
  )
    .addOption(
      new Option('--csv', 'CSV with a header, one row per day (UTC)')
        .default(false)
        .conflicts('json'),
    )
    .addHelpText(
      'after',
      `
The columns of --csv use the names and units of --json. Days before the tenant was created and future days have no row.

Examples:
  $ forensics tenant report acme
  $ forensics tenant report acme --from 2026-03-01 --to 2026-03-31 --csv`,
    )
    .action(calling(printReport));
}

async function printReport(tenant: string, options: ReportOptions): Promise<void> {
  const found = await withService(options, async ({ tenants }) => {
    const whole = await readReport(tenants, tenant, options);
    if (!options.csv) return whole;
    const days = await dailyReports(tenants, tenant, whole);
    return csvText([columnNames, ...days.map(valuesOfDay)]);
  });
  if (typeof found === 'string') return void process.stdout.write(found);
  if (options.json) return printJson(found);
  print(listTable(['figure', 'value'], toRows(found)));
}

function toRows(report: UsageReport): readonly (readonly [string, string])[] {
  const { successfulProcessing: done, impediments, qualityIndicators: quality } = report;
  const { byType, byResult, byModelTypeAndTier } = done;
  const { single, bulk } = report.processingDurations.byModelTypeAndParallelism.image;
  const rows: readonly (readonly [string, string | number])[] = [
    ['from', report.startTime],
    ['to', report.endTime],
    ['pending now', report.queuedAnalyses],
    ['succeeded', byType.total],
    ['  created by API keys', byType.api],
    ['  created by users', byType.app],
    ['  real', byResult.real],
    ['  fake', byResult.fake],
    ['  uncertain', byResult.uncertain],
    ['  abstain', byResult.abstain],
    ['mean confidence', byResult.confidenceScore.toFixed(3)],
    ['billed as flagging', byModelTypeAndTier.image.flagging],
    ['billed as forensicReporting', byModelTypeAndTier.image.forensicReporting],
    ['logins', report.userInteraction.appLogins],
    ['failed', impediments.processingErrors],
    ['retries', impediments.retries],
    ['error rate', `${quality.errorRatePercent.toFixed(1)} %`],
    ['rolled back when busy', `${quality.backpressurePercent.toFixed(1)} %`],
    ['duration, one at a time', minutesText(single)],
    ['duration, several at a time', minutesText(bulk)],
  ];
  return rows.map(([figure, value]) => [figure, String(value)]);
}

function minutesText(minutes: number | null): string {
  return minutes === null ? '-' : `${(60 * minutes).toFixed(1)} s`;
}
