import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Db, transact } from '../../../src/db/database.ts';
import { openDatabase } from '../../../src/db/sqlite.ts';
import { settings } from '../../../src/db/schema.ts';
import { countLostCommits } from '../../../src/db/wal-damage.ts';
import { temporaryDb, temporaryFolder } from './temporary.ts';

const commits = 20;

async function write(db: Db, key: string): Promise<void> {
  await transact(db, async (tx) =>
    tx
      .insert(settings)
      .values({ key, value: 'x'.repeat(3000) })
      .run(),
  );
}

/** What a kill leaves of a database with twenty commits in its log. */
async function killed(): Promise<{ readonly path: string; readonly log: string }> {
  const from = join(temporaryFolder(), 'forensics.db');
  const db = temporaryDb(from);
  db.$client.pragma('wal_checkpoint(TRUNCATE)');
  for (let i = 0; i < commits; i++) await write(db, `key ${i}`);
  const path = copyOf(from);
  return { path, log: `${path}-wal` };
}

function copyOf(from: string): string {
  const path = join(temporaryFolder(), 'forensics.db');
  for (const end of ['', '-wal']) copyFileSync(`${from}${end}`, `${path}${end}`);
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
  // Up to the last transaction, whose damage looks like that of a power cut.
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

test('a log that others write to while it is read is not called damaged', async () => {
  const path = join(temporaryFolder(), 'forensics.db');
  const db = temporaryDb(path);
  for (let i = 0; i < 300; i++) {
    await write(db, `key ${i}`);
    if (i % 100 === 50) db.$client.pragma('wal_checkpoint(RESTART)');
    if (i % 10 === 0) expect(countLostCommits(path)).toBe(0);
  }
  expect(existsSync(`${path}-wal`)).toBe(true);
});
