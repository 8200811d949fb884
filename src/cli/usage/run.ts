import type { UsageReport } from '../../analyses/usage-report.ts';
import { csvText, type CsvValue } from '../csv.ts';
import { listTable } from '../list-table.ts';
import { tenantOfProfile } from '../server/tenant.ts';
import { isRemote, type ServiceOptions } from '../service-options.ts';
import { print, printJson, say } from '../talk.ts';
import { withService } from '../service/open.ts';
import type { TenantActs } from '../service/service.ts';
import { columnNames, valuesOf } from './columns.ts';
import { dailyReports, type Days, reportOf } from './reports.ts';

export interface UsageOptions extends ServiceOptions, Days {
  readonly tenant?: string;
  readonly csv: boolean;
}

/** A tenant by its name, and what it used. */
interface Used {
  readonly tenantName: string;
  readonly report: UsageReport;
}

export async function usage(options: UsageOptions): Promise<void> {
  const found = await withService(options, async ({ tenants }) => {
    const used = await allUsed(tenants, options);
    return options.csv ? csvOf(tenants, used) : used;
  });
  if (typeof found === 'string') return void process.stdout.write(found);
  if (options.json) {
    return printJson(found.map(({ tenantName, report }) => ({ tenantName, ...report })));
  }
  if (found.length === 0) return say('There are no tenants.');
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

// What bills and complaints are about; the rest stands in `--json` and `--csv`.
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
