import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import {
  createPasswords,
  type Passwords,
} from '../../../../src/service/access/embedded/passwords.ts';
import { createTokens, purgeExpired } from '../../../../src/service/access/embedded/sessions.ts';
import { refreshTokens, sessions } from '../../../../src/ports/db/schema.ts';
import { countLogins, openPeople, password } from './people.ts';

const examiner = 'examiner@example.org';
const newPassword = 'seven green bottles';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const refused = { code: 'unauthenticated' };
const cheap = createPasswords({ ln: 4 });

/** A person with a session. */
async function setUp(given: Parameters<typeof openPeople>[0] = {}) {
  const people = await openPeople(given);
  const user = await people.makeUser(examiner);
  const tokens = await people.logIn(examiner);
  const principal = await people.identity.authenticate(tokens.accessToken);
  return { ...people, user, tokens, principal };
}

/** Wraps `passwords` and calls `afterVerify` after each check of a password. */
function observed(afterVerify: () => unknown, passwords = cheap): Passwords {
  return {
    ...passwords,
    async matching(typed, hashes) {
      const found = await passwords.matching(typed, hashes);
      await afterVerify();
      return found;
    },
  };
}

describe('login', () => {
  test('ignores the case of the address and spaces around it', async () => {
    const { logIn, identity, user } = await setUp();

    const { accessToken } = await logIn('  EXAMINER@Example.ORG ');

    expect(await identity.authenticate(accessToken)).toMatchObject({ id: user.id });
  });

  test('fails in the same way, after the same work, for everybody who may not log in', async () => {
    let checks = 0;
    const people = await openPeople({ passwords: observed(() => checks++) });
    const { makeUser, users: accounts, logIn } = people;
    await makeUser('wrong@example.org');
    await accounts.disable((await makeUser('disabled@example.org')).id);
    const tries = [
      ['nobody@example.org', password],
      ['wrong@example.org', 'another password'],
      ['disabled@example.org', password],
      ['disabled@example.org', 'another password'],
      ['no address', password],
      ['', ''],
      ['wrong@example.org', 'x'.repeat(100_000)],
    ] as const;

    const refusals = await Promise.all(
      tries.map(([email, typed], i) =>
        logIn(email, typed, `192.0.2.${i}`).catch((error: unknown) => error),
      ),
    );

    expect(checks).toBe(tries.length);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject(refused);
      expect(refusal).toEqual(refusals[0]);
    }
  });

  test('five wrong passwords lock an address, whether or not it has an account', async () => {
    const { makeUser, logIn, clock } = await openPeople();
    await makeUser(examiner);
    const codes = async (email: string) => {
      const found: unknown[] = [];
      for (let i = 0; i < 8; i++) {
        const error: unknown = await logIn(email, 'a wrong password').catch((e: unknown) => e);
        const { code, retryAfterSeconds, message } = Object(error);
        found.push([code, retryAfterSeconds, message]);
      }
      return found;
    };

    const [known, unknown] = [await codes(examiner), await codes('nobody@example.org')];

    expect(known).toEqual(unknown);
    expect(known[4]).toMatchObject(['unauthenticated', null, expect.any(String)]);
    expect(known[5]).toMatchObject(['rate_limited', 30, expect.any(String)]);
    await expect(logIn(examiner)).rejects.toMatchObject({ code: 'rate_limited' });
    clock.step(30_000);
    await logIn(examiner);
    await expect(logIn(examiner, 'a wrong password')).rejects.toMatchObject(refused);
  });

  test('setting the password of one account gives no more guesses at another of the same address', async () => {
    const { users: accounts, tenants, makeUser, logIn } = await setUp();
    const { id } = await tenants.create({ name: 'curious' });
    const by = { type: 'user', id: (await makeUser('curious@example.org')).id } as const;
    const theirs = { email: examiner, password: 'walnut ribbon quartz', tenantIds: [id] };
    const { id: own } = await accounts.create(theirs, { by, tenantId: id });
    for (let i = 0; i < 6; i++) {
      await logIn(examiner, 'a wrong password').catch(() => undefined);
      await accounts.setPassword(own, 'walnut ribbon quartz');
    }

    await expect(logIn(examiner)).rejects.toMatchObject(refused);
    expect(await logIn(examiner, 'walnut ribbon quartz')).toMatchObject({ tokenType: 'Bearer' });
  });

  test('of two hundred guesses, a hundred at once, five are checked', async () => {
    let checks = 0;
    const { makeUser, logIn } = await openPeople({ passwords: observed(() => checks++) });
    await makeUser(examiner);
    const guess = async () =>
      Promise.allSettled(Array.from({ length: 100 }, (_, i) => logIn(examiner, `guess ${i}`)));

    const answers = [...(await guess()), ...(await guess())];

    expect(checks).toBe(5);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  });

  test('of a hundred logins at once from as many networks, 64 are checked', async () => {
    let checks = 0;
    const { makeUser, logIn } = await openPeople({ passwords: observed(() => checks++) });
    await makeUser(examiner);
    const crowd = Array.from({ length: 100 }, (_, i) =>
      logIn(`nobody${i}@example.org`, password, `192.0.2.${i}`),
    );

    const answers = await Promise.allSettled(crowd);

    expect(checks).toBe(64);
    expect(answers.map(({ status }) => status)).not.toContain('fulfilled');
  });

  test('a crowd from one network does not stop anybody elsewhere from logging in', async () => {
    const { makeUser, logIn } = await openPeople();
    await makeUser(examiner);
    const guesses = Array.from({ length: 66 }, (_, i) => logIn(`nobody${i}@example.org`));
    const crowd = Promise.allSettled(guesses);

    await logIn(examiner, password, '192.0.2.77');

    expect((await crowd).map(({ status }) => status)).not.toContain('fulfilled');
  });

  test('a network address is limited across all accounts, and right passwords do not count', async () => {
    const { makeUser, logIn } = await openPeople();
    await makeUser(examiner);
    for (let i = 0; i < 40; i++) await logIn(examiner);
    for (let i = 0; i < 30; i++) {
      await expect(logIn(`nobody${i}@example.org`)).rejects.toMatchObject(refused);
    }

    await expect(logIn(examiner)).rejects.toMatchObject({ code: 'rate_limited' });
    await logIn(examiner, password, '192.0.2.2');
  });

  test('logins refused because too many wait for a hash do not count as failures', async () => {
    const { makeUser, logIn, parts } = await openPeople();
    await makeUser(examiner);
    const crowd = Array.from({ length: 64 }, () =>
      parts.passwords.withRoom(() => parts.passwords.matching('x', [])),
    );

    const refusals = await Promise.all(
      Array.from({ length: 40 }, () => logIn(examiner).catch((error: unknown) => error)),
    );
    await Promise.all(crowd);

    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: null });
    }
    await logIn(examiner);
  });

  test('a password that is changed while it is checked opens no session', async () => {
    const change = { run: async (): Promise<unknown> => null };
    const people = await openPeople({ passwords: observed(() => change.run()) });
    const { users: accounts, makeUser, logIn, db } = people;
    const { id } = await makeUser(examiner);

    change.run = () => accounts.setPassword(id, newPassword);
    await expect(logIn(examiner)).rejects.toMatchObject(refused);
    change.run = () => accounts.disable(id);
    await expect(logIn(examiner, newPassword)).rejects.toMatchObject(refused);

    expect(await db.select().from(sessions).all()).toEqual([]);
  });

  test('is counted in its own transaction, and a failure there prevents it', async () => {
    const { db, makeUser, tenants, logIn } = await openPeople();
    const tenant = await tenants.create({ name: 'acme' });
    await makeUser(examiner, { tenantIds: [tenant.id] });

    await logIn(examiner);
    expect(await countLogins(db)).toBe(1);
    await db.run(sql`ALTER TABLE usage_counters RENAME TO gone`);
    await expect(logIn(examiner)).rejects.toThrow('usage_counters');

    expect(await db.select().from(sessions).all()).toHaveLength(1);
  });
});

