import { join } from 'node:path';
import Database from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, transact, type Tx } from '../../../../src/ports/db/database.ts';
import { findEntries } from '../../../../src/service/analyses/rows.ts';
import { analyses, tenants } from '../../../../src/ports/db/schema.ts';
import { analysisRow, rowMadeAt } from '../../ports/db/analysis-row.ts';
import { engines } from '../../ports/db/engines.ts';
import { temporaryDb, temporaryFolder } from '../../ports/db/temporary.ts';

/** The last schema without a stored count. */
const beforeCounts = 15;

const countAll = async (db: Db, tenantId: string) =>
  (await findEntries(db, tenantId, { searchTerm: '', start: 0, limit: 1 })).total;
const add = (db: Db, ids: readonly string[], tenantId: string) =>
  transact(db, async (tx) => {
    for (const id of ids) await tx.insert(analyses).values(analysisRow(id, { tenantId })).run();
  });
const hide = (db: Db, id: string, deletedAt: Date | null) =>
  db.update(analyses).set({ deletedAt }).where(eq(analyses.id, id)).run();

async function addAndFail(tx: Tx): Promise<void> {
  await tx
    .insert(analyses)
    .values(analysisRow('2', { tenantId: 'a' }))
    .run();
  throw new RangeError('no');
}

describe.each(engines)('the number of analyses of a tenant, in $name', (engine) => {
  const on = engine.isMissing ? test.skip : test;
  beforeAll(() => (engine.isMissing ? undefined : engine.start()));
  afterAll(() => (engine.isMissing ? undefined : engine.stop()));

  /** Two processes on one database with two tenants, `a` and `b`. */
  async function twoProcesses(): Promise<[Db, Db]> {
    const open = await engine.newDatabase();
    const [here, there] = [await open(), await open()];
    for (const id of ['a', 'b']) {
      const tenant = { id, name: id, keyTag: id, isTrial: false, createdAt: rowMadeAt };
      await here.insert(tenants).values(tenant).run();
    }
    return [here, there];
  }

  on('follows changes by this process', async () => {
    const [db] = await twoProcesses();
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

  on('is unchanged when a transaction fails', async () => {
    const [db] = await twoProcesses();
    await add(db, ['1'], 'a');
    const before = await countAll(db, 'a');

    await expect(transact(db, addAndFail)).rejects.toThrow(RangeError);

    expect([before, await countAll(db, 'a')]).toEqual([1, 1]);
  });

  on('follows changes by another process', async () => {
    const [here, there] = await twoProcesses();
    await add(here, ['1'], 'a');
    const seen = [await countAll(here, 'a'), await countAll(there, 'a')];

    await add(there, ['2', '3'], 'a');
    seen.push(await countAll(here, 'a'), await countAll(there, 'a'));
    await add(here, ['4'], 'a');
    await hide(there, '1', rowMadeAt);
    seen.push(await countAll(there, 'a'), await countAll(here, 'a'));

    expect(seen).toEqual([1, 1, 3, 3, 3, 3]);
  });
});

test('SQLite returns the stored number and counts nothing', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const db = temporaryDb(path);
  const tenant = { id: 'a', name: 'a', keyTag: 'a', isTrial: false, createdAt: rowMadeAt };
  await db.insert(tenants).values(tenant).run();
  await add(db, ['1'], 'a');
  const client = new Database(path);
  client.exec('UPDATE analysis_counts SET counted = 41');
  client.close();

  await add(db, ['2'], 'a');

  expect(await countAll(db, 'a')).toBe(42);
});

test('analyses in a database file from before the stored count are counted at the upgrade', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const old = temporaryDb(path);
  const tenant = { id: 'a', name: 'a', keyTag: 'a', isTrial: false, createdAt: rowMadeAt };
  await old.insert(tenants).values(tenant).run();
  await add(old, ['1', '2', '3'], 'a');
  await hide(old, '3', rowMadeAt);
  const client = new Database(path);
  for (const name of ['analysis_counted', 'analysis_uncounted', 'analysis_recounted']) {
    client.exec(`DROP TRIGGER ${name}`);
  }
  for (const table of ['analysis_counts', 'fingerprints', 'fingerprint_keys', 'thumbnails']) {
    client.exec(`DROP TABLE ${table}`);
  }
  client.exec('DROP INDEX analyses_by_project');
  client.exec('ALTER TABLE tenants DROP COLUMN seen_before');
  for (const column of ['case_data', 'failure']) {
    client.exec(`ALTER TABLE analyses DROP COLUMN ${column}`);
  }
  client.pragma(`user_version = ${beforeCounts}`);
  client.close();

  const upgraded = temporaryDb(path);
  await add(upgraded, ['4'], 'a');

  expect(await countAll(upgraded, 'a')).toBe(3);
});
