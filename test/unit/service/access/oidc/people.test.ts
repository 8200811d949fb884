import { expect, test } from 'vitest';
import { deleteTenant } from '../../../../../src/service/tenants/tenancy.ts';
import { operator } from '../../../../../src/service/audit/entry.ts';
import { openOidcServer, publicClientId } from '../../../../fixtures/oidc-server.ts';
import { logOf } from '../../audit/log-of.ts';
import { countLogins } from '../people.ts';
import { json, openOidc, openProvider, refused } from './open-oidc.ts';

const server = await openProvider();

/** A public client cannot ask the provider whose refresh token one is. */
const page = { clientId: publicClientId, clientSecret: null };

test('a token without a user type is refused, and the error names the claim', async () => {
  const claims = { scopes: 'scope', userType: 'realm.kind', tenants: 'tenants' };
  const { enter, users } = await openOidc(server, { claims });

  for (const realm of [undefined, null, {}, { kind: '' }, { kind: 7 }, { kind: [] }]) {
    await expect(enter({ realm })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('"realm.kind"'),
    });
  }
  expect(await users.list()).toEqual([]);
});

test('claims are found by their exact name, dots included, or else by their path', async () => {
  const tenantsClaim = 'https://acme.example/tenants';
  const claims = { scopes: 'a.b', userType: 'kind', tenants: tenantsClaim };
  const { enter, tenants } = await openOidc(server, { claims });
  const acme = await tenants.create({ name: 'acme' });
  const beta = await tenants.create({ name: 'beta' });
  await tenants.create({ name: 'gamma' });

  const nested = await enter({
    a: { b: ['settings', 'more'] },
    kind: 'lab',
    [tenantsClaim]: ['acme', beta.id, 'unknown', 7],
  });
  const literal = await enter({
    'a.b': 'one  two',
    a: { b: 'no' },
    kind: 'lab',
    [tenantsClaim]: 'acme beta',
  });

  expect(nested).toMatchObject({ scopes: ['settings', 'more'], userType: 'lab' });
  expect(literal.scopes).toEqual(['one', 'two']);
  for (const { tenantIds } of [nested, literal]) {
    expect(new Set(tenantIds)).toEqual(new Set([acme.id, beta.id]));
  }
});

test.each([
  ['roles', { roles: ['user'] }, 'user'],
  ['roles', { roles: ['examiner'] }, 'examiner'],
  ['roles', { roles: ['Case Manager', 'examiner', 'user'] }, 'user'],
  ['realm_access.roles', { realm_access: { roles: ['offline_access', 'user'] } }, 'user'],
  [
    'realm_access.roles',
    { realm_access: { roles: ['default-roles-a', 'uma_authorization', 'head'] } },
    'head',
  ],
  ['resource_access.my.app.roles', { resource_access: { 'my.app': { roles: ['lab'] } } }, 'lab'],
  ['https://acme.example/role', { 'https://acme.example/role': ['lab'] }, 'lab'],
])('the claim %s of %j gives one role as the user type', async (userType, claims, expected) => {
  const names = { scopes: 'scope', userType, tenants: 'groups' };
  const { enter } = await openOidc(server, { claims: names });

  const principal = await enter(claims);

  expect(principal.userType).toBe(expected);
});

test.each([[[]], [['offline_access', 'uma_authorization']], [['Case Manager']]])(
  'a list without a role that can be a user type, %j, is refused with advice',
  async (roles) => {
    const claims = { scopes: 'scope', userType: 'roles', tenants: 'groups' };
    const { enter } = await openOidc(server, { claims });

    await expect(enter({ roles })).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/^The "roles" claim .* contains no user type: .* Map a role/),
    });
  },
);

