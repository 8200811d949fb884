import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Db, transact } from '../../../../src/ports/db/database.ts';
import { openDatabase } from '../../../../src/ports/db/sqlite.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { countLostCommits } from '../../../../src/ports/db/wal-damage.ts';
import { temporaryDb, temporaryFolder } from './temporary.ts';

const commits = 20;
const writeUntilKilled = program('write-until-killed.ts');
const openDatabaseProgram = program('open-database.ts');

function program(name: string): string {
  return fileURLToPath(new URL(`../../../../bin/torture/${name}`, import.meta.url));
}

async function write(db: Db, key: string): Promise<void> {
  await transact(db, async (tx) =>
    tx
      .insert(settings)
      .values({ key, value: 'x'.repeat(3000) })
      .run(),
  );
}

const ofPowerFailure = ['', '-wal'];
const ofKill = [...ofPowerFailure, '-shm'];

/** What is left of a database with twenty commits in its log: by a kill also the index of the log. */
async function killed(
  left = ofPowerFailure,
): Promise<{ readonly path: string; readonly log: string }> {
  const from = join(temporaryFolder(), 'forensics.db');
  const db = temporaryDb(from);
  db.$client.pragma('wal_checkpoint(TRUNCATE)');
  for (let i = 0; i < commits; i++) await write(db, `key ${i}`);
  const path = copyOf(from, left);
  return { path, log: `${path}-wal` };
}

function copyOf(from: string, left = ofPowerFailure): string {
  const path = join(temporaryFolder(), 'forensics.db');
  for (const end of left) copyFileSync(`${from}${end}`, `${path}${end}`);
  return path;
}

function damage(file: string, at: number): void {
  const bytes = readFileSync(file);
  for (let i = at; i < at + 64; i++) bytes[i]! ^= 0x5a;
  writeFileSync(file, bytes);
}

async function keysIn(path: string): Promise<number> {
  const opened = openDatabase({ path });
  onTestFinished(() => opened.close());
  return (await opened.db.select().from(settings).all()).length;
}

test('a log that a kill left whole loses nothing', async () => {
  const { path } = await killed();

  expect(countLostCommits(path)).toBe(0);
  expect(await keysIn(path)).toBe(commits);
});

test('64 damaged bytes before the last transaction are noticed, with all that they cost', async () => {
  const { path, log } = await killed();
  const size = readFileSync(log).length;
  // Up to the last transaction, whose damage looks like that of a power failure.
  const places = Array.from({ length: 12 }, (_, i) => Math.floor(((size - 3 * 4120) * i) / 12));
  const wrong: unknown[] = [];
  for (const at of [...places, 16, 40]) {
    const copy = copyOf(path);
    damage(`${copy}-wal`, at);
    const told = countLostCommits(copy);
    const lost = commits - (await keysIn(copy));
    // The transaction of the damaged frame itself cannot always be told from one that was under way.
    if (told === 0 || told > lost || told < lost - 2) wrong.push({ at, told, lost });
  }

  expect(wrong).toEqual([]);
});

test('after a kill 64 damaged bytes anywhere in the log are noticed, the last transaction included', async () => {
  const { path, log } = await killed(ofKill);
  const size = readFileSync(log).length;
  const wrong: unknown[] = [];
  for (const at of [0, 16, 40, ...Array.from({ length: 12 }, (_, i) => size - 64 - 700 * i)]) {
    const copy = copyOf(path, ofKill);
    damage(`${copy}-wal`, at);
    const told = countLostCommits(copy);
    const lost = commits - (await keysIn(copy));
    if (told === 0 || told > lost) wrong.push({ at, told, lost });
  }

  expect(countLostCommits(path)).toBe(0);
  expect(wrong).toEqual([]);
});

test('after a kill a log that was cut short is noticed', async () => {
  const { path, log } = await killed(ofKill);
  truncateSync(log, readFileSync(log).length - 5000);

  expect(countLostCommits(path)).toBe(1);
});

test.each([
  ['of an earlier moment', (index: Buffer) => index],
  ['that is not whole', (index: Buffer) => index.fill(0x5a, 20, 30).fill(0x5a, 68, 78)],
  ['of another log', (index: Buffer) => index.fill(0)],
])('an index %s claims no loss', async (_what, change) => {
  const from = join(temporaryFolder(), 'forensics.db');
  const db = temporaryDb(from);
  await write(db, 'early');
  const index = change(readFileSync(`${from}-shm`));
  for (let i = 0; i < commits; i++) await write(db, `key ${i}`);
  const path = copyOf(from);
  writeFileSync(`${path}-shm`, index);
  truncateSync(`${path}-wal`, readFileSync(`${path}-wal`).length - 5000);

  expect(countLostCommits(path)).toBe(0);
});

describe('opening a damaged log', () => {
  test('says what is lost once, keeps the log, and works on', async () => {
    const { path, log } = await killed();
    damage(log, 32 + 4120 * 10);
    const before = readFileSync(log);
    const opened = openDatabase({ path });
    const { loss, db } = opened;
    await write(db, 'later');
    const copied = readFileSync(`${path}-wal-damaged`);
    const killedAgain = copyOf(path);
    await opened.close();

    expect(loss).toEqual({ commits: expect.any(Number), copy: `${path}-wal-damaged` });
    expect(loss!.commits).toBeGreaterThan(0);
    expect(copied.equals(before)).toBe(true);
    expect(countLostCommits(killedAgain)).toBe(0);
    const again = openDatabase({ path });
    await again.close();
    expect(again.loss).toBeNull();
  });

  test('a transaction that was under way when the power failed is no loss', async () => {
    const { path, log } = await killed();
    truncateSync(log, readFileSync(log).length - 5000);

    expect(countLostCommits(path)).toBe(0);
  });
});

test('a log that another process writes to while it is read is not called damaged', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const writer = spawn(process.execPath, [writeUntilKilled, path]);
  const isEnded = once(writer, 'exit');
  await once(writer.stdout, 'data');
  const told: number[] = [];
  for (let look = 0; look < 100; look++) {
    told.push(countLostCommits(path));
    await setImmediate();
  }
  writer.kill('SIGKILL');
  await isEnded;

  expect(told.filter((lost) => lost > 0)).toEqual([]);
});

test('a second opening keeps the locks of the first: nobody else is alone with the database', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const first = temporaryDb(path);
  await write(first, 'early');
  await openDatabase({ path }).close();

  const { stderr } = spawnSync(process.execPath, [openDatabaseProgram, path, 'alone'], {
    encoding: 'utf8',
  });

  expect(stderr).toContain('uses this data folder');
  await write(first, 'later');
});
