import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentSchema } from '../../../../src/ports/db/migrations.ts';
import { type Db, transact } from '../../../../src/ports/db/database.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { inspectDatabase, readDatabase } from '../../../../src/ports/db/snapshot.ts';
import { copyDatabase } from '../../../../src/ports/db/sqlite.ts';
import { temporaryDb, temporaryFolder } from './temporary.ts';

const rowOf = (key: string) => ({ key, value: 'x'.repeat(2000) });
const put = (db: Db, ...keys: readonly string[]) =>
  transact(db, async (tx) => {
    for (const key of keys) await tx.insert(settings).values(rowOf(key)).run();
  });

test('a copy is one file that only its owner can read, made while others have the database open', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'live.db');
  const [db, other] = [temporaryDb(path), temporaryDb(path)];
  await put(other, 'one', 'two');

  const to = join(folder, 'snapshot.db');
  copyDatabase(db.$client, to);
  await put(other, 'later');

  const copied = await readDatabase(to, (copy) => copy.select().from(settings).all());
  expect(copied.map(({ key }) => key)).toEqual(['one', 'two']);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith('snapshot'))).toEqual([
    'snapshot.db',
  ]);
});

test('inspecting a database returns its schema and row counts and changes no byte', async () => {
  const folder = temporaryFolder();
  const to = join(folder, 'snapshot.db');
  const db = temporaryDb();
  await put(db, 'one');
  copyDatabase(db.$client, to);
  const before = readFileSync(to);

  const { schema, rows, problems } = await inspectDatabase(to);

  expect(schema).toBe(currentSchema('sqlite'));
  expect(rows).toMatchObject({ settings: 1, tenants: 0, analyses: 0 });
  expect(problems).toEqual([]);
  expect(readFileSync(to)).toEqual(before);
});

test('dangling references and damaged pages are reported', async () => {
  const folder = temporaryFolder();
  const [orphan, torn] = [join(folder, 'orphan.db'), join(folder, 'torn.db')];
  const db = temporaryDb();
  for (let i = 0; i < 50; i++) await put(db, `row ${i}`);
  copyDatabase(db.$client, torn);
  db.$client.pragma('foreign_keys = OFF');
  db.$client.exec("INSERT INTO user_tenants VALUES ('nobody', 'nowhere')");
  copyDatabase(db.$client, orphan);
  const bytes = readFileSync(torn);
  bytes.fill(0xee, bytes.length - 8000, bytes.length - 1000);
  writeFileSync(torn, bytes);

  const [orphaned, damaged] = [await inspectDatabase(orphan), await inspectDatabase(torn)];

  expect(orphaned.problems).toContain(
    'A row of user_tenants refers to a row of tenants that is missing.',
  );
  expect(damaged.problems.join()).toContain('The database is damaged');
});
