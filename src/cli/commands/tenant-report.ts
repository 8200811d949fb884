/** `forensics tenant report`: what a tenant used, as the HTTP interface answers it, as a table, or as CSV. */

import { type Command, Option } from 'commander';
import type { UsageReport } from '../../contract/usage.ts';
import { dayOf, type ServiceOptions } from '../options.ts';
import { csvText, listTable } from '../output/layout.ts';
import { print, printJson } from '../output/terminal.ts';
import { withService } from '../connection/service.ts';
import { columnNames, dailyReports, type Days, reportOf, valuesOf } from './usage.ts';

interface ReportOptions extends ServiceOptions, Days {
  readonly csv: boolean;
}

/** @param command - `report`, with the options that all commands of tenants share. */
export function describeTenantReport(command: Command): Command {
  return command
    .description('Show the usage of a tenant, in total or for some days.')
    .argument('<name>', 'the tenant')
    .option(
      '--from <day>',
      'first day (UTC), such as 2026-03-01 (default: the first of all)',
      dayOf,
    )
    .option('--to <day>', 'last day (UTC) (default: today)', dayOf)
    .addOption(
      new Option('--csv', 'a row of comma-separated values a day (UTC), under a header')
        .default(false)
        .conflicts('json'),
    )
    .addHelpText(
      'after',
      `
The columns of --csv have the words and units of --json; days before the tenant was made and days to come have no row.

Examples:
  $ forensics tenant report acme
  $ forensics tenant report acme --from 2026-03-01 --to 2026-03-31 --csv`,
    )
    .action(async (name: string, _own: unknown, called: Command) => {
      await printReport(name, called.optsWithGlobals<ReportOptions>());
    });
}

async function printReport(tenant: string, options: ReportOptions): Promise<void> {
  const found = await withService(options, async ({ tenants }) => {
    const whole = await reportOf(tenants, tenant, options);
    if (!options.csv) return whole;
    const days = await dailyReports(tenants, tenant, whole);
    return csvText([columnNames, ...days.map(valuesOf)]);
  });
  if (typeof found === 'string') return void process.stdout.write(found);
  if (options.json) return printJson(found);
  print(listTable(['figure', 'value'], rowsOf(found)));
}

function rowsOf(report: UsageReport): readonly (readonly [string, string])[] {
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
