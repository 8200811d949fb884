/** What `builder.ts` relies on in drizzle without drizzle promising it: to be looked at when drizzle is updated. */

import { count, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { describe, expect, test } from 'vitest';
import { type Builder, createBuilder, type Execute } from '../../../../src/ports/db/builder.ts';
import { tenantNames, tenants } from '../../../../src/ports/db/schema.ts';

const answering = (rows: unknown): Builder => createBuilder(async () => ({ rows }));
/** drizzle's own builder, which maps rows in its own way. */
const plainly = (rows: unknown[]) => drizzle(async () => ({ rows }));

const tenant = ['t1', 'acme', 'acme', 1, null, null, null, null, null, '{"a":1}', 1, 5, null, null];

test('errors are those of the engine, without the values of the statement', async () => {
  const failure = new Error('disk');
  const db = createBuilder(async () => {
    throw failure;
  });
  const query = db.select().from(tenants).where(eq(tenants.name, 'secret'));

  for (const act of [query.all(), query.get(), query.values(), query.run(), query.prepare().all()])
    await expect(act).rejects.toBe(failure);
  await expect(db.insert(tenantNames).values({ name: 'a', tenantId: 'b' }).run()).rejects.toBe(
    failure,
  );
});

test('run resolves to the engine’s result', async () => {
  const asked: Parameters<Execute>[] = [];
  const db = createBuilder(async (...statement) => {
    asked.push(statement);
    return { changes: 3 };
  });

  expect(await db.delete(tenants).where(eq(tenants.isTrial, true)).run()).toEqual({ changes: 3 });
  expect(asked).toEqual([['delete from "tenants" where "tenants"."is_trial" = ?', [1], 'run']]);
});

describe('rows match drizzle’s own mapping', () => {
  test('of one table', async () => {
    const db = answering([tenant]);

    const rows = await db.select().from(tenants).all();

    expect(rows).toEqual(await plainly([tenant]).select().from(tenants).all());
    expect(await answering(tenant).select().from(tenants).get()).toEqual(rows[0]);
    expect(rows[0]).toMatchObject({ isTrial: true, createdAt: new Date(5), webhookUrl: null });
  });

  test.each([
    ['with a row of each', ['acme', 't1', ...tenant]],
    ['without a row of the second', ['acme', 't1', ...tenant.map(() => null)]],
  ])('of two tables, %s', async (_, row) => {
    const isOfName = eq(tenants.id, tenantNames.tenantId);

    const rows = await answering([row])
      .select()
      .from(tenantNames)
      .leftJoin(tenants, isOfName)
      .all();

    const expected = plainly([row]).select().from(tenantNames).leftJoin(tenants, isOfName);
    expect(rows).toEqual(await expected.all());
  });

  test('with a value that is not a column', async () => {
    const fields = { name: tenants.name, many: count() };

    const rows = await answering([['acme', 2]])
      .select(fields)
      .from(tenants)
      .all();

    expect(rows).toEqual([{ name: 'acme', many: 2 }]);
  });

  test('and undefined for a missing row', async () => {
    expect(await answering(undefined).select().from(tenants).get()).toBeUndefined();
  });
});
