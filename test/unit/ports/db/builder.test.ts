/** Undocumented behaviour of drizzle that `builder.ts` relies on. Check it when drizzle is updated. */

import { count, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { describe, expect, test } from 'vitest';
import { type Builder, createBuilder, type Execute } from '../../../../src/ports/db/builder.ts';
import { tenantNames, tenants } from '../../../../src/ports/db/schema.ts';

const builderReturning = (rows: unknown): Builder => createBuilder(async () => ({ rows }));
/** drizzle's own builder, with its own row mapping. */
const plainDrizzle = (rows: unknown[]) => drizzle(async () => ({ rows }));

const tenant = ['t1', 'acme', 'acme', 1, null, null, null, null, null, '{"a":1}', 1, 5, null, null];

test('errors are the engine’s own, without the values of the statement', async () => {
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
  const statements: Parameters<Execute>[] = [];
  const db = createBuilder(async (...statement) => {
    statements.push(statement);
    return { changes: 3 };
  });

  expect(await db.delete(tenants).where(eq(tenants.isTrial, true)).run()).toEqual({ changes: 3 });
  expect(statements).toEqual([
    ['delete from "tenants" where "tenants"."is_trial" = ?', [1], 'run'],
  ]);
});

describe('rows match drizzle’s own mapping', () => {
  test('of one table', async () => {
    const db = builderReturning([tenant]);

    const rows = await db.select().from(tenants).all();

    expect(rows).toEqual(await plainDrizzle([tenant]).select().from(tenants).all());
    expect(await builderReturning(tenant).select().from(tenants).get()).toEqual(rows[0]);
    expect(rows[0]).toMatchObject({ isTrial: true, createdAt: new Date(5), webhookUrl: null });
  });

  test.each([
    ['with a row in each', ['acme', 't1', ...tenant]],
    ['without a row in the second', ['acme', 't1', ...tenant.map(() => null)]],
  ])('of two tables, %s', async (_, row) => {
    const isOfName = eq(tenants.id, tenantNames.tenantId);

    const rows = await builderReturning([row])
      .select()
      .from(tenantNames)
      .leftJoin(tenants, isOfName)
      .all();

    const expected = plainDrizzle([row]).select().from(tenantNames).leftJoin(tenants, isOfName);
    expect(rows).toEqual(await expected.all());
  });

  test('with a value that is not a column', async () => {
    const fields = { name: tenants.name, many: count() };

    const rows = await builderReturning([['acme', 2]])
      .select(fields)
      .from(tenants)
      .all();

    expect(rows).toEqual([{ name: 'acme', many: 2 }]);
  });

  test('and undefined for a missing row', async () => {
    expect(await builderReturning(undefined).select().from(tenants).get()).toBeUndefined();
  });
});