test('each group in a list is one tenant, whatever its case, spaces and leading slash', async () => {
  const claims = { scopes: 'scope', userType: 'userType', tenants: 'groups' };
  const { enter, tenants } = await openOidc(server, { claims });
  const create = async (name: string) => (await tenants.create({ name })).id;
  const [acme, lab] = [await create('acme'), await create('forensic-lab')];
  for (const name of ['forensic', 'lab', 'beta']) await create(name);
  const tenantsFor = async (groups: unknown) => (await enter({ groups })).tenantIds;

  expect(new Set(await tenantsFor(['acme', 'Forensic Lab', 'Elsewhere']))).toEqual(
    new Set([acme, lab]),
  );
  expect(await tenantsFor(['/acme', '/acme/lab', '/beta/examiners', '//lab'])).toEqual([acme]);
  expect(new Set(await tenantsFor('acme forensic-lab'))).toEqual(new Set([acme, lab]));
});

test.each([
  '\u212aappa-lab',
  'Kappa\u00a0Lab',
  '\u3000kappa-lab',
  'kappa-lab\ufeff',
  'kappa-lab\u0000',
])('the group %j, which only looks like a tenant, is none', async (group) => {
  const { enter, tenants } = await openOidc(server);
  const { id } = await tenants.create({ name: 'kappa-lab' });
  const tenantsFor = async (groups: unknown) => (await enter({ tenants: groups })).tenantIds;

  expect(await tenantsFor([group])).toEqual([]);
  expect(await tenantsFor(`other ${group}`)).toEqual([]);
  expect(await tenantsFor(['/Kappa Lab'])).toEqual([id]);
});

test('a person without an address is shown by their user name at the provider', async () => {
  const { enter, users } = await openOidc(server);

  await enter({ preferred_username: 'a.berg' });
  expect(await users.list()).toMatchObject([{ email: '', name: 'a.berg' }]);
  await enter({ name: 'A. Berg', preferred_username: 'a@b.example' });

  expect(await users.list()).toMatchObject([{ email: 'a@b.example', name: 'A. Berg' }]);
});

