import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import Database from 'better-sqlite3';
import { findEntries } from '../../../../src/service/analyses/rows.ts';
import {
  type Db,
  foldText,
  textSearchCondition,
  transact,
} from '../../../../src/ports/db/database.ts';
import { migrateSqlite, schemaSteps } from '../../../../src/ports/db/migrations.ts';
import { analyses, users } from '../../../../src/ports/db/schema.ts';
import { openDatabase, requireSqlite } from '../../../../src/ports/db/sqlite.ts';
import { addTenants, analysisRow, rowMadeAt } from '../../ports/db/analysis-row.ts';
import { temporaryFolder, temporaryDb } from '../../ports/db/temporary.ts';
import { engines, testsOn } from '../../ports/db/engines.ts';

const at = rowMadeAt;
const row = (id: string, { name = id, comment = '', tenantId = 'a', actor = '' } = {}) =>
  analysisRow(id, {
    tenantId,
    name,
    nameFolded: foldText(name),
    comment,
    commentFolded: foldText(comment),
    ...(actor === '' ? {} : { lastChangedByType: 'user', lastChangedById: actor }),
  });

const person = (id: string, name: string) => ({
  id,
  email: `${id}@example.org`,
  name,
  nameFolded: foldText(name),
  userType: 'user',
  scopes: [],
  lang: 'en',
  tosAccepted: true,
  tokensValidFrom: at,
  createdAt: at,
});

const add = (db: Db, ...rows: ReturnType<typeof row>[]) =>
  transact(db, async (tx) => {
    for (const one of rows) await tx.insert(analyses).values(one).run();
  });

async function search(db: Db, searchTerm: string, tenantId = 'a') {
  const { entries, total } = await findEntries(db, tenantId, { searchTerm, start: 0, limit: 10 });
  expect(total).toBe(entries.length);
  return entries.map(({ analysis }) => analysis.id);
}

describe.each(engines)('a search in $name', (engine) => {
  const on = testsOn(engine);

  async function open(...rows: ReturnType<typeof row>[]) {
    const db = await (await engine.newDatabase())();
    await addTenants(db);
    await add(db, ...rows);
    return db;
  }

  on('matches every character literally, anywhere, in upper and lower case', async () => {
    const db = await open(
      row('1', { name: 'say "hi" AND NOT x*' }),
      row('2', { comment: 'Straßenfest in KÖLN, 100 %' }),
      row('3', { name: '写真の鑑定', comment: 'a_b' }),
    );

    expect(await search(db, '"hi" and not')).toEqual(['1']);
    expect(await search(db, 'x*')).toEqual(['1']);
    expect(await search(db, 'SSENF')).toEqual(['2']);
    expect(await search(db, 'köln, 100 %')).toEqual(['2']);
    expect(await search(db, 'の鑑定')).toEqual(['3']);
    expect(await search(db, 'a_b')).toEqual(['3']);
    expect(await search(db, 'KO\u0308LN')).toEqual(['2']);
    for (const term of ['a%b', "'", 'n\n', 'koln']) expect(await search(db, term)).toEqual([]);
    expect(await search(db, 'hi')).toEqual(['1']);
    expect(await search(db, '写真')).toEqual(['3']);
    expect(await search(db, 'name comment')).toEqual([]);
  });

  on('does not match across name and comment, or in other tenants', async () => {
    const db = await open(
      row('1', { name: 'left', comment: 'right' }),
      row('2', { name: 'left wing', tenantId: 'b' }),
    );

    expect(await search(db, 'left')).toEqual(['1']);
    expect(await search(db, 'leftright')).toEqual([]);
    expect(await search(db, 'left', 'b')).toEqual(['2']);
  });

  on('follows changes and deletions of an analysis', async () => {
    const db = await open(
      row('1', { name: 'before' }),
      row('2', { name: 'hidden' }),
      row('3', { name: 'gone' }),
    );
    const set = { name: 'after', nameFolded: 'after' };
    await db.update(analyses).set(set).where(eq(analyses.id, '1')).run();
    await db.update(analyses).set({ deletedAt: at }).where(eq(analyses.id, '2')).run();
    await db.delete(analyses).where(eq(analyses.id, '3')).run();
    await add(db, row('4', { name: 'later' }));

    const terms = ['before', 'after', 'hidden', 'gone', 'later'];
    const ids = await Promise.all(terms.map(async (term) => search(db, term)));

    expect(ids).toEqual([[], ['1'], [], [], ['4']]);
  });

  on('also finds analyses by who changed them last', async () => {
    const db = await open();
    await db
      .insert(users)
      .values([person('p', 'Anna'), person('q', 'Hannah')])
      .run();
    await add(db, row('1', { actor: 'p' }), row('2', { name: 'Annaberg' }), row('3', {}));
    await add(db, row('4', { actor: 'q' }));

    expect((await search(db, 'anna')).toSorted()).toEqual(['1', '2', '4']);
  });

  on('finds the case, exhibit, examiner and tags of rows from before it looked there', async () => {
    const caseData = { exhibit: 'No. 3, "rear"', examiner: 'Ärztin Öhm' };
    const described = { projectId: 'CLAIM-4711', caseData, tags: ['Hail', 'Straße'] };
    const filledBefore = { commentFolded: 'claim-4711\n["Hail"]\ndent' };
    const first = { ...row('1', { comment: 'Dent' }), ...described, ...filledBefore };
    const db = await open(first, row('2'));
    const step = schemaSteps(db.engine).find(({ sql: text }) => text.includes('foldDescription'));

    await transact(db, (tx) => tx.run(sql.raw(step!.sql)));

    for (const term of ['claim-4711', 'no. 3, "rear"', 'ärztin öhm', 'hail', 'STRASSE', 'dent']) {
      expect(await search(db, term)).toEqual(['1']);
    }
    expect(await search(db, '["hail"]')).toEqual([]);
  });
});

