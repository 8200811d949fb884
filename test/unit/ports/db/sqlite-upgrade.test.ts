import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { currentSchema } from '../../../../src/ports/db/migrations.ts';
import { openDatabase } from '../../../../src/ports/db/sqlite.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { makeOlderDatabase } from './older-database.ts';
import { temporaryFolder } from './temporary.ts';

const latest = currentSchema('sqlite');
const older = latest - 2;

function withOlderDatabase(schema = older) {
  const folder = temporaryFolder();
  const path = join(folder, 'forensics.db');
  makeOlderDatabase(path, schema);
  return { folder, path };
}

async function openAt(path: string, at: string, more: object = {}) {
  const opened = openDatabase({ path, now: () => new Date(at), ...more });
  const rows = await opened.db.select().from(settings).all();
  await opened.close();
  return { upgrade: opened.upgrade, rows };
}

function inspect(path: string) {
  const client = new Database(path, { readonly: true });
  const [schema, mark] = [
    client.pragma('user_version', { simple: true }),
    client.prepare("SELECT value FROM settings WHERE key = 'mark'").pluck().get(),
  ];
  client.close();
  return { schema, mark };
}

test('an older database is copied before its schema is upgraded', async () => {
  const { folder, path } = withOlderDatabase();

  const { upgrade, rows } = await openAt(path, '2026-11-21T21:30:05.123Z');

  const copy = join(folder, 'backups', `forensics-${older}-20261121T213005Z.db`);
  expect(upgrade).toEqual({ from: older, to: latest, copy });
  expect(rows).toContainEqual({ key: 'mark', value: `schema ${older}` });
  expect(inspect(copy)).toEqual({ schema: older, mark: `schema ${older}` });
  expect(inspect(path)).toEqual({ schema: latest, mark: `schema ${older}` });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'backups')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
});

test('a new database and one with the current schema are not copied', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'forensics.db');

  const first = await openAt(path, '2026-11-21T21:30:05Z');
  const second = await openAt(path, '2026-11-21T21:30:06Z');

  expect([first.upgrade, second.upgrade]).toEqual([null, null]);
  expect(readdirSync(folder)).not.toContain('backups');
});

test('the newest three copies are kept, whatever schema they have', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'forensics.db');
  const days = ['01', '02', '03', '04'];
  for (const [index, day] of days.entries()) {
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    makeOlderDatabase(path, latest - 1 - (index % 2));
    await openAt(path, `2026-12-${day}T00:00:00Z`);
  }

  const kept = readdirSync(join(folder, 'backups')).map((name) => name.slice(-19, -11));

  expect(kept.toSorted()).toEqual(['20261202', '20261203', '20261204']);
});

test('the database keeps its schema when the copy fails', async () => {
  const { folder, path } = withOlderDatabase();
  // A file in place of the backup folder makes the copy fail, as a full disk would.
  writeFileSync(join(folder, 'backups'), '');

  await expect(() => openAt(path, '2026-11-21T21:30:05Z')).rejects.toThrow();

  expect(inspect(path)).toMatchObject({ schema: older });
});

test('an exclusive opening makes the copy as well', async () => {
  const { path } = withOlderDatabase();

  const { upgrade } = await openAt(path, '2026-11-21T21:30:05Z', { isExclusive: true });

  expect(inspect(upgrade!.copy!)).toEqual({ schema: older, mark: `schema ${older}` });
});

test('a scratch copy is upgraded without another copy', async () => {
  const { folder, path } = withOlderDatabase(1 + older);

  const { upgrade } = await openAt(path, '2026-11-21T21:30:05Z', { isScratch: true });

  expect(upgrade).toEqual({ from: 1 + older, to: latest, copy: null });
  expect(readdirSync(folder)).not.toContain('backups');
});

test('an unfinished copy left by a killed upgrade is removed after an hour, not earlier', async () => {
  const { folder, path } = withOlderDatabase();
  const backups = join(folder, 'backups');
  mkdirSync(backups);
  const at = new Date('2026-11-21T21:30:05Z');
  for (const [name, minutes] of [
    ['forensics-1-20261121T190000Z.db.41.new', 61],
    ['forensics-1-20261121T190000Z.db.41.new-journal', 61],
    ['forensics-1-20261121T213000Z.db.42.new', 1],
  ] as const) {
    writeFileSync(join(backups, name), 'half');
    const written = new Date(at.getTime() - minutes * 60_000);
    utimesSync(join(backups, name), written, written);
  }

  await openAt(path, at.toISOString());

  expect(readdirSync(backups).toSorted()).toEqual([
    'forensics-1-20261121T213000Z.db.42.new',
    `forensics-${older}-20261121T213005Z.db`,
  ]);
});
