import * as tables from '../../../../src/ports/db/schema.ts';
import { count, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { createKeys } from '../../../../src/service/access/keys.ts';
import { createHolds } from '../../../../src/service/holds/legal-holds.ts';
import { deleteTenant } from '../../../../src/service/tenants/tenancy.ts';
import { operator, parseEntry } from '../../../../src/service/audit/entry.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { createRequest, openWorkshop } from '../analyses/workshop.ts';
import { openPeople } from '../access/people.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const dayMs = 24 * 3_600_000;

async function openWithTenant() {
  const workshop = await openWorkshop();
  const { db, clock, caller, analyses, notices } = workshop;
  const { id } = caller.tenant;
  return {
    ...workshop,
    id,
    holds: createHolds({ db, now: clock.now }),
    audit: createAudit({ db, now: clock.now }),
    remove: async () =>
      deleteTenant({ database: { db } }, { tenant: caller.tenant, by: operator, now: clock.now }),
    /** The daily chore. */
    cleanUp: async () => {
      notices.length = 0;
      await analyses.cleanUp(new AbortController().signal);
      return notices;
    },
    rowsOf: async (
      table: typeof tables.analyses | typeof tables.apiKeys | typeof tables.deliveries,
    ) => (await db.select({ rows: count() }).from(table).where(eq(table.tenantId, id)).get())!.rows,
  };
}

describe('a deleted tenant', () => {
  test('loses its keys, names, webhook and place in the list at once, and its analyses are hidden', async () => {
    const workshop = await openWithTenant();
    const { complete, start, create, remove, tenants, db, id, clock, caller } = workshop;
    await complete();
    await start();
    await create();
    await tenants.update(id, { name: 'acme-2' });
    const sent = (await workshop.messages()).length;

    const { tenant, analyses } = await remove();

    expect([tenant.name, analyses]).toEqual([`acme-2~${id}`, 3]);
    expect(tenant).toMatchObject({ webhookUrl: null, deletedAt: clock.now() });
    const gone = [await tenants.byName('acme-2'), await tenants.byName(tenant.name)];
    expect([...gone, ...(await tenants.list())]).toEqual([null, null]);
    expect(await tenants.listDeleted()).toEqual([tenant]);
    await expect(tenants.authorizeTenant(caller.principal, tenant.name)).rejects.toEqual(
      refusal('forbidden'),
    );
    const keys = await db.select().from(tables.apiKeys).all();
    expect(keys.map(({ revokedAt }) => revokedAt)).toEqual([clock.now()]);
    const hidden = await db.select().from(tables.analyses).all();
    expect(hidden.map(({ deletedAt }) => deletedAt)).toEqual(hidden.map(() => clock.now()));
    expect(await workshop.messages()).toHaveLength(sent);
  });

  test('frees its names for others, who get none of its data', async () => {
    const { complete, remove, tenants, openTenant, analyses, id } = await openWithTenant();
    await complete();
    await tenants.update(id, { name: 'acme-2' });
    await remove();

    const fresh = await openTenant('acme');
    await openTenant('acme-2');

    expect(fresh.tenant.id).not.toBe(id);
    expect((await analyses.list(fresh, {})).analyses).toEqual([]);
  });

  test('is purged when its last object is gone, and leaves its log', async () => {
    const workshop = await openWithTenant();
    const { complete, remove, cleanUp, clock, audit, tenants, id, rowsOf, counters } = workshop;
    await complete('forensicReporting');
    await remove();

    clock.step(30 * dayMs - 1);
    expect(await cleanUp()).toMatchObject([{ what: 'retention', deleted: 0, purged: 0 }]);
    expect((await tenants.byId(id))?.deletedAt).not.toBeNull();
    expect(await counters()).not.toEqual({});
    clock.step(1);
    const reported = await cleanUp();

    expect(reported).toMatchObject([
      { what: 'retention', purged: 1, objects: 8 },
      { what: 'tenants', purged: 1 },
    ]);
    expect(await tenants.byId(id)).toBeNull();
    const gone = [tables.analyses, tables.apiKeys, tables.deliveries];
    const left = await Promise.all(gone.map((table) => rowsOf(table)));
    expect([...left, await counters()]).toEqual([0, 0, 0, {}]);
    const events = (await audit.read({ chain: id })).map((line) => parseEntry(line).event);
    const last = ['tenant.deleted', 'analysis.deleted', 'analysis.purged', 'tenant.purged'];
    expect(events.filter((event) => last.includes(event))).toEqual(last);
    expect(await audit.verify(id)).toMatchObject({ broken: null });
    expect(await cleanUp()).toMatchObject([{ what: 'retention', purged: 0 }]);
  });

  test('without an analysis is kept as long, for its usage figures', async () => {
    const { remove, cleanUp, clock, tenants, id } = await openWithTenant();
    await remove();

    clock.step(30 * dayMs - 1);
    await cleanUp();
    const before = await tenants.byId(id);
    clock.step(1);
    await cleanUp();

    expect([before === null, await tenants.byId(id)]).toEqual([false, null]);
  });

  test('is kept while it is on hold, and while an object waits for its store', async () => {
    const { complete, remove, cleanUp, clock, tenants, id, store, holds } = await openWithTenant();
    await complete();
    await remove();
    await holds.add({ tenantId: id, analysisId: null, reason: 'case 17' });
    clock.step(30 * dayMs);

    await cleanUp();
    const held = await tenants.byId(id);
    await holds.remove({ tenantId: id, analysisId: null });
    const drop = store.delete.bind(store);
    store.delete = async () => Promise.reject(new Error('down'));
    await cleanUp();
    const waiting = await tenants.byId(id);
    store.delete = drop;
    await cleanUp();

    expect([held === null, waiting === null]).toEqual([false, false]);
    expect(await tenants.byId(id)).toBeNull();
  });

  test('also loses what a request in progress created during the deletion', async () => {
    const { remove, cleanUp, caller, analyses } = await openWithTenant();
    await remove();
    await analyses.create(caller, createRequest());
    const before = await analyses.list(caller, {});

    const reported = await cleanUp();

    expect(before.total).toBe(1);
    expect(reported[0]).toMatchObject({ what: 'retention', deleted: 1 });
  });
});

test('a tenant on hold is not deleted, and each hold is named', async () => {
  const { complete, remove, holds, tenants, id, caller } = await openWithTenant();
  const analysisId = await complete();
  await holds.add({ tenantId: id, analysisId, reason: 'case 17' });
  await holds.add({ tenantId: id, analysisId: null, reason: '' });

  const refused = remove();

  await expect(refused).rejects.toEqual(refusal('conflict', `${analysisId} (case 17)`));
  await expect(refused).rejects.toThrow(/everything[^]*hold remove --tenant acme/);
  expect(await tenants.byName(caller.tenant.name)).not.toBeNull();
});

async function openTwoTenants() {
  const people = await openPeople();
  const { tenants, db, clock, makeUser } = people;
  const acme = await tenants.create({ name: 'acme' });
  const other = await tenants.create({ name: 'other' });
  const both = await makeUser('both@example.org', { tenantIds: [acme.id, other.id] });
  const stranger = await makeUser('stranger@example.org', { tenantIds: [other.id] });
  const end = () =>
    deleteTenant({ database: { db } }, { tenant: acme, by: operator, now: clock.now });
  return { ...people, acme, other, both, stranger, end };
}

test('deleting a tenant ends its members’ sessions and no others', async () => {
  const { identity, logIn, users, clock, both, stranger, other, end } = await openTwoTenants();
  const [ofMember, ofStranger] = [await logIn(both.email), await logIn(stranger.email)];
  clock.step(1000);

  await end();

  const ended = identity.authenticate(ofMember.accessToken);
  await expect(ended).rejects.toMatchObject({ code: 'unauthenticated' });
  expect((await identity.authenticate(ofStranger.accessToken)).id).toBe(stranger.id);
  expect((await users.byId(both.id))?.tenantIds).toEqual([other.id]);
  // The account is kept for the other tenant.
  const again = await logIn(both.email);
  expect((await identity.authenticate(again.accessToken)).tenantIds).toEqual([other.id]);
});

test('the log of the tenant records who left it and what ended', async () => {
  const { db, clock, acme, both, end } = await openTwoTenants();

  await end();

  const entries = (await createAudit({ db, now: clock.now }).read({ chain: acme.id })).map(
    parseEntry,
  );
  expect(entries.slice(-2)).toMatchObject([
    { event: 'tenant.member_removed', subject: both.id, actor: operator },
    { event: 'tenant.deleted', subject: acme.id, details: { keys: 0, members: 1 } },
  ]);
});

test('a deleted tenant gets no new key, name or member, and cannot be deleted again', async () => {
  const { tenants, users, db, clock, stranger, acme, end } = await openTwoTenants();
  const { tenant } = await end();
  const keys = createKeys({ db, pepper: new Uint8Array(32).fill(7), now: clock.now });
  const expiresAt = new Date(clock.now().getTime() + dayMs);

  const refused = await Promise.allSettled([
    keys.mint({ tenantId: acme.id, name: 'ci', expiresAt, by: operator }),
    tenants.update(acme.id, { name: 'again' }),
    users.update(stranger.id, { tenantIds: [acme.id] }),
    end(),
  ]);

  const notFound = { status: 'rejected', reason: { code: 'tenant_not_found' } };
  expect(refused).toMatchObject([notFound, notFound, notFound, notFound]);
  expect((await tenants.byId(acme.id))?.name).toBe(tenant.name);
});
