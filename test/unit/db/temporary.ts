import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase, type SqliteDb } from '../../../src/db/sqlite.ts';

/** A folder that is removed when the present test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forensics-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A real database file that lives as long as the present test. */
export function temporaryDb(path = join(temporaryFolder(), 'test.db')): SqliteDb {
  const database = openDatabase({ path });
  onTestFinished(() => database.close());
  return database.db;
}

/** A clock that stands still until it is moved. */
export function steppedClock(start = '2026-03-01T12:00:00.000Z') {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    step: (ms: number) => {
      at += ms;
    },
  };
}
