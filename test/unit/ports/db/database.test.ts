/** The contract of the database, on each engine. */

import { setTimeout } from 'node:timers/promises';
import { asc, count, eq, getTableColumns, getTableName, is, sql } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, onTestFinished } from 'vitest';
import { append } from '../../../../src/service/audit/log.ts';
import { service, serviceChain } from '../../../../src/service/audit/entry.ts';
import {
  contains,
  type Db,
  hasElement,
  newId,
  probeWriting,
  transact,
} from '../../../../src/ports/db/database.ts';
import * as schema from '../../../../src/ports/db/schema.ts';
import { settings, tenants } from '../../../../src/ports/db/schema.ts';
import { engines, testsOn } from './engines.ts';

const at = new Date('2026-03-01T12:00:00.123Z');
const tenant = (name: string) => {
  return { id: newId(at), name, keyTag: name, isTrial: false, createdAt: at };
};

const add = (db: Db) =>
  transact(db, async (tx) => {
    const row = await tx.select().from(settings).where(eq(settings.key, 'n')).get();
    const value = String(Number(row?.value) + 1);
    await tx.update(settings).set({ value }).where(eq(settings.key, 'n')).run();
  });

const take = (db: Db) =>
  transact(db, async (tx) => {
    const taken = await tx.select().from(tenants).where(eq(tenants.name, 'acme')).get();
    if (taken !== undefined) return 'taken';
    await tx.insert(tenants).values(tenant('acme')).run();
    return 'mine';
  });

