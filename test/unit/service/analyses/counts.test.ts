import { join } from 'node:path';
import Database from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { type Db, transact } from '../../../../src/ports/db/database.ts';
import { findEntries } from '../../../../src/service/analyses/rows.ts';
import { analyses } from '../../../../src/ports/db/schema.ts';
import { addTenants, analysisRow, rowMadeAt } from '../../ports/db/analysis-row.ts';
import { engines, testsOn } from '../../ports/db/engines.ts';
import { temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';

const countAll = async (db: Db, tenantId: string) =>
  (await findEntries(db, tenantId, { searchTerm: '', start: 0, limit: 1 })).total;
const add = (db: Db, ids: readonly string[], tenantId: string) =>
  transact(db, async (tx) => {
    for (const id of ids) await tx.insert(analyses).values(analysisRow(id, { tenantId })).run();
  });
const hide = (db: Db, id: string, deletedAt: Date | null) =>
  db.update(analyses).set({ deletedAt }).where(eq(analyses.id, id)).run();

describe.each(engines)('the number of analyses of a tenant, in $name', (engine) => {
  const on = testsOn(engine);

  on('follows every change', async () => {
    const db = await (await engine.newDatabase())();
    await addTenants(db);
    const counts = async () => [await countAll(db, 'a'), await countAll(db, 'b')];
    const seen = [await counts()];

    await add(db, ['1', '2', '3'], 'a');
    await add(db, ['4'], 'b');
    seen.push(await counts());
    await hide(db, '1', rowMadeAt);
    await hide(db, '4', rowMadeAt);
    seen.push(await counts());
    await hide(db, '4', null);
    // Removing the row of a deleted analysis does not count it again.
    await db.delete(analyses).where(eq(analyses.id, '1')).run();
    await db.delete(analyses).where(eq(analyses.id, '2')).run();
    seen.push(await counts());

    expect(seen).toEqual([
      [0, 0],
      [3, 1],
      [2, 0],
      [1, 1],
    ]);
  });
});

test('SQLite returns the stored number and counts nothing', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const db = temporaryDb(path);
  await addTenants(db);
  await add(db, ['1'], 'a');
  const client = new Database(path);
  client.exec('UPDATE analysis_counts SET counted = 41');
  client.close();

  await add(db, ['2'], 'a');

  expect(await countAll(db, 'a')).toBe(42);
});
