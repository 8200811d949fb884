/** The password side of embedded accounts: opening a session with one, and changing it. */

import { and, eq } from 'drizzle-orm';
import { type Db, transact, type Tx } from '../../../ports/db/database.ts';
import { users } from '../../../ports/db/schema.ts';
import { ForensicsError } from '../../../errors.ts';
import type { Login } from '../identity.ts';
import { toActor, type Principal, unauthenticated } from '../principal.ts';
import { normalisedEmail, auditUser } from '../user-facts.ts';
import { embeddedRow, findTenantIds, type UserRow } from '../users.ts';
import type { Passwords } from './passwords.ts';
import { endSessions, type OpenSession, type Sessions } from './sessions.ts';
import type { Attempt, LoginAttempts } from './throttle.ts';

export interface LoginParts {
  readonly db: Db;
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
  readonly sessions: Sessions;
  readonly now: () => Date;
  /** Runs in the transaction of each login. */
  readonly onLogin?: (tx: Tx, login: Login) => Promise<void>;
}

/** Both verbs as `Identity` promises them, but for the tokens. */
interface Logins {
  login(credentials: {
    readonly email: string;
    readonly password: string;
    readonly from: string;
  }): Promise<OpenSession>;
  changePassword(
    principal: Principal,
    passwords: { readonly currentPassword: string; readonly newPassword: string },
  ): Promise<void>;
}

export function createLogins(parts: LoginParts): Logins {
  const { db, passwords, attempts, sessions, now, onLogin = async () => undefined } = parts;

  /** Taken before an attempt is counted: every one that is has its password checked. */
  const withRoom = async <T>(from: string, act: () => Promise<T>): Promise<T> =>
    attempts.withSeat(from, () => passwords.withRoom(act));

  /** The account of an address, when this is its password and it is not disabled. */
  async function checked(attempt: Attempt, password: string): Promise<UserRow | null> {
    await attempts.countAccount(attempt);
    const row = await embeddedRow(db, attempt.email);
    const isRight = await passwords.verify(password, row?.passwordHash ?? null);
    return isRight && row?.disabledAt === null ? row : null;
  }

  /** Costs have grown since the hash was made: now the password is at hand to make a new one. */
  async function upToDate(row: UserRow, password: string): Promise<UserRow> {
    if (row.passwordHash === null || !passwords.isOutdated(row.passwordHash)) return row;
    const passwordHash = await passwords.hash(password);
    const isUnchanged = and(eq(users.id, row.id), eq(users.passwordHash, row.passwordHash));
    const { changes } = await db.update(users).set({ passwordHash }).where(isUnchanged).run();
    if (changes > 0) return { ...row, passwordHash };
    // Another login was faster, or the password was changed: only the present hash counts.
    const standing = (await embeddedRow(db, row.email)) ?? row;
    return (await passwords.verify(password, standing.passwordHash)) ? standing : row;
  }

  /** @returns null when the account was changed while its password was looked at. */
  async function begin(
    { id, email, passwordHash }: UserRow,
    from: string,
  ): Promise<OpenSession | null> {
    return transact(db, async (tx) => {
      const row = await embeddedRow(tx, email);
      if (row?.passwordHash !== passwordHash || row.disabledAt !== null) return null;
      const at = now();
      await attempts.forgive(tx, { email, from });
      await tx.update(users).set({ lastLoginAt: at }).where(eq(users.id, id)).run();
      await onLogin(tx, { userId: id, tenantIds: await findTenantIds(tx, id), at });
      return sessions.begin(tx, id);
    });
  }

  return {
    login: async ({ email, password, from }) =>
      withRoom(from, async () => {
        const takeBack = attempts.countPlace(from);
        const row = await checked({ email: normalisedEmail(email), from }, password);
        const opened = row === null ? null : await begin(await upToDate(row, password), from);
        if (opened === null) throw unauthenticated('The e-mail address or the password is wrong.');
        takeBack();
        return opened;
      }),
    async changePassword(principal, { currentPassword, newPassword }) {
      const { id, email, name } = await findAccount(db, principal);
      passwords.assertUsable(newPassword, { email, name, currentPassword });
      // A stolen session that guesses locks itself out, not the person's logins.
      const from = `session ${principal.sessionId}`;
      await withRoom(from, async () => {
        const row = await checked({ email, from }, currentPassword);
        if (row === null) throw notChanged();
        const passwordHash = await passwords.hash(newPassword);
        await transact(db, async (tx) => {
          if ((await embeddedRow(tx, email))?.passwordHash !== row.passwordHash) throw notChanged();
          const at = now();
          await tx.update(users).set({ passwordHash }).where(eq(users.id, id)).run();
          await attempts.forgiveAccount(tx, email);
          await endSessions(tx, { userId: id, at, except: principal.sessionId });
          const act = { userId: id, at, by: toActor(principal) };
          await auditUser(tx, act, { event: 'user.password_changed', details: {} });
        });
      });
    },
  };
}

async function findAccount(db: Db, { id }: Principal): Promise<UserRow> {
  const row = await db
    .select()
    .from(users)
    .where(eq(users.id, id ?? ''))
    .get();
  if (row?.issuer === null) return row;
  throw new ForensicsError('forbidden', 'Only a person with an account here has a password.');
}

function notChanged(): ForensicsError {
  return new ForensicsError(
    'invalid_request',
    'The password was not changed: the current one is wrong.',
  );
}
