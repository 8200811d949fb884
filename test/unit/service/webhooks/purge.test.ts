import { expect, test } from 'vitest';
import { deliveries } from '../../../../src/ports/db/schema.ts';
import { purgeDeliveries } from '../../../../src/service/webhooks/deliveries.ts';
import { hasPostgres } from '../../ports/db/temporary.ts';
import { startReceiver } from './receiver.ts';
import { setUp } from './set-up.ts';

const dayMs = 24 * 3_600_000;

test('messages that ended long ago are purged, recent and waiting ones are kept', async () => {
  const receiver = await startReceiver((response, { body }) => {
    response.statusCode = body.includes('stuck') ? 500 : 200;
    response.end();
  });
  const { db, clock, deliverer, tenant, send } = await setUp();
  const { id } = await tenant('acme', receiver.url);
  await send(id, 'a1', { n: 'old' });
  await send(id, 'a2', { n: 'stuck' });
  await deliverer.drain();
  clock.step(dayMs);
  await send(id, 'a3', { n: 'young' });
  await deliverer.drain();

  await purgeDeliveries(db, new Date(clock.now().getTime() - dayMs / 2));

  const left = await db.select().from(deliveries).orderBy(deliveries.seq).all();
  expect(left.map(({ payload }) => payload)).toEqual(['{"n":"stuck"}', '{"n":"young"}']);
});

test('more messages than fit into one batch are purged', async () => {
  const { db, tenant } = await setUp();
  const { id } = await tenant('acme', 'https://receiver.test/');
  const at = new Date(0);
  const ended = {
    state: 'delivered',
    attempts: 1,
    fence: 1,
    createdAt: at,
    settledAt: at,
  } as const;
  const rows = Array.from({ length: 2500 }, (_, n) => ({
    ...ended,
    id: `msg_${n}`,
    tenantId: id,
    subject: 'a',
    event: 'update',
    payload: '{}',
  }));
  for (let n = 0; n < rows.length; n += 500)
    await db
      .insert(deliveries)
      .values(rows.slice(n, n + 500))
      .run();

  await purgeDeliveries(db, new Date(1));

  expect(await db.$count(deliveries)).toBe(0);
});

test.skipIf(hasPostgres)('messages that have ended are found through an index', async () => {
  const { db } = await setUp();

  const plan = db.$client
    .prepare('EXPLAIN QUERY PLAN SELECT seq FROM webhook_deliveries WHERE settled_at < ?')
    .all(1);
  expect(JSON.stringify(plan)).toContain('webhook_deliveries_by_end');
});
