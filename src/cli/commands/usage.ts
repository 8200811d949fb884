/** `forensics usage`: prints usage with one row per tenant. */

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
import { type Columns, printList } from '../output/layout.ts';
import { printJson } from '../output/terminal.ts';
import { requireTenant, withService } from '../connection/server.ts';
import type { Service } from '../connection/local.ts';

export function defineUsage(command: Command): void {
  withServiceOptions(command)
    .option('--tenant <name>', 'only this tenant')
    .option('--from <day>', 'first day (UTC), such as 2026-03-01 (default: the earliest)', parseDay)
    .option('--to <day>', 'last day (UTC) (default: today)', parseDay)
    .addOption(
      new Option('--csv', 'CSV with a header, one row per tenant and day (UTC)')
        .default(false)
        .conflicts('json'),
    )
    .helpAfter(`
On this machine it shows every tenant, including deleted ones (NAME~ID) while any of their data is kept; on a server, the
tenant of the key. --json and --csv print all figures.

Examples:
  $ forensics usage --from 2026-03-01 --to 2026-03-31
  $ forensics usage --tenant acme --csv`)
    .action(calling(usage));
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
  const named = isRemote(options) ? requireTenant(options) : options.tenant;
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
