import { describe, expect, test, vi } from 'vitest';
import { createUserSettings } from '../../../../src/service/access/user-facts.ts';
import type { NewUser } from '../../../../src/service/access/users.ts';
import { users as table } from '../../../../src/ports/db/schema.ts';
import { hasPostgres } from '../../ports/db/temporary.ts';
import { openPeople, password } from './people.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const examiner = 'examiner@example.org';
const invalid = { code: 'invalid_request' };
const missingId = 'f'.repeat(24);

describe('create', () => {
  test('makes an account that is found by its id and its address', async () => {
    const { users, tenants, clock } = await openPeople();
    const acme = await tenants.create({ name: 'acme' });

    const user = await users.create({
      email: ' Examiner@Example.org',
      password,
      name: 'Examiner Berg',
      userType: 'examiner',
      scopes: ['settings', 'settings'],
      tenantIds: [acme.id, acme.id],
    });

    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email: examiner,
      name: 'Examiner Berg',
      userType: 'examiner',
      scopes: ['settings'],
      tenantIds: [acme.id],
      issuer: null,
      disabledAt: null,
      createdAt: clock.now(),
      lastLoginAt: null,
    });
    expect(await users.byId(user.id)).toEqual(user);
    expect(await users.byEmail('EXAMINER@example.org ')).toEqual([user]);
    expect([await users.byId(missingId), await users.byEmail('nobody@example.org')]).toEqual([
      null,
      [],
    ]);
  });

  test('a new account has no rights', async () => {
    const { makeUser } = await openPeople();

    const user = await makeUser(examiner);

    expect(user).toMatchObject({ name: null, userType: 'user', scopes: [], tenantIds: [] });
  });

  test.each<[string, Partial<NewUser>, code?: string]>([
    ['no address', { email: 'examiner' }],
    ['an address with a space', { email: 'examiner berg@example.org' }],
    ['an address with a line break', { email: 'examiner@example.org\n\nX: y' }],
    ['two at signs', { email: 'a@b@example.org' }],
    ['an address of 255 characters', { email: `${'a'.repeat(243)}@example.org` }],
    ['an empty name', { name: '' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
    ['a name with a line break', { name: 'Examiner\nBerg' }],
    ['a scope with a space', { scopes: ['settings all'] }],
    ['an empty user type', { userType: '' }],
    ['a short password', { password: 'short' }],
    [
      'the name as password',
      { name: 'Examiner Berg-Lindgren', password: 'examiner berg-lindgren' },
    ],
    ['a missing tenant', { tenantIds: [missingId] }, 'tenant_not_found'],
  ])('refuses %s', async (_, facts, code = 'invalid_request') => {
    const { users, makeUser } = await openPeople();

    await expect(makeUser(examiner, facts)).rejects.toMatchObject({ code });
    expect(await users.list()).toEqual([]);
  });

  test('an address is unique, even when two accounts are created at once', async () => {
    const { users, makeUser } = await openPeople();

    const answers = await Promise.allSettled([
      makeUser(examiner),
      makeUser('EXAMINER@example.org'),
    ]);

    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(answers).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'conflict' }) }),
    );
    await expect(makeUser(examiner)).rejects.toMatchObject({ code: 'conflict' });
    expect(await users.list()).toHaveLength(1);
  });
});

describe('update', () => {
  test('changes only what it is given', async () => {
    const { users, tenants, makeUser } = await openPeople();
    const [acme, other] = [
      await tenants.create({ name: 'acme' }),
      await tenants.create({ name: 'other' }),
    ];
    const facts = { name: 'Examiner', scopes: ['settings'], tenantIds: [acme.id] };
    const user = await makeUser(examiner, facts);

    const renamed = await users.update(user.id, { name: 'Änna Lind' });
    const moved = await users.update(user.id, { tenantIds: [other.id], scopes: [] });
    const withoutName = await users.update(user.id, { name: null });

    expect(renamed).toEqual({ ...user, name: 'Änna Lind' });
    expect(moved).toEqual({ ...renamed, tenantIds: [other.id], scopes: [] });
    expect(withoutName).toEqual({ ...moved, name: null });
  });

  test('the folded name follows the name', async () => {
    const { db, users, makeUser } = await openPeople();
    const folded = async () =>
      (await db.select({ name: table.nameFolded }).from(table).get())?.name;
    const { id } = await makeUser(examiner, { name: 'ÄNNA' });

    const before = await folded();
    await users.update(id, { name: null });

    expect([before, await folded()]).toEqual(['änna', '']);
  });

  test.each<[string, Partial<NewUser>]>([
    ['invalid_request', { scopes: ['a b'] }],
    ['invalid_request', { name: '' }],
    ['tenant_not_found', { name: 'Examiner', tenantIds: [missingId] }],
  ])('is %s for %j and changes nothing', async (code, change) => {
    const { users, makeUser } = await openPeople();
    const user = await makeUser(examiner);

    await expect(users.update(user.id, change)).rejects.toMatchObject({ code });
    expect(await users.byId(user.id)).toEqual(user);
  });
});