test('a claim with a former name of a tenant gives access to no tenant', async () => {
  const { enter, tenants } = await openOidc(server);
  const acme = await tenants.create({ name: 'acme' });
  const evil = await tenants.create({ name: 'evil' });
  await tenants.update(acme.id, { name: 'acme-2' });
  const stolen = await Promise.allSettled([
    tenants.update(evil.id, { name: 'acme' }),
    tenants.update(evil.id, { name: acme.id }),
  ]);

  const byName = await enter({ tenants: ['acme'] });
  const byId = await enter({ tenants: [acme.id] });

  expect(stolen.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(byName.tenantIds).toEqual([]);
  expect(byId.tenantIds).toEqual([acme.id]);
});

test('a claim with the name of a deleted tenant means none, or the one that has the name now', async () => {
  const { enter, tenants, db, clock } = await openOidc(server);
  const gone = await tenants.create({ name: 'acme' });
  await deleteTenant({ database: { db } }, { tenant: gone, by: operator, now: clock.now });
  const named = async (word: string) => (await enter({ tenants: [word] })).tenantIds;

  const byId = await named(gone.id);
  const byName = await named('acme');
  const fresh = await tenants.create({ name: 'acme' });

  expect([byId, byName, await named('acme')]).toEqual([[], [], [fresh.id]]);
});

test('properties that every object has are not claims', async () => {
  const claims = { scopes: 'constructor', userType: 'constructor.name', tenants: '__proto__' };
  const { enter } = await openOidc(server, { claims });

  await expect(enter()).rejects.toMatchObject(refused);
});

test('twenty first requests at once create one user and count one login', async () => {
  const { identity, accessToken, users, tenants, db } = await openOidc(server);
  await tenants.create({ name: 'acme' });
  const token = await accessToken({ tenants: 'acme', auth_time: 1_772_366_300 });

  const principals = await Promise.all(
    Array.from({ length: 20 }, () => identity.authenticate(token)),
  );

  const [user, ...others] = await users.list();
  expect(others).toEqual([]);
  expect(new Set(principals.map(({ id }) => id))).toEqual(new Set([user?.id]));
  expect(await countLogins(db)).toBe(1);
  expect(await logOf(db, { chain: 'service', subject: user?.id ?? '' })).toEqual([
    ['service', 'user.created', { identity: 'provider', userType: 'examiner', scopes: [] }],
  ]);
});

test('a login is counted when a person authenticates again, not when a token is refreshed', async () => {
  const { enter, identity, idToken, tenants, clock, db } = await openOidc(server);
  await tenants.create({ name: 'acme' });
  const come = async (auth_time: number) => enter({ tenants: 'acme', auth_time });

  await identity.verify(await idToken({ auth_time: 1_772_366_300 }));
  expect(await countLogins(db)).toBe(0);
  await come(1_772_366_300);
  clock.step(600_000);
  await come(1_772_366_300);
  expect(await countLogins(db)).toBe(1);
  await come(1_772_366_900);
  await come(1_772_366_300);

  expect(await countLogins(db)).toBe(2);
});

test('the newest token updates the details that it contains, and changes are logged', async () => {
  const { enter, identity, idToken, users, db } = await openOidc(server);
  const shown = async () =>
    (await users.list()).map(({ email, name, userType }) => [email, name, userType]);

  await enter();
  expect(await shown()).toEqual([['', null, 'examiner']]);
  await identity.verify(
    await idToken({ email: 'examiner@example.org', name: 'Examiner Berg', userType: undefined }),
  );
  expect(await shown()).toEqual([['examiner@example.org', 'Examiner Berg', 'examiner']]);
  await enter({ name: 'Examiner Tal', userType: 'head' });
  await enter({ name: 'A\nB', email: 'x'.repeat(300), userType: 'head' });
  await enter({ name: 'A\ud800', userType: 'head' });

  expect(await shown()).toEqual([['examiner@example.org', 'Examiner Tal', 'head']]);
  const [{ id } = { id: '' }] = await users.list();
  expect((await logOf(db, { chain: 'service', subject: id })).slice(1)).toEqual([
    ['service', 'user.changed', { fields: ['name'], userType: 'examiner', scopes: [] }],
    ['service', 'user.changed', { fields: ['name', 'userType'], userType: 'head', scopes: [] }],
  ]);
});

test('the same subject at two providers is two people', async () => {
  const other = await openOidcServer();
  const first = await openOidc(server);
  const second = await openOidc(other, { db: first.db });

  const one = await first.identity.authenticate(await first.accessToken());
  const two = await second.identity.authenticate(await second.accessToken());

  await other.stop();
  expect(two.id).not.toBe(one.id);
  expect(await first.users.list()).toHaveLength(2);
});

test('a session that was ended here stays ended when the provider refreshes its tokens', async () => {
  const { enter, identity, idToken, clock } = await openOidc(server, page);
  const auth_time = 1_772_366_300;
  await identity.revoke({ idToken: await idToken({ auth_time }), refreshToken: 'of a session' });
  clock.step(60_000);

  await expect(enter({ auth_time })).rejects.toMatchObject(refused);
  await expect(identity.verify(await idToken({ auth_time }))).rejects.toMatchObject(refused);
  await enter({ auth_time: 1_772_366_450 });
});

test('tokens of a provider whose clock is ahead can be revoked', async () => {
  const { identity, idToken } = await openOidc(server, page);
  const ahead = await idToken({ iat: 1_772_366_420 });

  await identity.revoke({ idToken: ahead, refreshToken: 'of a session' });

  await expect(identity.verify(ahead)).rejects.toMatchObject(refused);
});

test('a refresh keeps the old refresh token if the provider sends no new one', async () => {
  const { identity, accessToken } = await openOidc(server);
  const token = await accessToken();
  await identity.authenticate(token);
  server.responseWith(json({ access_token: token, token_type: 'Bearer' }));

  const tokens = await identity.refresh('of a session');

  expect(tokens).toEqual({
    accessToken: token,
    idToken: '',
    refreshToken: 'of a session',
    tokenType: 'Bearer',
    expiresIn: 600,
  });
});
