/**
 * Identity without an external provider: accounts in our own database. A token names only the user and the session; all
 * permissions are read from the database on each request, so that anything an administrator revokes is gone at once.
 */

import { and, eq, sql } from 'drizzle-orm';
import type { TokenSet } from '../../../contract/auth.ts';
import { ForensicsError } from '../../../errors.ts';
import { type Db, transact, type Tx } from '../../../ports/db/database.ts';
import { sessions, users, userTenants } from '../../../ports/db/schema.ts';
import {
  type Identity,
  type Login,
  type Principal,
  toActor,
  unauthenticated,
} from '../principal.ts';
import { auditUser, normalisedEmail } from '../user-facts.ts';
import { embeddedRow, endAccess, findTenantIds, type UserRow, type Users } from '../users.ts';
import type { Passwords } from './passwords.ts';
import {
  createSessions,
  endSessions,
  isAlive,
  type OpenSession,
  type Sessions,
} from './sessions.ts';
import type { Attempt, LoginAttempts } from './throttle.ts';
import { accessLifeSeconds, createTokens, type Subject } from './tokens.ts';

interface EmbeddedIdentityParts extends Omit<LoginParts, 'sessions'> {
  readonly users: Pick<Users, 'info'>;
  /** 32 secret bytes from which the signing key is derived. */
  readonly seed: Uint8Array;
  /** Included in each token; tokens from another issuer are rejected. */
  readonly issuer: string;
}

export function createEmbeddedIdentity(parts: EmbeddedIdentityParts): Identity {
  const { db, now } = parts;
  const tokens = createTokens(parts);
  const openSessions = createSessions(parts);
  const logins = createLogins({ ...parts, sessions: openSessions });
  const findHolder = prepareFindHolder(db);

  /** The user of a live session. @throws {ForensicsError} `unauthenticated`. */
  async function holder({
    userId,
    sessionId,
  }: Subject): Promise<UserRow & Pick<Principal, 'tenantIds'>> {
    const rows = await findHolder.all({ sessionId });
    const [found] = rows;
    if (found?.user.id === userId && isAlive(found.session, now())) {
      return { ...found.user, tenantIds: rows.flatMap(({ tenantId }) => tenantId ?? []) };
    }
    throw unauthenticated('The session has ended; log in again.');
  }

  async function tokenSet(opened: OpenSession): Promise<TokenSet> {
    const bearer = { ...opened, ...(await holder(opened)) };
    return {
      accessToken: await tokens.sign('access', bearer),
      idToken: await tokens.sign('id', bearer),
      refreshToken: opened.refreshToken,
      tokenType: 'Bearer',
      expiresIn: accessLifeSeconds,
    };
  }

  return {
    kind: 'embedded',
    async authenticate(accessToken) {
      const subject = await tokens.read('access', accessToken);
      const { id, tenantIds, scopes, userType } = await holder(subject);
      return { type: 'user', id, tenantIds, scopes, userType, sessionId: subject.sessionId };
    },
    login: async (credentials) => tokenSet(await logins.login(credentials)),
    refresh: async (refreshToken) => tokenSet(await openSessions.refresh(refreshToken)),
    async exchange() {
      throw new ForensicsError(
        'not_offered',
        'This server has its own accounts; log in with a password.',
      );
    },
    async end(refreshToken) {
      await openSessions.end(refreshToken);
    },
    info: (principal) => parts.users.info(principal),
    async verify(idToken) {
      await holder(await tokens.read('id', idToken));
    },
    async revoke({ idToken, refreshToken }) {
      const { id } = await holder(await tokens.read('id', idToken));
      if ((await openSessions.ownerOf(refreshToken)) !== id) {
        throw unauthenticated('The refresh token does not belong to this user.');
      }
      await transact(db, (tx) => endAccess(tx, id, now()));
    },
    changePassword: (principal, passwords) => logins.changePassword(principal, passwords),
  };
}

/**
 * Runs on every request, so it is prepared once: one row for each of the user's tenants, or a
 * single row without tenants.
 */
function prepareFindHolder(db: Db) {
  return db
    .select({ user: users, session: sessions, tenantId: userTenants.tenantId })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(userTenants, eq(userTenants.userId, users.id))
    .where(eq(sessions.id, sql.placeholder('sessionId')))
    .prepare();
}

// The password side of embedded accounts: logging in with one, and changing it.

interface LoginParts {
  readonly db: Db;
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
  readonly sessions: Sessions;
  readonly now: () => Date;
  /** Runs in the transaction of each login. */
  readonly onLogin?: (tx: Tx, login: Login) => Promise<void>;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly from: string;
}

