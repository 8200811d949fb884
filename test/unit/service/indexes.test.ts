/** The statements that run all the time read as much of their table as they answer, and no more. */

import { expect, test, vi } from 'vitest';
import { countPending, isPartOfBulk } from '../../../src/service/analyses/rows.ts';
import { purgeDeliveries } from '../../../src/service/webhooks/deliver.ts';
import { hasPostgres } from '../ports/db/temporary.ts';
import { openWorkshop } from './analyses/workshop.ts';

type Workshop = Awaited<ReturnType<typeof openWorkshop>>;

test.skipIf(hasPostgres).each<[string, (workshop: Workshop) => Promise<unknown>, string]>([
  ['a list', ({ analyses, caller }) => analyses.list(caller, {}), 'analyses_by_age'],
  [
    'the number that wait',
    ({ db, caller }) => countPending(db, caller.tenant.id),
    'analyses_pending',
  ],
  [
    'whether others are at work',
    ({ db, caller }) => isPartOfBulk(db, { tenantId: caller.tenant.id, analysisId: 'one' }),
    'analyses_at_work',
  ],
  ['the next job', ({ queue }) => queue.nextDueAt(['work']), 'jobs_by_due'],
  ['ended messages', ({ db }) => purgeDeliveries(db, new Date(0)), 'webhook_deliveries_by_end'],
])('%s is read through an index', async (_what, ask, index) => {
  const workshop = await openWorkshop();
  const { $client } = workshop.db;
  const prepare = vi.spyOn($client, 'prepare');
  await ask(workshop);
  const statements = prepare.mock.calls.map(([statement]) => statement);
  prepare.mockRestore();

  const plan = statements.flatMap((statement) => {
    const values = statement.match(/\?/g)?.map(() => 'x') ?? [];
    return $client
      .prepare<string[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`)
      .all(...values)
      .map(({ detail }) => detail);
  });
  expect(plan).toContainEqual(expect.stringMatching(`INDEX ${index} \\(`));
  expect(plan.filter((line) => /^SCAN|TEMP B-TREE/.test(line))).toEqual([]);
});
