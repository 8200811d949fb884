/** `forensics usage`: what the tenants used, a row each. */

import { type Command, Option } from 'commander';
import type { UsageReport } from '../../contract/usage.ts';
import { usageError } from '../errors.ts';
import { dayOf, isRemote, type ServiceOptions, withServiceOptions } from '../options.ts';
import { csvText, type CsvValue, listTable } from '../output/layout.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { tenantOfProfile } from '../connection/server.ts';
import { type TenantActs, withService } from '../connection/service.ts';

export function defineUsage(command: Command): void {
  withServiceOptions(command)
    .option('--tenant <name>', 'only this tenant')
    .option(
      '--from <day>',
      'first day (UTC), such as 2026-03-01 (default: the first of all)',
      dayOf,
    )
    .option('--to <day>', 'last day (UTC) (default: today)', dayOf)
    .addOption(
      new Option('--csv', 'a row of comma-separated values a tenant and day (UTC), under a header')
        .default(false)
        .conflicts('json'),
    )
    .addHelpText(
      'after',
      `
On this machine it shows every tenant, also deleted ones (NAME~ID) as long as something of them is kept; on a server those of
whoever is logged in, or the tenant that is named. All figures of one tenant: forensics tenant report NAME.

Examples:
  $ forensics usage --from 2026-03-01 --to 2026-03-31
  $ forensics usage --tenant acme --csv`,
    )
    .action(async (_own: unknown, called: Command) => {
      await usage(called.optsWithGlobals<UsageOptions>());
    });
}

interface UsageOptions extends ServiceOptions, Days {
  readonly tenant?: string;
  readonly csv: boolean;
}

/** A tenant by its name, and what it used. */
interface Used {
  readonly tenantName: string;
  readonly report: UsageReport;
}

async function usage(options: UsageOptions): Promise<void> {
  const found = await withService(options, async ({ tenants }) => {
    const used = await allUsed(tenants, options);
    return options.csv ? csvOf(tenants, used) : used;
  });
  if (typeof found === 'string') return void process.stdout.write(found);
  if (options.json) {
    return printJson(found.map(({ tenantName, report }) => ({ tenantName, ...report })));
  }
  if (found.length === 0) return log('There are no tenants.');
  print(listTable(head, found.map(rowOf)));
}

async function allUsed(tenants: TenantActs, options: UsageOptions): Promise<readonly Used[]> {
  const named = options.tenant ?? (isRemote(options) ? tenantOfProfile(options) : undefined);
  const names = named === undefined ? await tenants.names() : [named];
  const all: Used[] = [];
  for (const tenantName of names) {
    // oxlint-disable-next-line no-await-in-loop -- one request after the other, as the server counts them
    all.push({ tenantName, report: await reportOf(tenants, tenantName, options) });
  }
  return all;
}

async function csvOf(tenants: TenantActs, used: readonly Used[]): Promise<string> {
  const rows: CsvValue[][] = [['tenant', ...columnNames]];
  for (const { tenantName, report } of used) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    const days = await dailyReports(tenants, tenantName, report);
    rows.push(...days.map((day) => [tenantName, ...valuesOf(day)]));
  }
  return csvText(rows);
}

// The figures that bills and complaints are about; `--json` and `--csv` have the rest.
const head = [
  'tenant',
  'succeeded',
  'real',
  'fake',
  'uncertain',
  'abstain',
  'flagging',
  'forensicReporting',
  'failed',
  'pending',
] as const;

function rowOf({ tenantName, report }: Used): readonly string[] {
  const { byType, byResult, byModelTypeAndTier } = report.successfulProcessing;
  const { flagging, forensicReporting } = byModelTypeAndTier.image;
  const { real, fake, uncertain, abstain } = byResult;
  const figures = [byType.total, real, fake, uncertain, abstain, flagging, forensicReporting];
  const rest = [report.impediments.processingErrors, report.queuedAnalyses];
  return [tenantName, ...[...figures, ...rest].map(String)];
}

type Column = readonly [name: string, valueOf: (day: UsageReport) => CsvValue];

// One CSV row a day, read by programs: never rename or move a column, add new ones at the end. Names and units are
// those of the HTTP interface.
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

/** The names of the columns, as the first row. */
export const columnNames = columns.map(([name]) => name);

/** @param day - the report about one day. */
export function valuesOf(day: UsageReport): readonly CsvValue[] {
  return columns.map(([, valueOf]) => valueOf(day));
}

function durationsOf({ processingDurations: durations }: UsageReport) {
  return durations.byModelTypeAndParallelism.image;
}

/** The period that a usage report covers. */
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
 * @param whole - the report about the whole period.
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