/** Both methods as `Identity` describes them, but without the tokens. */
function createLogins(parts: LoginParts) {
  const { db, passwords, attempts } = parts;

  /** Reserves capacity before an attempt is counted, so that every counted attempt has its password checked. */
  const withRoom = async <T>(from: string, act: () => Promise<T>): Promise<T> =>
    attempts.withSeat(from, () => passwords.withRoom(act));

  /** The account with this address, if the password is right and the account is not disabled. */
  async function checked(attempt: Attempt, password: string): Promise<UserRow | null> {
    await attempts.countAccount(attempt);
    const row = await embeddedRow(db, attempt.email);
    const isRight = await passwords.verify(password, row?.passwordHash ?? null);
    return isRight && row?.disabledAt === null ? row : null;
  }

  return {
    login: async ({ email, password, from }: Credentials): Promise<OpenSession> =>
      withRoom(from, async () => {
        const takeBack = attempts.countPlace(from);
        const row = await checked({ email: normalisedEmail(email), from }, password);
        const opened =
          row === null
            ? null
            : await openSession(parts, await upToDate(parts, row, password), from);
        if (opened === null) throw unauthenticated('The email address or the password is wrong.');
        takeBack();
        return opened;
      }),
    changePassword: async (
      principal: Principal,
      { currentPassword, newPassword }: Parameters<Identity['changePassword']>[1],
    ): Promise<void> => {
      const { email, name } = await findAccount(db, principal);
      passwords.assertUsable(newPassword, { email, name, currentPassword });
      // A stolen session that guesses passwords locks itself out, not the user.
      const from = `session ${principal.sessionId}`;
      await withRoom(from, async () => {
        const row = await checked({ email, from }, currentPassword);
        if (row === null) throw notChanged();
        await replacePassword(parts, principal, row, await passwords.hash(newPassword));
      });
    },
  };
}

/** Rehashes the password, which is only at hand now, when the cost has been raised since it was hashed. */
async function upToDate(
  { db, passwords }: LoginParts,
  row: UserRow,
  password: string,
): Promise<UserRow> {
  if (row.passwordHash === null || !passwords.isOutdated(row.passwordHash)) return row;
  const passwordHash = await passwords.hash(password);
  const isUnchanged = and(eq(users.id, row.id), eq(users.passwordHash, row.passwordHash));
  const { changes } = await db.update(users).set({ passwordHash }).where(isUnchanged).run();
  if (changes > 0) return { ...row, passwordHash };
  // Another login was faster, or the password was changed: only the stored hash counts.
  const standing = (await embeddedRow(db, row.email)) ?? row;
  return (await passwords.verify(password, standing.passwordHash)) ? standing : row;
}

/** @returns null when the account was changed while its password was being checked. */
async function openSession(
  { db, attempts, sessions: opened, now, onLogin }: LoginParts,
  { id, email, passwordHash }: UserRow,
  from: string,
): Promise<OpenSession | null> {
  return transact(db, async (tx) => {
    const row = await embeddedRow(tx, email);
    if (row?.passwordHash !== passwordHash || row.disabledAt !== null) return null;
    const at = now();
    await attempts.forgive(tx, { email, from });
    await tx.update(users).set({ lastLoginAt: at }).where(eq(users.id, id)).run();
    await onLogin?.(tx, { userId: id, tenantIds: await findTenantIds(tx, id), at });
    return opened.begin(tx, id);
  });
}

async function replacePassword(
  { db, attempts, now }: LoginParts,
  principal: Principal,
  { id, email, passwordHash: former }: UserRow,
  passwordHash: string,
): Promise<void> {
  await transact(db, async (tx) => {
    if ((await embeddedRow(tx, email))?.passwordHash !== former) throw notChanged();
    const at = now();
    await tx.update(users).set({ passwordHash }).where(eq(users.id, id)).run();
    await attempts.forgiveAccount(tx, email);
    await endSessions(tx, { userId: id, at, except: principal.sessionId });
    const act = { userId: id, at, by: toActor(principal) };
    await auditUser(tx, act, { event: 'user.password_changed', details: {} });
  });
}

async function findAccount(db: Db, { id }: Principal): Promise<UserRow> {
  const row = await db
    .select()
    .from(users)
    .where(eq(users.id, id ?? ''))
    .get();
  if (row?.issuer === null) return row;
  throw new ForensicsError(
    'forbidden',
    'Only a user with an account on this server has a password.',
  );
}

function notChanged(): ForensicsError {
  return new ForensicsError(
    'invalid_request',
    'The password was not changed: the current one is wrong.',
  );
}
