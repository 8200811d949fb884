import { describe, expect, test } from 'vitest';
import { parseEntry, serviceChain } from '../../../src/service/audit/entry.ts';
import type { TenantPerson } from '../../../src/contract/auth.ts';
import { type Listening, password, listeningForFile } from './open-server.ts';

const path = '/v1/tenant/user';
const fresh = 'walnut ribbon quartz 77 lamps';

const open = await listeningForFile();
const rights = { tenants: [open.tenant], scopes: ['settings'] };
const first = await open.makeUser('manager', rights);
const bearer = ({ tokens }: typeof first) => `Bearer ${tokens.accessToken}`;
const asManager = open.as(bearer(first));
const managerId = first.user.id;

const ask = async (method: string, act: string, body: object) =>
  asManager(method, `${path}${act}`, body);
const list = async () => (await asManager('GET', path)).data<TenantPerson[]>();

const logIn = async (email: string, typed = password) =>
  (await open.ask({ method: 'POST', path: '/v1/auth/login', body: { email, password: typed } }))
    .status;

async function member(name: string, more: Parameters<Listening['makeUser']>[1] = {}) {
  const { user } = await open.makeUser(name, { tenants: [open.tenant], ...more });
  return user;
}

const changes: readonly (readonly [method: string, act: string, body: object])[] = [
  ['PUT', '', { scopes: [] }],
  ['POST', '/disable', {}],
  ['POST', '/password', { newPassword: fresh }],
];

describe('users of a tenant over HTTP', () => {
  test('an account that a manager creates can log in, is listed, and is logged with the manager', async () => {
    const account = { email: 'New@Example.org', password: fresh, name: 'Ada' };

    const made = await ask('POST', '', { ...account, scopes: ['settings'] });

    const person = made.data<TenantPerson>();
    expect(person).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email: 'new@example.org',
      name: 'Ada',
      userType: 'user',
      scopes: ['settings'],
      isDisabled: false,
      isManageable: true,
      createdDate: expect.any(String),
      lastLoginDate: null,
    });
    expect(await logIn('new@example.org', fresh)).toBe(200);
    expect((await list()).map(({ email }) => email)).toContain('new@example.org');
    const entries = await open.app.core.audit.read({ chain: serviceChain, subject: person.id });
    expect(entries.map(parseEntry)).toMatchObject([
      { event: 'user.created', actor: { type: 'user', id: managerId } },
    ]);
    const members = await open.app.core.audit.read({ chain: open.tenant.id, subject: person.id });
    expect(members.map(parseEntry)).toMatchObject([
      { event: 'tenant.member_added', actor: { type: 'user', id: managerId } },
    ]);
  });

  test('a used address, a weak password and a scope that the manager lacks are refused', async () => {
    await member('twice');
    const tries = [
      { email: 'twice@example.org', password: fresh },
      { email: 'weak@example.org', password: 'password1234' },
      { email: 'more@example.org', password: fresh, scopes: ['settings', 'billing'] },
    ];

    const answers = [];
    for (const account of tries) answers.push((await ask('POST', '', account)).status);

    expect(answers).toEqual([409, 400, 403]);
    const emails = (await list()).map(({ email }) => email);
    expect(emails).not.toContain('weak@example.org');
    expect(emails).not.toContain('more@example.org');
  });

  test('an address that another tenant uses gets an account without revealing that', async () => {
    const { tenant } = await open.makeTenant('curious');
    const prober = await open.makeUser('prober', { tenants: [tenant], scopes: ['settings'] });
    const theirs = await member('elsewhere');
    const make = async (email: string) =>
      open.as(bearer(prober))('POST', path, { tenantName: tenant.name, email, password: fresh });

    const [known, unknown] = [
      await make('elsewhere@example.org'),
      await make('unknown@example.org'),
    ];

    const own = { id: '', email: '', createdDate: '' };
    const both = [known, unknown].map((answer) => ({ ...answer.data<TenantPerson>(), ...own }));
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(both[0]).toEqual(both[1]);
    expect(await logIn('elsewhere@example.org', fresh)).toBe(200);
    expect(await logIn('elsewhere@example.org')).toBe(200);
    expect((await make('elsewhere@example.org')).status).toBe(409);
    const members = (await list()).filter(({ email }) => email === 'elsewhere@example.org');
    expect(members.map(({ id }) => id)).toEqual([theirs.id]);
  });

  test('managers cannot change their own accounts', async () => {
    for (const [method, act, body] of changes) {
      expect((await ask(method, act, { id: managerId, ...body })).status).toBe(409);
    }
    const own = (await list()).find(({ id }) => id === managerId);
    expect(own).toMatchObject({ isManageable: false, isDisabled: false, scopes: ['settings'] });
  });

  test('of two managers who disable each other at once, only one succeeds', async () => {
    const [one, two] = [
      await open.makeUser('duel-one', rights),
      await open.makeUser('duel-two', rights),
    ];
    const disable = async (by: typeof one, { user }: typeof one) =>
      open.as(bearer(by))('POST', `${path}/disable`, { id: user.id });

    const answers = await Promise.all([disable(one, two), disable(two, one)]);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = (await list()).filter(({ email }) => email.startsWith('duel-'));
    expect(left.filter(({ isDisabled }) => isDisabled)).toHaveLength(1);
  });

  test('users of other tenants are not found, and shared or more powerful users cannot be changed', async () => {
    const { tenant: other } = await open.makeTenant('other-people');
    const foreign = await member('foreign', { tenants: [other] });
    const both = await member('both', { tenants: [open.tenant, other] });
    const mighty = await member('mighty', { scopes: ['settings', 'billing'] });
    for (const [method, act, body] of [...changes, ['POST', '/enable', {}] as const]) {
      const statuses = [];
      for (const { id } of [foreign, both, mighty]) {
        statuses.push((await ask(method, act, { id, ...body })).status);
      }
      expect(statuses).toEqual([404, 403, 403]);
    }
    const listed = await list();
    expect(listed.map(({ id }) => id)).not.toContain(foreign.id);
    expect(listed.find(({ id }) => id === both.id)).toMatchObject({ isManageable: false });
    expect(listed.find(({ id }) => id === mighty.id)).toMatchObject({ isManageable: false });
    expect(JSON.stringify(listed)).not.toContain('other-people');
    expect(await logIn('both@example.org')).toBe(200);
  });
});
