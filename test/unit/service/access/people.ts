/** Embedded accounts in a real database, with cheap hashes. */

import { eq } from 'drizzle-orm';
import { createEmbeddedIdentity } from '../../../../src/service/access/embedded/identity.ts';
import { createPasswords } from '../../../../src/service/access/embedded/passwords.ts';
import { createLoginAttempts } from '../../../../src/service/access/embedded/throttle.ts';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { createUsers, type NewUser } from '../../../../src/service/access/users.ts';
import type { Db } from '../../../../src/ports/db/database.ts';
import { usageCounters } from '../../../../src/ports/db/schema.ts';
import type { SqliteDb } from '../../../../src/ports/db/sqlite.ts';
import { steppedClock, testDb } from '../../ports/db/temporary.ts';

export const password = 'plum window harbour';
export const seed = new Uint8Array(32).fill(7);
export const issuer = 'https://forensics.example';

export async function openPeople({
  db: usedDb,
  clock = steppedClock(),
  ...given
}: {
  db?: SqliteDb;
  clock?: ReturnType<typeof steppedClock>;
} & Partial<Parameters<typeof createEmbeddedIdentity>[0]> = {}) {
  const db = usedDb ?? (await testDb());
  const { now } = clock;
  const passwords = given.passwords ?? createPasswords({ ln: 4 });
  const attempts = createLoginAttempts({ db, key: seed, now });
  const users = createUsers({ db, passwords, attempts, now });
  const parts = { db, users, passwords, attempts, seed, issuer, now, ...given };
  const identity = createEmbeddedIdentity(parts);
  return {
    db,
    clock,
    users,
    identity,
    parts,
    tenants: createTenants({ db, now }),
    makeUser: (email: string, facts: Partial<NewUser> = {}) =>
      users.create({ email, password, ...facts }),
    logIn: async (email: string, typed = password, from = '192.0.2.1') => {
      const answer = await identity.login({ email, password: typed, from });
      if ('accessToken' in answer) return answer;
      throw new TypeError('An embedded login answers with tokens.');
    },
  };
}

/** Logins in the usage of all tenants. */
export async function countLogins(db: Db): Promise<number> {
  const isLogin = eq(usageCounters.counter, 'logins');
  const rows = await db.select().from(usageCounters).where(isLogin).all();
  return rows.reduce((sum, { amount }) => sum + amount, 0);
}
