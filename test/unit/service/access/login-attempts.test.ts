import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { purgeExpired } from '../../../../src/service/access/embedded/sessions.ts';
import { createLoginAttempts } from '../../../../src/service/access/embedded/throttle.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { loginAttempts } from '../../../../src/ports/db/schema.ts';
import { steppedClock, testDb } from '../../ports/db/temporary.ts';

const key = new Uint8Array(32).fill(9);
const minuteMs = 60_000;
const examiner = 'examiner@example.org';
const home = '192.0.2.1';

async function setUp() {
  const db = await testDb();
  const clock = steppedClock();
  const attempts = createLoginAttempts({ db, key, now: clock.now });
  const account = (from = home, email = examiner) =>
    wait(() => attempts.countAccount({ account: email, from }));
  const place = (from: string) => wait(async () => attempts.countPlace(from));
  return { db, ...clock, attempts, account, place };
}

/** Runs `act` `count` times, one after the other. */
async function times<T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) results.push(await act(i));
  return results;
}

/** Seconds until the next attempt is allowed; 0 if this one was. */
async function wait(act: () => Promise<unknown>): Promise<number> {
  try {
    await act();
    return 0;
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate_limited' });
    return Number(Object(error)['retryAfterSeconds']);
  }
}

test('the fifth failure and each later one lock the account for longer', async () => {
  const { account, step } = await setUp();
  const free = await times(5, () => account());

  const pauses = await times(7, async () => {
    const seconds = await account();
    step(seconds * 1000);
    return [seconds, await account()];
  });

  expect(free).toEqual([0, 0, 0, 0, 0]);
  expect(pauses).toEqual([30, 60, 300, 900, 3600, 3600, 3600].map((seconds) => [seconds, 0]));
});

test('trying while it is locked does not extend the lock', async () => {
  const { account, step } = await setUp();
  for (let i = 0; i < 5; i++) await account();
  step(29_999);
  for (let i = 0; i < 50; i++) await account();

  const before = await account();
  step(1);

  expect([before, await account()]).toEqual([1, 0]);
});

test('a lock survives a restart, and locks no other account', async () => {
  const { db, now, account } = await setUp();
  for (let i = 0; i < 5; i++) await account();

  const afterRestart = createLoginAttempts({ db, key, now });

  const again = (email: string) => afterRestart.countAccount({ account: email, from: home });
  await expect(() => again(examiner)).rejects.toThrow(/wait/);
  await again('ben@example.org');
});

test('guesses from one address lock the account for long at that address only', async () => {
  const { account, step } = await setUp();
  for (let day = 0; day < 8; day++) {
    for (let i = 0; i < 24; i++) {
      await account('198.51.100.9');
      step(60 * minuteMs + 1);
    }
  }
  for (let i = 0; i < 5; i++) await account('198.51.100.9');

  expect(await account('198.51.100.9')).toBeGreaterThan(0);
  expect(await account('198.51.100.8')).toBeGreaterThan(0);
  step(minuteMs);
  expect([(await account('198.51.100.9')) > 0, await account()]).toEqual([true, 0]);
});

test('after a hundred failures from anywhere, one attempt a minute is allowed', async () => {
  const { account, step } = await setUp();
  const free = await times(100, (i) => account(`198.51.100.${i}`));

  const before = await account();
  step(minuteMs);
  const after = [await account(), await account('203.0.113.1')];

  expect(new Set(free)).toEqual(new Set([0]));
  expect([before, after]).toEqual([60, [0, 60]]);
});

test('a right password takes back only its own attempt from the total', async () => {
  const { db, attempts, account } = await setUp();
  for (let i = 0; i < 99; i++) await account(`198.51.100.${i}`);
  const right = { account: examiner, from: home };
  await attempts.countAccount(right);
  await transact(db, (tx) => attempts.forgive(tx, right));

  expect([await account('203.0.113.1'), await account('203.0.113.2')]).toEqual([0, 60]);
});

test('a new password clears the failures of its own account from everywhere', async () => {
  const { db, attempts, account } = await setUp();
  for (const email of [examiner, 'ben@example.org']) {
    for (const from of [home, '198.51.100.9']) {
      for (let i = 0; i < 5; i++) await account(from, email);
    }
  }

  await transact(db, (tx) => attempts.forgiveAccount(tx, examiner));

  expect(await db.select().from(loginAttempts).all()).toHaveLength(3);
  expect([await account(), await account(home, 'ben@example.org')]).toEqual([0, 30]);
});

