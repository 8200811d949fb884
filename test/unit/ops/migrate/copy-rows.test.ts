import { getTableName, sql } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { operator, serviceChain } from '../../../../src/service/audit/entry.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { copyRows } from '../../../../src/ops/migrate/copy-rows.ts';
import type { Reader } from '../../../../src/ports/db/database.ts';
import * as tables from '../../../../src/ports/db/schema.ts';
import { decodePicture } from '../../../../src/image/decode.ts';
import { findFingerprint, packFingerprint } from '../../../../src/image/keypoints.ts';
import { scenePng } from '../../../fixtures/pictures.ts';
import { examinationOf } from '../../service/analyses/scripted-sandbox.ts';
import { openWorkshop } from '../../service/analyses/workshop.ts';
import { postgres as engine, testsOn } from '../../ports/db/engines.ts';

/**
 * A tenant with a webhook and a key, and analyses in several states: one deleted, one with
 * everything stored about a picture.
 */
async function populated() {
  const workshop = await openWorkshop();
  const { complete, start, create, analyses, caller, sandbox } = workshop;
  const fingerprint = packFingerprint(
    await findFingerprint(
      await decodePicture(await scenePng({ width: 400, height: 300, seed: 1 })),
    ),
  );
  const thumbnail = Buffer.from('a small picture');
  sandbox.next((request) => ({ ...examinationOf(request), fingerprint, thumbnail }));
  await complete();
  await analyses.remove(caller, await complete());
  await start();
  await create();
  return workshop;
}

/** Every row of every table. */
async function contentOf(reader: Reader): Promise<Readonly<Record<string, readonly string[]>>> {
  const content: Record<string, readonly string[]> = {};
  for (const table of Object.values(tables)) {
    const rows = await reader.select().from(table).all();
    content[getTableName(table)] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return content;
}

describe('from SQLite to PostgreSQL', () => {
  const on = testsOn(engine);

  on('every row is copied, and the audit log continues', async () => {
    const { db, clock, caller } = await populated();
    const to = await (await engine.newDatabase())();

    await copyRows(db, to);

    expect(await contentOf(to)).toEqual(await contentOf(db));
    const audit = createAudit({ db: to, now: clock.now });
    for (const chain of [serviceChain, caller.tenant.id]) {
      expect((await audit.verify(chain)).broken).toBeNull();
    }
    const event = {
      event: 'master_key.rotated',
      details: { endsOld: false, resealed: 0 },
    } as const;
    await audit.note({ chain: serviceChain, actor: operator, subject: null, ...event });
    expect((await audit.verify(serviceChain)).broken).toBeNull();
  });

  on('a copy interrupted after any table can be resumed', async () => {
    const { db } = await populated();
    const to = await (await engine.newDatabase())();
    const steps: string[] = [];
    await copyRows(db, await (await engine.newDatabase())(), (table) => steps.push(table));

    for (const last of new Set(steps)) {
      const cut = copyRows(db, to, (table) => {
        if (table === last) throw new RangeError(last);
      });
      await expect(cut).rejects.toThrow(last);
    }
    await copyRows(db, to);

    expect(await contentOf(to)).toEqual(await contentOf(db));
    await expect(to.run(sql`UPDATE audit_heads SET count = count + 2`)).rejects.toThrow(
      'append-only',
    );
  });
});