describe('an administrator', () => {
  test('ends all sessions and lifts the lock by setting a new password', async () => {
    const { users, makeUser, logIn, identity } = await openPeople();
    const { id } = await makeUser(examiner);
    const { accessToken } = await logIn(examiner);
    for (let i = 0; i < 5; i++) await logIn(examiner, 'a wrong password').catch(() => null);
    await expect(logIn(examiner)).rejects.toMatchObject({ code: 'rate_limited' });

    await users.setPassword(id, 'seven green bottles');

    await expect(identity.authenticate(accessToken)).rejects.toEqual(refusal('unauthenticated'));
    await logIn(examiner, 'seven green bottles');
  });

  test('cannot find a missing user', async () => {
    const { users } = await openPeople();

    const answers = await Promise.allSettled([
      users.update(missingId, {}),
      users.setPassword(missingId, password),
      users.disable(missingId),
      users.enable(missingId),
    ]);

    for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'not_found' } });
  });

  test('cannot change rights or password of an account of an identity provider', async () => {
    const { db, users, makeUser, clock } = await openPeople();
    const { id } = await makeUser(examiner);
    clock.step(1000);
    await db.update(table).set({ issuer: 'https://login.example', subject: '1' }).run();

    await expect(users.update(id, { scopes: [] })).rejects.toMatchObject({ code: 'not_offered' });
    await expect(users.setPassword(id, password)).rejects.toMatchObject({ code: 'not_offered' });
    expect(await users.byEmail(examiner)).toEqual([]);
    expect(await users.disable(id)).toMatchObject({ issuer: 'https://login.example' });
    expect((await db.select().from(table).get())?.tokensValidFrom).toEqual(clock.now());
  });

  test.skipIf(hasPostgres)(
    'lists accounts by address, with the tenants of each, in one query',
    async () => {
      const { db, users, tenants, makeUser } = await openPeople();
      const { id: acme } = await tenants.create({ name: 'acme' });
      const { id: beta } = await tenants.create({ name: 'beta' });
      await makeUser('middle@example.org', { tenantIds: [beta] });
      await makeUser('first@example.org', { tenantIds: [beta, acme] });
      await makeUser('the.last@example.org');
      const prepare = vi.spyOn(db.$client, 'prepare');

      const listed = (await users.list()).map(({ email, tenantIds }) => [email, tenantIds]);

      expect(listed).toEqual([
        ['first@example.org', [acme, beta].toSorted()],
        ['middle@example.org', [beta]],
        ['the.last@example.org', []],
      ]);
      expect(prepare).toHaveBeenCalledTimes(1);
    },
  );
});

async function openSettings() {
  const { db, makeUser } = await openPeople();
  const { id } = await makeUser(examiner);
  return { id, settings: createUserSettings({ db }) };
}

describe('user settings', () => {
  test.each(['', 'd', 'DE', 'deutsch', 'de_AT', 'de-at', 'de-AT-x', 'de\n', '<b>'])(
    'refuse the language %j',
    async (lang) => {
      const { id, settings } = await openSettings();

      await expect(settings.change(id, { lang })).rejects.toMatchObject(invalid);
      expect(await settings.read(id)).toMatchObject({ lang: 'en' });
    },
  );

  test('of a missing user are not found', async () => {
    const { settings } = await openSettings();

    await expect(settings.read(missingId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(settings.change(missingId, {})).rejects.toMatchObject({ code: 'not_found' });
  });
});
