/** A log with some entries in a real database, and a way to tamper with it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../../fixtures/folder.ts';
import { operator, service } from '../../../../src/service/audit/entry.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { openDatabase, type SqliteDb } from '../../../../src/ports/db/sqlite.ts';
import { steppedClock, temporaryDb } from '../../ports/db/temporary.ts';

export const chain = 'a'.repeat(24);
export const analysisId = 'b'.repeat(24);

export function openLog(db: SqliteDb = temporaryDb()) {
  const clock = steppedClock();
  const audit = createAudit({ db, now: clock.now });
  return { db, clock, audit };
}

/** Five entries; the fourth belongs to another chain. */
export async function fillLog({ audit, clock }: ReturnType<typeof openLog>): Promise<void> {
  const add = async (note: Parameters<typeof audit.note>[0]) => {
    await audit.note(note);
    clock.step(1000);
  };
  const about = { chain, subject: analysisId };
  const made = { event: 'tenant.created', details: { isTrial: false } } as const;
  await add({ chain, subject: chain, actor: operator, ...made });
  const received = { sha256: 'c'.repeat(64), md5: 'd'.repeat(32), sizeBytes: 7 };
  const actor = { type: 'api', id: 'key-1' } as const;
  await add({ ...about, actor, event: 'analysis.received', details: received });
  const failed = { event: 'analysis.failed', details: { code: 'image_unreadable' } } as const;
  await add({ ...about, actor: service, ...failed });
  const trial = { event: 'tenant.created', details: { isTrial: true } } as const;
  await add({ chain: 'other', subject: 'other', actor: service, ...trial });
  await add({ ...about, actor, event: 'analysis.deleted', details: { because: 'asked' } });
}

/** The database file, to be made only once: the schema steps take longer than the tests. */
export async function filledFile(): Promise<Buffer> {
  const path = join(newFolder(), 'log.db');
  const database = openDatabase({ path });
  await fillLog(openLog(database.db));
  await database.close();
  return readFileSync(path);
}

/** Changes the log as somebody with write access to the file could. */
export function tamper({ $client }: SqliteDb, sql: string, ...values: unknown[]): void {
  $client.exec(`
    DROP TRIGGER IF EXISTS audit_entries_unchanged;
    DROP TRIGGER IF EXISTS audit_entries_kept;
    DROP TRIGGER IF EXISTS audit_entries_unreplaced;
    DROP TRIGGER IF EXISTS audit_heads_step;
    DROP TRIGGER IF EXISTS audit_heads_kept;
    DROP INDEX IF EXISTS audit_by_subject;`);
  $client.prepare(sql).run(...values);
}
