import { expect, test } from 'vitest';
import { countUsage } from '../../../src/service/usage/usage.ts';
import type { UsageReport } from '../../../src/contract/usage.ts';
import { transact } from '../../../src/ports/db/database.ts';
import { serverForFile } from './open-server.ts';

let now = new Date('2026-03-01T12:00:00.000Z');

const open = await serverForFile({ now: () => now });
const ask = await open.listen();
const { tenant, secret } = await open.makeTenant('acme', 10 * 86_400_000);
const tenantId = tenant.id;
const authorization = `ApiKey ${secret}`;
for (const day of [1, 2, 3]) {
  const at = new Date(`2026-03-0${day}T12:00:00.000Z`);
  await transact(open.app.core.database.db, (tx) =>
    countUsage(tx, { tenantId, at }, [['errors', day]]),
  );
}
now = new Date('2026-03-03T13:00:00.000Z');

const get = async (query: string) =>
  ask({
    method: 'GET',
    path: `/v1/tenant/report?tenantName=acme${query}`,
    headers: { authorization },
  });

test.each([
  ['', 'total', 6],
  ['&type=total', 'total', 6],
  [
    '&type=range&startTime=2026-03-01T00:00:00+01:00&endTime=2026-03-02',
    '2026-02-28-2026-03-02',
    3,
  ],
])('%j returns the report %s', async (query, name, processingErrors) => {
  const answer = await get(query);

  expect(answer.status).toBe(200);
  const { success, data } = answer.json<{ success: true; data: UsageReport }>();
  expect(success).toBe(true);
  expect(data).toMatchObject({
    id: `${tenantId}-${name}`,
    tenantId,
    impediments: { processingErrors, retries: 0 },
    qualityIndicators: { errorRatePercent: 100 },
  });
});