describe('a session', () => {
  test('rights are read at each request, not from the token', async () => {
    const { identity, users: accounts, tenants, user, tokens } = await setUp();
    const tenant = await tenants.create({ name: 'acme' });

    await accounts.update(user.id, {
      scopes: ['settings'],
      userType: 'examiner',
      tenantIds: [tenant.id],
    });

    expect(await identity.authenticate(tokens.accessToken)).toEqual({
      type: 'user',
      id: user.id,
      tenantIds: [tenant.id],
      scopes: ['settings'],
      userType: 'examiner',
      sessionId: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
  });

  test('a token whose user and session do not match is refused, even with a valid signature', async () => {
    const { identity, makeUser, logIn, parts, principal } = await setUp();
    const ben = await makeUser('ben@example.org');
    const { accessToken } = await logIn('ben@example.org');
    const { sessionId } = await identity.authenticate(accessToken);
    const bearer = { ...ben, userId: principal.id!, sessionId: sessionId! };

    const forged = await createTokens(parts).sign('access', bearer);

    await expect(identity.authenticate(forged)).rejects.toMatchObject(refused);
  });

  test('of two refreshes at once, at most one succeeds, and the session ends', async () => {
    const { identity, tokens } = await setUp();

    const answers = await Promise.allSettled([
      identity.refresh(tokens.refreshToken),
      identity.refresh(tokens.refreshToken),
    ]);

    expect(answers.map(({ status }) => status)).toContain('rejected');
    await expect(identity.authenticate(tokens.accessToken)).rejects.toMatchObject(refused);
  });

  test('lasts 14 days without a refresh, and 30 days at most', async () => {
    const { identity, clock, logIn, tokens } = await setUp();
    const idle = await logIn(examiner);
    clock.step(14 * dayMs - 1);
    const second = await identity.refresh(tokens.refreshToken);
    clock.step(1);
    await expect(identity.refresh(idle.refreshToken)).rejects.toMatchObject(refused);
    clock.step(13 * dayMs);
    const third = await identity.refresh(second.refreshToken);
    clock.step(3 * dayMs - 1);
    const last = await identity.refresh(third.refreshToken);

    clock.step(1);

    await expect(identity.authenticate(last.accessToken)).rejects.toMatchObject(refused);
    await expect(identity.refresh(last.refreshToken)).rejects.toMatchObject(refused);
  });

  test('no refresh token is stored in plain text', async () => {
    const { db, tokens } = await setUp();

    const rows = await db.select().from(refreshTokens).all();

    expect(tokens.refreshToken).toMatch(/^rt-[\w-]{43}$/);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.digest).toHaveLength(32);
    const secret = Buffer.from(tokens.refreshToken.slice(3), 'base64url');
    expect(rows[0]?.digest.equals(secret)).toBe(false);
  });

  test('is purged a month after its end, with its refresh tokens', async () => {
    const { db, clock, identity, tokens, logIn } = await setUp();
    await identity.revoke(tokens);
    clock.step(30 * dayMs);
    await logIn(examiner);
    const left = async () => [
      await db.select().from(sessions).all(),
      await db.select().from(refreshTokens).all(),
    ];

    await purgeExpired(db, clock.now());
    const before = (await left()).map((rows) => rows.length);
    clock.step(1);
    await purgeExpired(db, clock.now());
    const after = (await left()).map((rows) => rows.length);
    clock.step(60 * dayMs + 1);
    await purgeExpired(db, clock.now());

    expect([before, after]).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(await left()).toEqual([[], []]);
  });

  test('revoke accepts a refresh token that was already used', async () => {
    const { identity, tokens } = await setUp();
    const { idToken } = await identity.refresh(tokens.refreshToken);

    await identity.revoke({ idToken, refreshToken: tokens.refreshToken });

    await expect(identity.verify(idToken)).rejects.toMatchObject(refused);
  });
});

describe('changePassword', () => {
  const change = { currentPassword: password, newPassword };

  test.each([
    ['a wrong current password', { currentPassword: 'a wrong password', newPassword }],
    ['a new password that is too short', { currentPassword: password, newPassword: 'short' }],
    ['the user’s own address', { currentPassword: password, newPassword: 'Examiner@example.org' }],
    ['the same password', { currentPassword: password, newPassword: password }],
  ])('changes nothing with %s', async (_, passwords) => {
    const { identity, logIn, principal } = await setUp();
    const other = await logIn(examiner);

    const answer = identity.changePassword(principal, passwords);

    await expect(answer).rejects.toMatchObject({ code: 'invalid_request' });
    await identity.authenticate(other.accessToken);
    await logIn(examiner);
  });

  test('a stolen session cannot guess the password indefinitely', async () => {
    const { identity, logIn, principal } = await setUp();
    for (let i = 0; i < 5; i++) {
      const guess = { currentPassword: `guess ${i}`, newPassword };
      const wrong = identity.changePassword(principal, guess);
      await expect(wrong).rejects.toMatchObject({ code: 'invalid_request' });
    }

    const right = identity.changePassword(principal, change);
    await expect(right).rejects.toMatchObject({ code: 'rate_limited' });
    await logIn(examiner);
  });

  test('a right current password resets the count of wrong ones', async () => {
    const { identity, logIn, principal } = await setUp();
    const guess = async () => logIn(examiner, 'a wrong password').catch((error: unknown) => error);
    for (let i = 0; i < 4; i++) await guess();

    await identity.changePassword(principal, change);
    for (let i = 0; i < 4; i++) await guess();

    await logIn(examiner, newPassword);
  });

  test('of two changes at once, one succeeds', async () => {
    const { identity, logIn, principal } = await setUp();
    const choices = ['seven green bottles', 'eight green bottles'];

    const answers = await Promise.allSettled(
      choices.map((choice) =>
        identity.changePassword(principal, { currentPassword: password, newPassword: choice }),
      ),
    );

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 'fulfilled');
    await logIn(examiner, choices[winner]);
  });
});
