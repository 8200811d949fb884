import { readFileSync, statSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  characterCount,
  foldText,
  newId,
  transact,
  type Db,
} from '../../../../src/ports/db/database.ts';
import { migrateSqlite, currentSchema, schemaSteps } from '../../../../src/ports/db/migrations.ts';
import { toSqliteError } from '../../../../src/ports/db/errors.ts';
import { openDatabase, copyDatabase } from '../../../../src/ports/db/sqlite.ts';
import * as schema from '../../../../src/ports/db/schema.ts';
import { temporaryDb, temporaryFolder } from './temporary.ts';
import { refusal } from '../../../fixtures/refusal.ts';
import { inspectDatabase, readDatabase } from '../../../../src/ports/db/snapshot.ts';

describe('openDatabase', () => {
  test('opens in WAL mode with full syncs and foreign keys', () => {
    const { $client } = temporaryDb();

    expect($client.pragma('journal_mode', { simple: true })).toBe('wal');
    expect($client.pragma('synchronous', { simple: true })).toBe(2);
    expect($client.pragma('foreign_keys', { simple: true })).toBe(1);
  });

  test('creates a file and folder that only their owner can read', () => {
    const path = join(temporaryFolder(), 'data', 'forensics.db');

    temporaryDb(path);

    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  test('refuses a file from a newer version and leaves it unchanged', () => {
    const path = join(temporaryFolder(), 'forensics.db');
    const db = temporaryDb(path);
    db.$client.pragma('user_version = 99');

    expect(() => openDatabase({ path })).toThrow(refusal('schema_newer', '99'));
    expect(db.$client.pragma('user_version', { simple: true })).toBe(99);
  });

  test('reports a file that is not a database as damaged and leaves it unchanged', () => {
    const path = join(temporaryFolder(), 'forensics.db');
    writeFileSync(path, 'this is a diary, not a database '.repeat(40));

    expect(() => openDatabase({ path })).toThrow(refusal('database_damaged'));
    expect(readFileSync(path, 'utf8')).toContain('diary');
  });
});

test('a database that can only be read fails its check', async () => {
  const opened = openDatabase({ path: join(temporaryFolder(), 'forensics.db') });
  onTestFinished(() => opened.close());
  await opened.check();
  opened.db.$client.pragma('query_only = ON');

  await expect(opened.check()).rejects.toMatchObject({ code: 'file_not_readable' });
});

describe('migrateSqlite', () => {
  const present = currentSchema('sqlite');
  const later = (sql: string) => [...schemaSteps('sqlite'), { version: present + 1, sql }];

  test('applies only the missing steps', () => {
    const { $client } = temporaryDb();

    migrateSqlite($client, later('CREATE TABLE later (x INT) STRICT'));
    migrateSqlite($client, later('CREATE TABLE later (x INT) STRICT'));

    expect($client.pragma('user_version', { simple: true })).toBe(present + 1);
  });

  test('a step that fails half-way leaves file and version unchanged', () => {
    const { $client } = temporaryDb();
    const broken = 'CREATE TABLE half (x INT) STRICT; CREATE TABLE a (x) STRICT';

    expect(() => migrateSqlite($client, later(broken))).toThrow(/STRICT|datatype/i);

    const tables = $client.prepare("SELECT name FROM sqlite_master WHERE name = 'half'").all();
    expect(tables).toEqual([]);
    expect($client.pragma('user_version', { simple: true })).toBe(present);
  });

  test('creates exactly the columns of the program’s schema', () => {
    const { $client } = temporaryDb();
    const tables = Object.values(schema).filter((table) => is(table, SQLiteTable));

    const inCode = tables.map((table) => [
      getTableName(table),
      Object.values(getTableColumns(table))
        .map((column) => `${column.name} ${column.getSQLType()} ${column.notNull}`)
        .toSorted(),
    ]);
    const columnsOf = $client.prepare<[string], { column: string }>(`
      SELECT name || ' ' || lower(type) || ' ' || iif("notnull" OR pk, 'true', 'false') AS column
      FROM pragma_table_info(?) WHERE name <> 'text_id'`);
    const inFile = tables.map((table) => {
      const columns = columnsOf.all(getTableName(table)).map(({ column }) => column);
      return [getTableName(table), columns.toSorted()];
    });

    expect(inFile).toEqual(inCode);
  });
});

describe('transact', () => {
  test('answers store_unavailable when another process holds the lock too long', async () => {
    const path = join(temporaryFolder(), 'forensics.db');
    const holder = temporaryDb(path);
    const db = temporaryDb(path);
    holder.$client.exec('BEGIN IMMEDIATE');
    onTestFinished(() => void holder.$client.exec('ROLLBACK'));

    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());

    const answer = transact(db, async () => 'done').catch((error: unknown) => error);
    vi.advanceTimersByTime(4900);
    const soon = await Promise.race([answer, setTimeout(100, 'waiting')]);
    vi.advanceTimersByTime(200);

    expect(soon).toBe('waiting');
    expect(await answer).toMatchObject({ code: 'store_unavailable' });
  });

  test('answers no_space_left when the file cannot grow, also outside a transaction', async () => {
    const db = temporaryDb();
    const pages = Number(db.$client.pragma('page_count', { simple: true }));
    db.$client.pragma(`max_page_count = ${pages}`);
    const row = { key: 'big', value: 'x'.repeat(100_000) };
    const full = { code: 'no_space_left' };

    await expect(db.insert(schema.settings).values(row).run()).rejects.toMatchObject(full);
    const act = transact(db, (tx) => tx.insert(schema.settings).values(row).run());
    await expect(act).rejects.toMatchObject(full);
  });
});

const failedQuery = (code: string): Error =>
  new Error('query', { cause: Object.assign(new Error('disk'), { code }) });

test.each([
  ['SQLITE_IOERR_SHMSIZE', 'no_space_left'],
  ['SQLITE_IOERR_READ', 'store_unavailable'],
  ['SQLITE_READONLY_DIRECTORY', 'file_not_readable'],
  ['SQLITE_CANTOPEN', 'file_not_readable'],
])('the error %s of SQLite is %s', (code, named) => {
  expect(toSqliteError(failedQuery(code))).toMatchObject({ code: named });
});

test('an error from elsewhere is returned unchanged', () => {
  const error = Object.assign(new Error('another file'), { code: 'EACCES' });

  expect(toSqliteError(error)).toBe(error);
});

test('an id has 24 hex characters and begins with the time in seconds', () => {
  const id = newId(new Date(0x65_00_00_00 * 1000));

  expect(id).toMatch(/^65000000[0-9a-f]{16}$/);
  expect(newId(new Date(0))).not.toBe(newId(new Date(0)));
});

test.each([
  ['ÄRGER', 'ärger', true],
  ['STRASSE', 'Straße', true],
  ['A\u0308rger', 'ärger', true],
  ['ΟΔΟΣ', 'οδοσ', true],
  ['ДОМ', 'дом', true],
  ['bar', 'bär', false],
])('folded, %s and %s are equal: %s', (one, other, isEqual) => {
  expect(foldText(one) === foldText(other)).toBe(isEqual);
});

test('characterCount counts a character beyond the basic plane as one', () => {
  expect(characterCount('a😀b')).toBe(3);
});

const put = (db: Db, ...keys: readonly string[]) =>
  transact(db, async (tx) => {
    const value = 'x'.repeat(2000);
    for (const key of keys) await tx.insert(schema.settings).values({ key, value }).run();
  });

test('a copy is one file that only its owner can read, made while others have the database open', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'live.db');
  const [db, other] = [temporaryDb(path), temporaryDb(path)];
  await put(other, 'one', 'two');

  const to = join(folder, 'snapshot.db');
  copyDatabase(db.$client, to);
  await put(other, 'later');

  const copied = await readDatabase(to, (copy) => copy.select().from(schema.settings).all());
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

  const { schema: found, rows, problems } = await inspectDatabase(to);

  expect(found).toBe(currentSchema('sqlite'));
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
