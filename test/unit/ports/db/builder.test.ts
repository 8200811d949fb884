/** Undocumented behaviour of drizzle that `builder.ts` relies on, besides the rows in database.test.ts. Check it when drizzle is updated. */

import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createBuilder, type Execute } from '../../../../src/ports/db/builder.ts';
import { tenantNames, tenants } from '../../../../src/ports/db/schema.ts';

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
