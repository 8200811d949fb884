import { beforeAll, expect, test } from 'vitest';
import { countUsage } from '../../src/service/usage/usage.ts';
import { openCore } from '../../src/service/core.ts';
import { readConfig } from '../../src/contract/config.ts';
import type { UsageReport } from '../../src/contract/usage.ts';
import { transact } from '../../src/ports/db/database.ts';
import { newFolder } from '../fixtures/folder.ts';
import { refused, runHere } from './run-cli.ts';

const dataDir = newFolder();
const usage = async (...args: string[]) =>
  runHere(['usage', '--tenant', 'acme', ...args, '--data-dir', dataDir]);
const dayMs = 86_400_000;
const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const today = new Date();
const yesterday = new Date(today.getTime() - dayMs);

beforeAll(async () => {
  const core = await openCore(readConfig({ flags: { dataDir }, environment: {} }).settings);
  const { id: tenantId } = await core.tenants.create({ name: 'acme' });
  for (const at of [yesterday, today]) {
    await transact(core.database.db, (tx) =>
      countUsage(tx, { tenantId, at }, [
        ['success.api', 3],
        ['timed.single', 2],
        ['ms.single', 3000],
      ]),
    );
  }
  await core.close();
});

test.each([
  [[], 'total', 6],
  [['--from', dayOf(yesterday), '--to', dayOf(yesterday)], dayOf(yesterday), 3],
  [['--from', dayOf(yesterday)], `${dayOf(yesterday)}-${dayOf(today)}`, 6],
  [['--to', dayOf(today)], dayOf(today), 3],
])('%j prints the same report as the API', async (args, name, total) => {
  const ran = await usage(...args, '--json');
  const [{ id, tenantId, successfulProcessing }]: [UsageReport] = JSON.parse(ran.stdout);

  expect(ran.code).toBe(0);
  expect(id).toBe(`${tenantId}-${name}`);
  expect(successfulProcessing.byType).toEqual({ api: total, app: 0, total });
});

test.each([
  [['--from', 'monday'], "option '--from <day>' argument 'monday' is invalid. Write a day"],
  [['--to', '2026-02-31T99'], "option '--to <day>' argument '2026-02-31T99' is invalid."],
  [['--from', '2026-03-02', '--to', '2026-03-01'], '--from must not be later than --to.'],
  [['--csv', '--to', 'monday'], "option '--to <day>' argument 'monday' is invalid."],
  [['--csv', '--json'], "'--csv' cannot be used with option '--json'"],
])('%j is a usage error that names the option', async (days, message) => {
  expect(await usage(...days)).toEqual(refused(2, message));
});

const header =
  'tenant,day,total,api,app,real,fake,uncertain,abstain,confidenceScore,flagging,forensicReporting,' +
  'appLogins,processingErrors,retries,errorRatePercent,backpressurePercent,singleMinutes,bulkMinutes';

test('usage --csv has a row for each day the tenant existed, and none for other days', async () => {
  const row = `acme,${dayOf(today)},3,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0.025,`;

  const all = await usage('--csv');
  const wide = await usage('--csv', '--from', '2001-01-01', '--to', '2999-12-31');
  const past = await usage('--csv', '--from', '2001-01-01', '--to', '2001-01-31');

  expect(all).toMatchObject({ code: 0, stdout: `${header}\r\n${row}\r\n` });
  expect(wide.stdout).toBe(all.stdout);
  expect(past.stdout).toBe(`${header}\r\n`);
});

test('without --tenant there is a row for each tenant', async () => {
  await runHere(['tenant', 'create', 'other', '--data-dir', dataDir]);

  const table = await runHere(['usage', '--data-dir', dataDir]);

  const names = table.stdout.split('\n').map((line) => line.split(' ')[0]);
  expect(names).toEqual(['tenant', 'acme', 'other', '']);
});
