import { expect, test } from 'vitest';
import { operator, parseEntry } from '../../../../src/service/audit/entry.ts';
import { createAudit } from '../../../../src/service/audit/log.ts';
import { deleteTenant } from '../../../../src/service/tenants/delete-tenant.ts';
import { openPeople } from '../access/people.ts';

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

  await expect(identity.authenticate(ofMember.accessToken)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
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

test('nobody can become a member of a deleted tenant', async () => {
  const { users, stranger, acme, end } = await openTwoTenants();
  await end();

  const joined = users.update(stranger.id, { tenantIds: [acme.id] });

  await expect(joined).rejects.toMatchObject({ code: 'tenant_not_found' });
});