describe.each(engines)('$name', (engine) => {
  const on = testsOn(engine);
  const newDb = async (): Promise<Db> => (await engine.newDatabase())();

  on('can be tested by writing, without a trace', async () => {
    const db = await newDb();
    const before = await db.select().from(settings).all();

    await probeWriting(db);

    expect(await db.select().from(settings).all()).toEqual(before);
  });

  on('has, once migrated, exactly the columns of the program’s schema in each table', async () => {
    const db = await newDb();
    const tables = Object.values(schema).filter((one) => is(one, SQLiteTable));
    const ofTable = (name: string) =>
      db.engine === 'sqlite'
        ? sql`SELECT name FROM pragma_table_info(${name}) WHERE name <> 'text_id'`
        : sql`SELECT column_name FROM information_schema.columns
            WHERE table_name = ${name} AND column_name <> 'rowid'`;
    for (const table of tables) {
      const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
      const found = await db.values<[string]>(ofTable(getTableName(table)));
      expect(new Set(found.map(([name]) => name))).toEqual(new Set(columns));
    }
    expect(tables.length).toBeGreaterThan(10);
  });

  on('stores and returns dates, flags, lists and bytes', async () => {
    const db = await newDb();
    const row = { ...tenant('acme'), isTrial: true, webhookUrl: 'https://ex.example/?a=1' };
    const config = {
      id: newId(at),
      tenantId: row.id,
      type: 's3',
      place: 'somewhere',
      sealed: Buffer.from([0, 1, 255]),
      corsApplied: ['https://a.example', 'https://ö.example'],
      corsWarning: null,
      createdAt: at,
      updatedAt: at,
    } as const;
    await transact(db, async (tx) => {
      await tx.insert(tenants).values(row).run();
      await tx.insert(schema.storageConfigs).values(config).run();
    });

    expect(await db.select().from(tenants).get()).toMatchObject(row);
    expect(await db.select().from(schema.storageConfigs).all()).toEqual([config]);
    expect(await db.select({ n: count() }).from(tenants).get()).toEqual({ n: 1 });
    expect(await db.select().from(tenants).where(eq(tenants.name, 'none')).get()).toBeUndefined();
  });

  on('a joined row has an object per table, and null for a table without a match', async () => {
    const db = await newDb();
    const [acme, other] = [tenant('acme'), tenant('other')];
    const named = { name: 'acme', tenantId: acme.id };
    await transact(db, async (tx) => {
      await tx.insert(tenants).values([acme, other]).run();
      await tx.insert(schema.tenantNames).values(named).run();
    });
    const { id, createdAt, webhookUrl } = getTableColumns(tenants);

    const rows = await db
      .select({ tenant: { webhookUrl, id, createdAt }, named: schema.tenantNames, id })
      .from(tenants)
      .leftJoin(schema.tenantNames, eq(schema.tenantNames.tenantId, id))
      .orderBy(asc(tenants.name))
      .all();

    // webhookUrl, the first column, is null although the row is there.
    const shown = (one: typeof acme) => ({ webhookUrl: null, id: one.id, createdAt: at });
    expect(rows).toEqual([
      { tenant: shown(acme), named, id: acme.id },
      { tenant: shown(other), named: null, id: other.id },
    ]);
  });

  on('orders text by its bytes, whatever the machine’s locale', async () => {
    const db = await newDb();
    const keys = ['a', 'B', 'Z', 'z', 'ä', '_', '1'];
    await transact(db, async (tx) => {
      for (const key of keys) await tx.insert(settings).values({ key, value: '' }).run();
    });

    const rows = await db.select().from(settings).orderBy(asc(settings.key)).all();

    expect(rows.map(({ key }) => key)).toEqual(['1', 'B', 'Z', '_', 'a', 'z', 'ä']);
  });

  on('returns how many rows a statement changed', async () => {
    const db = await newDb();
    await transact(db, (tx) => tx.insert(settings).values({ key: 'a', value: '1' }).run());

    const change = (key: string) =>
      transact(db, (tx) =>
        tx.update(settings).set({ value: '2' }).where(eq(settings.key, key)).run(),
      );

    expect((await change('a')).changes).toBe(1);
    expect((await change('b')).changes).toBe(0);
  });

  on('rolls back when the callback rejects', async () => {
    const db = await newDb();

    const act = transact(db, async (tx) => {
      await tx.insert(settings).values({ key: 'a', value: '' }).run();
      throw new RangeError('no');
    });

    await expect(act).rejects.toThrow(RangeError);
    expect(await db.select().from(settings).all()).toEqual([]);
  });

  on('hides a transaction from others until it is committed', async () => {
    const db = await newDb();
    const began = Promise.withResolvers<void>();

    const act = transact(db, async (tx) => {
      await tx.insert(settings).values({ key: 'a', value: '' }).run();
      began.resolve();
      for (let i = 0; i < 5; i++) await tx.select().from(settings).all();
      throw new RangeError('no');
    });
    const ended = expect(act).rejects.toThrow(RangeError);
    await began.promise;

    expect(await db.select().from(settings).all()).toEqual([]);
    await ended;
  });

  on('refuses a statement outside the open transaction', async () => {
    const db = await newDb();

    const outside = transact(db, async () => db.select().from(settings).all());
    const nested = transact(db, async () => transact(db, async () => 'done'));

    const refused = [outside, nested].map(async (one) =>
      expect(one).rejects.toThrow('a transaction is open'),
    );
    await Promise.all(refused);
    expect(await db.select().from(settings).all()).toEqual([]);
  });

  on('processes that read and then write do not lose updates', async () => {
    const open = await engine.newDatabase();
    const processes = [await open(), await open(), await open()];
    await transact(processes[0]!, (tx) =>
      tx.insert(settings).values({ key: 'n', value: '0' }).run(),
    );

    await Promise.all(Array.from({ length: 60 }, (_, i) => add(processes[i % 3]!)));

    expect(await processes[1]!.select().from(settings).get()).toEqual({ key: 'n', value: '60' });
  });

  on('when several processes check for a name and then insert it, only one succeeds', async () => {
    const open = await engine.newDatabase();
    const processes = [await open(), await open()];

    const got = await Promise.all([take(processes[0]!), take(processes[1]!), take(processes[0]!)]);

    expect(got.toSorted()).toEqual(['mine', 'taken', 'taken']);
  });

  on('a snapshot does not change while others write', async () => {
    const open = await engine.newDatabase();
    const [db, other] = [await open(), await open()];

    const seen = await db.snapshot(async (reader) => {
      const before = await reader.select().from(settings).all();
      await transact(other, (tx) => tx.insert(settings).values({ key: 'a', value: '' }).run());
      return [before, await reader.select().from(settings).all()];
    });

    expect(seen).toEqual([[], []]);
    expect(await db.select().from(settings).all()).toHaveLength(1);
  });

  on('notifies once, after the commit, and not at all when the callback fails', async () => {
    const db = await newDb();
    let received = 0;
    onTestFinished(db.onNotification('jobs', () => void received++));

    await transact(db, async (tx) => {
      tx.notify('jobs');
      await tx.insert(settings).values({ key: 'a', value: '' }).run();
      tx.notify('jobs');
      expect(received).toBe(0);
    });
    await expect.poll(() => received).toBe(1);
    const failing = transact(db, async (tx) => {
      tx.notify('jobs');
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    await setTimeout(50);

    expect(received).toBe(1);
  });

  on('finds parts of text and list elements literally, without wildcards', async () => {
    const db = await newDb();
    const list = JSON.stringify(['x', '50%', 'a\u0000"\u{10ffff}']);
    const values = ['50% off', '50 x off', 'a_b', 'a\\b', list];
    await transact(db, async (tx) => {
      for (const value of values) await tx.insert(settings).values({ key: value, value }).run();
    });
    const having = async (part: string) => {
      const found = db
        .select()
        .from(settings)
        .where(contains(db, settings.value, part));
      return (await found.all()).length;
    };

    const counts = [await having('50%'), await having('a_'), await having('\\')];
    expect([...counts, await having('A_')]).toEqual([2, 1, 2, 0]);
    const isList = eq(settings.key, list);
    const lists = db.select().from(settings).where(isList);
    expect(await lists.all()).toHaveLength(1);
    const withElement = async (value: string) => {
      const holds = sql`CASE WHEN ${isList} THEN ${hasElement(db, settings.value, value)} END`;
      return (await db.select({ n: count() }).from(settings).where(holds).get())?.n;
    };
    expect([await withElement('50%'), await withElement('50')]).toEqual([1, 0]);
    expect(await withElement('a\u0000"\u{10ffff}')).toBe(1);
    expect(await withElement('\u0000')).toBe(0);
  });

  on('refuses changes to the audit log', async () => {
    const db = await newDb();
    const details = { endsOld: false, resealed: 0 };
    const rotated = { chain: serviceChain, at, actor: service, details };
    await transact(db, (tx) =>
      append(tx, { ...rotated, event: 'master_key.rotated', subject: null }),
    );
    const acts = [
      "UPDATE audit_entries SET entry = '{}'",
      'DELETE FROM audit_entries',
      "UPDATE audit_heads SET hash = ''",
      'UPDATE audit_heads SET count = count - 1',
      'DELETE FROM audit_heads',
    ];

    for (const act of acts) {
      await expect(transact(db, (tx) => tx.run(sql.raw(act)))).rejects.toThrow(/append-only/);
    }
  });
});
