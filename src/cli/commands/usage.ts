/** `forensics usage`: prints usage with one row per tenant. */

import { Option } from 'commander';
import type { Command } from '../command.ts';
import type { ReportQuery, UsageReport } from '../../contract/usage.ts';
import { type Core, keptTenantNamed } from '../../service/core.ts';
import { csvText, usageColumns, valuesOfDay } from '../../present/csv.ts';
import { usageError } from '../errors.ts';
import {
  calling,
  type LocalOptions,
  parseDay,
  type TextOptions,
  withLocalOptions,
} from '../options.ts';
import { type Columns, printList } from '../output/layout.ts';
import { printJson } from '../output/terminal.ts';
import { withLocalCore } from '../connection/local.ts';

export function defineUsage(command: Command): void {
  withLocalOptions(command)
    .option('--tenant <name>', 'only this tenant')
    .option('--from <day>', 'first day (UTC), such as 2026-03-01 (default: the earliest)', parseDay)
    .option('--to <day>', 'last day (UTC) (default: today)', parseDay)
    .addOption(
      new Option('--csv', 'CSV with a header, one row per tenant and day (UTC)')
        .default(false)
        .conflicts('json'),
    )
    .helpAfter(`
It shows every tenant, including deleted ones (NAME~ID) while any of their data is kept. --json and --csv print all figures.`)
    .examples('--from 2026-03-01 --to 2026-03-31', '--tenant acme --csv')
    .action(calling(usage));
}

/** `from` and `to`: first and last day (UTC), `YYYY-MM-DD`; all time when both are left out. */
interface UsageOptions extends LocalOptions, TextOptions<'tenant' | 'from' | 'to'> {
  readonly csv: boolean;
}

type Report = (query: ReportQuery) => Promise<UsageReport>;

interface Used {
  readonly tenantName: string;
  readonly report: UsageReport;
  /** One report per day; empty without `--csv`. */
  readonly days: readonly UsageReport[];
}

async function usage(options: UsageOptions): Promise<void> {
  const used = await withLocalCore(options, (core) => allUsed(core, options));
  if (options.csv) {
    const rows = used.flatMap(({ tenantName, days }) =>
      days.map((day) => [tenantName, ...valuesOfDay(day)]),
    );
    const text = csvText([['tenant', ...Object.keys(usageColumns)], ...rows]);
    return void process.stdout.write(text);
  }
  if (options.json) {
    return printJson(used.map(({ tenantName, report }) => ({ tenantName, ...report })));
  }
  printList(used, columns, { json: false, none: 'There are no tenants.' });
}

async function allUsed(core: Core, options: UsageOptions): Promise<readonly Used[]> {
  const tenants =
    options.tenant === undefined
      ? [...(await core.tenants.list()), ...(await core.tenants.listDeleted())]
      : [await keptTenantNamed(core, options.tenant)];
  const all: Used[] = [];
  for (const tenant of tenants) {
    const read: Report = (query) => core.usage.report(tenant, query);
    const report = await readReport(read, options);
    const days = options.csv ? await dailyReports(read, report) : [];
    all.push({ tenantName: tenant.name, report, days });
  }
  return all;
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

async function readReport(read: Report, { from, to }: UsageOptions): Promise<UsageReport> {
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to)) {
    throw usageError('--from must not be later than --to.');
  }
  if (from === undefined && to === undefined) return read({ type: 'total' });
  const startTime = from ?? (await firstDay(read));
  return read({ type: 'range', startTime, ...(to !== undefined && { endTime: to }) });
}

const dayMs = 86_400_000;

/** Fetches one report per day of a period, from the tenant's creation until today. */
async function dailyReports(read: Report, whole: UsageReport): Promise<readonly UsageReport[]> {
  const first = Math.max(Date.parse(whole.startTime), Date.parse(await firstDay(read)));
  const last = Math.min(Date.parse(whole.endTime), Date.now());
  const reports: UsageReport[] = [];
  for (let at = Math.floor(first / dayMs); at * dayMs <= last; at++) {
    const time = new Date(at * dayMs).toISOString().slice(0, 10);
    reports.push(await read({ type: 'range', startTime: time, endTime: time }));
  }
  return reports;
}

/** Returns a day rather than a time, so that `--to` may be the same day. */
async function firstDay(read: Report): Promise<string> {
  return (await read({ type: 'total' })).startTime.slice(0, 10);
}
