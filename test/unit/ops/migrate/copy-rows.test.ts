import { asc, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator, serviceChain } from '../../../../src/service/audit/entry.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { copyRows } from '../../../../src/ops/migrate/copy-rows.ts';
import type { Reader } from '../../../../src/ports/db/database.ts';
import * as tables from '../../../../src/ports/db/schema.ts';
import { openWorkshop } from '../../service/analyses/workshop.ts';
import { postgres as engine } from '../../ports/db/engines.ts';

/** A tenant with a webhook and a key, analyses of several states, one of them deleted. */
async function lived() {
  const workshop = await openWorkshop();
  const { complete, start, create, analyses, caller } = workshop;
  await complete();
  await analyses.remove(caller, await complete());
  await start();
  await create();
  return workshop;
}

const contentOf = async (reader: Reader) => ({
  tenants: await reader.select().from(tables.tenants).all(),
  keys: await reader.select().from(tables.apiKeys).all(),
  analyses: await reader.select().from(tables.analyses).orderBy(asc(tables.analyses.id)).all(),
  examinations: await reader
    .select()
    .from(tables.examinations)
    .orderBy(asc(tables.examinations.analysisId))
    .all(),
  jobs: await reader.select().from(tables.jobs).orderBy(asc(tables.jobs.id)).all(),
  deliveries: await reader
    .select()
    .from(tables.deliveries)
    .orderBy(asc(tables.deliveries.seq))
    .all(),
  usage: await reader
    .select()
    .from(tables.usageCounters)
    .orderBy(asc(tables.usageCounters.counter), asc(tables.usageCounters.day))
    .all(),
  heads: await reader.select().from(tables.auditHeads).orderBy(asc(tables.auditHeads.chain)).all(),
});

describe('from SQLite to PostgreSQL', () => {
  const on = engine.isMissing ? test.skip : test;
  beforeAll(() => (engine.isMissing ? undefined : engine.start()));
  afterAll(() => (engine.isMissing ? undefined : engine.stop()));

  on('every row arrives, and the audit log goes on', async () => {
    const { db, clock, caller } = await lived();
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
    await audit.note({
      chain: serviceChain,
      actor: operator,
      subject: null,
      ...event,
    });
    expect((await audit.verify(serviceChain)).broken).toBeNull();
  });

  on('a copy that was interrupted after any table continues there', async () => {
    const { db } = await lived();
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