test('rows from before the text index are found, and frequent matches are counted', async () => {
  const path = join(temporaryFolder(), 'test.db');
  const client = new Database(path);
  const step = schemaSteps('sqlite').findIndex((one) => one.sql.includes('analysis_texts'));
  migrateSqlite(client, schemaSteps('sqlite').slice(0, step));
  client.close();
  const opened = openDatabase({ path });
  const db = requireSqlite(opened.db);
  await addTenants(db);
  await add(db, row('0', { name: 'common first' }));
  const query = "SELECT name FROM pragma_table_info('analyses')";
  const names = db.$client.prepare<[], string>(query).pluck().all();
  const values: Readonly<Record<string, string>> = { id: "printf('%d', n)", text_id: 'NULL' };
  const selected = names.map((name) => values[name] ?? `a.${name}`).join(', ');
  db.$client.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 21000)
    INSERT INTO analyses (${names.join(', ')}) SELECT ${selected} FROM numbers, (SELECT * FROM analyses LIMIT 1) AS a`);
  await add(db, row('rare', { name: 'uncommon' }));

  const { entries, total } = await findEntries(db, 'a', {
    searchTerm: 'common',
    start: 0,
    limit: 3,
  });

  expect([entries.length, total]).toEqual([3, 21_002]);
  expect(await search(db, 'uncommon')).toEqual(['rare']);
  expect(await textSearchCondition(db, 'common')).toBeNull();
  expect(await textSearchCondition(db, 'uncommon')).not.toBeNull();
  await opened.close();
});

const countAll = async (db: Db, tenantId: string) =>
  (await findEntries(db, tenantId, { searchTerm: '', start: 0, limit: 1 })).total;
const hide = (db: Db, id: string, deletedAt: Date | null) =>
  db.update(analyses).set({ deletedAt }).where(eq(analyses.id, id)).run();

describe.each(engines)('the number of analyses of a tenant, in $name', (engine) => {
  const on = testsOn(engine);

  on('follows every change', async () => {
    const db = await (await engine.newDatabase())();
    await addTenants(db);
    const counts = async () => [await countAll(db, 'a'), await countAll(db, 'b')];
    const seen = [await counts()];

    await add(db, row('1'), row('2'), row('3'));
    await add(db, row('4', { tenantId: 'b' }));
    seen.push(await counts());
    await hide(db, '1', at);
    await hide(db, '4', at);
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
  await add(db, row('1'));
  const client = new Database(path);
  client.exec('UPDATE analysis_counts SET counted = 41');
  client.close();

  await add(db, row('2'));

  expect(await countAll(db, 'a')).toBe(42);
});
