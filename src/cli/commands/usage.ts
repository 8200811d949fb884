/** `forensics usage` prints usage with one row per tenant; `forensics tenant report` prints all figures of one tenant. */

import { Option } from 'commander';
import type { Command } from '../command.ts';
import type { UsageReport } from '../../contract/usage.ts';
import { csvText, type CsvValue, usageColumns, valuesOfDay } from '../../present/csv.ts';
import { usageError } from '../errors.ts';
import {
  calling,
  isRemote,
  parseDay,
  type ServiceOptions,
  withServiceOptions,
} from '../options.ts';
import { type Columns, listTable, printList } from '../output/layout.ts';
import { print, printJson } from '../output/terminal.ts';
import { profileTenant, withService } from '../connection/server.ts';
import type { Service } from '../connection/local.ts';

export function defineUsage(command: Command): void {
  withDays(withServiceOptions(command).option('--tenant <name>', 'only this tenant'))
    .addOption(
      new Option('--csv', 'CSV with a header, one row per tenant and day (UTC)')
        .default(false)
        .conflicts('json'),
    )
    .helpAfter(`
On this machine it shows every tenant, including deleted ones (NAME~ID) while any of their data is kept; on a server, those
of the logged-in user, or the one you name. For all figures of one tenant: forensics tenant report NAME.

Examples:
  $ forensics usage --from 2026-03-01 --to 2026-03-31
  $ forensics usage --tenant acme --csv`)
    .action(calling(usage));
}

function withDays(command: Command): Command {
  return command
    .option('--from <day>', 'first day (UTC), such as 2026-03-01 (default: the earliest)', parseDay)
    .option('--to <day>', 'last day (UTC) (default: today)', parseDay);
}

interface UsageOptions extends ServiceOptions, Days {
  readonly tenant?: string;
  readonly csv: boolean;
}

interface Used {
  readonly tenantName: string;
  readonly report: UsageReport;
}

async function usage(options: UsageOptions): Promise<void> {
  const found = await withService(options, async ({ tenants }) => {
    const used = await allUsed(tenants, options);
    return options.csv ? toCsv(tenants, used) : used;
  });
  if (typeof found === 'string') return void process.stdout.write(found);
  if (options.json) {
    return printJson(found.map(({ tenantName, report }) => ({ tenantName, ...report })));
  }
  printList(found, columns, { json: false, none: 'There are no tenants.' });
}

async function allUsed(
  tenants: Service['tenants'],
  options: UsageOptions,
): Promise<readonly Used[]> {
  const named = options.tenant ?? (isRemote(options) ? profileTenant(options) : undefined);
  const names = named === undefined ? await tenants.names() : [named];
  const all: Used[] = [];
  for (const tenantName of names) {
    // oxlint-disable-next-line no-await-in-loop -- one request at a time, because the server counts them
    all.push({ tenantName, report: await readReport(tenants, tenantName, options) });
  }
  return all;
}

async function toCsv(tenants: Service['tenants'], used: readonly Used[]): Promise<string> {
  const rows: CsvValue[][] = [['tenant', ...Object.keys(usageColumns)]];
  for (const { tenantName, report } of used) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    const days = await dailyReports(tenants, tenantName, report);
    rows.push(...days.map((day) => [tenantName, ...valuesOfDay(day)]));
  }
  return csvText(rows);
}

const done = ({ report }: Used) => report.successfulProcessing;

// The figures needed for billing and complaints; `--json` and `--csv` contain all of them.
const columns: Columns<Used> = {
  tenant: ({ tenantName }) => tenantName,
  succeeded: (used) => String(done(used).byType.total),
  real: (used) => String(done(used).byResult.real),
  fake: (used) => String(done(used).byResult.fake),
  uncertain: (used) => String(done(used).byResult.uncertain),
  abstain: (used) => String(done(used).byResult.abstain),
  flagging: (used) => String(done(used).byModelTypeAndTier.image.flagging),
  forensicReporting: (used) => String(done(used).byModelTypeAndTier.image.forensicReporting),
  failed: ({ report }) => String(report.impediments.processingErrors),
  pending: ({ report }) => String(report.queuedAnalyses),
};

/** The period that a usage report covers. */
interface Days {
  /** First and last day (UTC), `YYYY-MM-DD`; all time when both are left out. */
  readonly from?: string;
  readonly to?: string;
}

async function readReport(
  tenants: Pick<Service['tenants'], 'report'>,
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
 * Fetches one report per day, from the tenant's creation until today.
 *
 * @param whole - the report for the whole period.
 */
async function dailyReports(
  tenants: Pick<Service['tenants'], 'report'>,
  tenant: string,
  whole: UsageReport,
): Promise<readonly UsageReport[]> {
  const first = Math.max(Date.parse(whole.startTime), Date.parse(await firstDay(tenants, tenant)));
  const last = Math.min(Date.parse(whole.endTime), Date.now());
  const reports: UsageReport[] = [];
  for (let at = Math.floor(first / dayMs); at * dayMs <= last; at++) {
    const time = new Date(at * dayMs).toISOString().slice(0, 10);
    const query = { type: 'range', startTime: time, endTime: time } as const;
    // oxlint-disable-next-line no-await-in-loop -- one request at a time, because the server counts them
    reports.push(await tenants.report(tenant, query));
  }
  return reports;
}

/** Returns a day rather than a time, so that `--to` may be the same day. */
async function firstDay(
  tenants: Pick<Service['tenants'], 'report'>,
  tenant: string,
): Promise<string> {
  return (await tenants.report(tenant, { type: 'total' })).startTime.slice(0, 10);
}

/**
 * `forensics tenant report`: all figures of one tenant. @param command - `report`, with the options
 * of `ServiceOptions`.
 */
export function defineTenantReport(command: Command): void {
  withDays(
    command
      .description('Show the usage of a tenant, in total or for a range of days.')
      .argument('<name>', 'the tenant'),
  )
    .helpAfter(`
Examples:
  $ forensics tenant report acme
  $ forensics tenant report acme --from 2026-03-01 --to 2026-03-31`)
    .action(calling(printReport));
}

async function printReport(tenant: string, options: ServiceOptions & Days): Promise<void> {
  const report = await withService(options, ({ tenants }) => readReport(tenants, tenant, options));
  if (options.json) return printJson(report);
  print(listTable(['figure', 'value'], toRows(report)));
}

function toRows(report: UsageReport): readonly (readonly [string, string])[] {
  const { impediments, qualityIndicators: quality } = report;
  const { byType, byResult, byModelTypeAndTier } = report.successfulProcessing;
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
    ['error rate', `${quality.errorRatePercent.toFixed(1)}%`],
    ['rolled back when busy', `${quality.backpressurePercent.toFixed(1)}%`],
    ['duration, one at a time', minutesText(single)],
    ['duration, several at a time', minutesText(bulk)],
  ];
  return rows.map(([figure, value]) => [figure, String(value)]);
}

function minutesText(minutes: number | null): string {
  return minutes === null ? '-' : `${(60 * minutes).toFixed(1)} s`;
}
