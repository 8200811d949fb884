import { expect, test } from 'vitest';
import { createTenants } from '../../../src/service/tenants/tenants.ts';
import { recall, remember, type Repeatable } from '../../../src/service/idempotency.ts';
import { transact } from '../../../src/ports/db/database.ts';
import { idempotencyKeys } from '../../../src/ports/db/schema.ts';
import { steppedClock, testDb } from '../ports/db/temporary.ts';

async function setUp() {
  const db = await testDb();
  const clock = steppedClock();
  const tenants = createTenants({ db, now: clock.now });
  const { id } = await tenants.create({ name: 'acme' });
  const other = await tenants.create({ name: 'other' });
  const ask = (request: unknown, tenantId = id): Repeatable => ({
    tenantId,
    key: 'k1',
    request,
    at: clock.now(),
  });
  return { db, clock, ask, otherId: other.id };
}

test('the same key of another tenant is a different key', async () => {
  const { db, ask, otherId } = await setUp();
  await transact(db, (tx) => remember(tx, ask({ a: 1 }), 'made'));

  expect(await recall(db, ask({ a: 2 }, otherId))).toBeNull();
});

test('a key is forgotten after a day', async () => {
  const { db, ask, clock } = await setUp();
  await transact(db, (tx) => remember(tx, ask({ a: 1 }), 'made'));
  clock.step(24 * 60 * 60 * 1000 + 1);

  expect(await recall(db, ask({ a: 2 }))).toBeNull();
  await transact(db, (tx) => remember(tx, ask({ a: 2 }), 'made later'));
  expect(await db.select().from(idempotencyKeys).all()).toHaveLength(1);
});

test.each(['', 'x'.repeat(256)])('a key of unusable length is refused', async (key) => {
  const { db, ask } = await setUp();

  await expect(() => recall(db, { ...ask({}), key })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