test('at most four attempts from one address are checked at once', async () => {
  const { attempts } = await setUp();
  const leave = new EventEmitter();
  const enter = async (from: string) => attempts.withSeat(from, async () => once(leave, 'all'));
  const inside = ['::ffff:192.0.2.1', home, home, home].map(enter);

  await expect(enter(home)).rejects.toMatchObject({ code: 'rate_limited' });
  inside.push(enter('192.0.2.2'));
  leave.emit('all');

  expect(await Promise.all(inside)).toHaveLength(5);
  expect(await attempts.withSeat(home, async () => 'in')).toBe('in');
});

test('a right password and a quiet day forget the failures', async () => {
  const { db, attempts, account, step } = await setUp();
  for (let i = 0; i < 4; i++) await account();
  await transact(db, (tx) => attempts.forgive(tx, { account: examiner, from: home }));
  const afterSuccess = await times(6, () => account());
  step(24 * 60 * minuteMs + 1);

  const afterADay = await times(6, () => account());

  expect(afterSuccess).toEqual([0, 0, 0, 0, 0, 30]);
  expect(afterADay).toEqual([0, 0, 0, 0, 0, 30]);
});

test('the typed address is not stored in plain text, and is purged after a day', async () => {
  const { db, now, account, step } = await setUp();
  await account(home, 'my password in the wrong field');

  await purgeExpired(db, now());
  const kept = await db.select().from(loginAttempts).all();
  step(24 * 60 * minuteMs + 1);
  await purgeExpired(db, now());

  const bytes = Buffer.concat(kept.map(({ address }) => address)).toString('latin1');
  expect(bytes).not.toContain('password');
  expect(bytes).not.toContain(home);
  expect(kept.map(({ address }) => address.length).toSorted((a, b) => a - b)).toEqual([32, 64]);
  expect(await db.select().from(loginAttempts).all()).toEqual([]);
});

test('a network address may fail 30 times in 15 minutes, whichever accounts it tries', async () => {
  const { place, step } = await setUp();
  for (let i = 0; i < 30; i++) {
    expect(await place('192.0.2.1')).toBe(0);
    step(1000);
  }

  const locked = await place('192.0.2.1');
  const other = await place('192.0.2.2');
  step(locked * 1000);

  expect([locked, other]).toEqual([15 * 60 - 30, 0]);
  expect([await place('192.0.2.1'), await place('192.0.2.1')]).toEqual([0, 1]);
});

test('an attempt that is taken back does not count', async () => {
  const { attempts, place } = await setUp();

  for (let i = 0; i < 100; i++) attempts.countPlace('192.0.2.1')();
  const takeBack = attempts.countPlace('192.0.2.1');
  for (let i = 0; i < 29; i++) await place('192.0.2.1');
  const full = await place('192.0.2.1');
  takeBack();
  takeBack();

  expect(full).toBe(900);
  expect([await place('192.0.2.1'), await place('192.0.2.1')]).toEqual([0, 900]);
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 900],
  ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:7', 900],
  ['2001:db8::1', '2001:db8:0:0:1::', 900],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', 0],
  ['::ffff:192.0.2.1', '192.0.2.1', 900],
  ['::1', '::2', 900],
  ['fe80::1%eth0', 'fe80::2%eth1', 900],
  ['192.0.2.1', '192.0.2.3', 0],
])('after 30 failures from %s, %s must wait %i seconds', async (first, second, seconds) => {
  const { place } = await setUp();
  for (let i = 0; i < 30; i++) await place(first);

  expect(await place(second)).toBe(seconds);
});

test('ten thousand addresses are remembered, and the longest inactive one is dropped', async () => {
  const { place } = await setUp();
  for (let i = 0; i < 30; i++) await place('192.0.2.1');
  for (let i = 0; i < 9_999; i++) await place(`198.51.${i >> 8}.${i & 255}`);
  const before = await place('192.0.2.1');

  await place('203.0.113.1');

  expect([before, await place('192.0.2.1')]).toEqual([900, 0]);
});
