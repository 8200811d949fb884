/**
 * Identity without an external provider: accounts in our own database. A token identifies only the user and the
 * session; all permissions are read from the database on each request, so anything that an administrator revokes is
 * gone at once.
 */

import { eq, ne, sql } from 'drizzle-orm';
import type { TokenSet } from '../../../contract/auth.ts';
import { hasCode, forbidden, invalidRequest, notOffered } from '../../../contract/errors.ts';
import { type Clocked, type Reader, transact } from '../../../ports/db/database.ts';
import { sessions, users, userTenants } from '../../../ports/db/schema.ts';
import { type Identity, type Principal, toActor, unauthenticated } from '../principal.ts';
import { auditUser, normalisedEmail } from '../user-facts.ts';
import { embeddedRows, endAccess, findTenantIds, type UserRow, type Users } from '../users.ts';
import { countLogin } from '../../usage/usage.ts';
import type { Passwords } from './passwords.ts';
import {
  accessLifeSeconds,
  createSessions,
  createTokens,
  endSessions,
  isAlive,
  type OpenSession,
  type Sessions,
  type Subject,
} from './sessions.ts';
import type { LoginAttempts } from './throttle.ts';

export function createEmbeddedIdentity(
  parts: Omit<LoginParts, 'sessions'> &
    Parameters<typeof createTokens>[0] & { readonly users: Pick<Users, 'info'> },
): Identity {
  const { db, now } = parts;
  const tokens = createTokens(parts);
  const openSessions = createSessions(parts);
  const logins = createLogins({ ...parts, sessions: openSessions });
  // Prepared once, as it runs on every request. Finds a row for each of the user's tenants, or one if there are none.
  const findHolder = db
    .select({ user: users, session: sessions, tenantId: userTenants.tenantId })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(userTenants, eq(userTenants.userId, users.id))
    .where(eq(sessions.id, sql.placeholder('sessionId')))
    .prepare();

  /** The user of a live session. @throws {ForensicsError} `unauthenticated`. */
  async function holder({ userId, sessionId }: Subject) {
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
      throw notOffered('This server has its own accounts; log in with a password.');
    },
    end: (refreshToken) => openSessions.end(refreshToken),
    info: (principal) => parts.users.info(principal),
    verify: async (idToken) => void (await holder(await tokens.read('id', idToken))),
    async revoke({ idToken, refreshToken }) {
      const { id } = await holder(await tokens.read('id', idToken));
      if ((await openSessions.ownerOf(refreshToken)) !== id) {
        throw unauthenticated('The refresh token does not belong to this user.');
      }
      await transact(db, (tx) => endAccess(tx, id, now()));
    },
    changePassword: logins.changePassword,
  };
}

// The password side of embedded accounts: logging in with one, and changing it.

interface LoginParts extends Clocked {
  readonly passwords: Passwords;
  readonly attempts: LoginAttempts;
  readonly sessions: Sessions;
}

type Credentials = Parameters<Identity['login']>[0];

/** Both methods work as `Identity` describes, but return no tokens. */
function createLogins(parts: LoginParts) {
  const { db, passwords, attempts } = parts;

  /** Reserves capacity before an attempt is counted, so that every counted attempt has its password checked. */
  const withRoom = async <T>(from: string, act: () => Promise<T>): Promise<T> =>
    attempts.withSeat(from, () => passwords.withRoom(act));

  /** The account that the password belongs to; if there are several, the oldest. */
  async function checked({ email, password, from }: Credentials): Promise<UserRow | undefined> {
    const rows = await openAccounts(parts, normalisedEmail(email), from);
    const hashes = rows.flatMap(({ passwordHash }) => passwordHash ?? []);
    const right = await passwords.matching(password, hashes);
    return rows.find(
      ({ disabledAt, passwordHash }) => disabledAt === null && right.includes(passwordHash ?? ''),
    );
  }

  return {
    login: async (credentials: Credentials): Promise<OpenSession> => {
      const { from } = credentials;
      return withRoom(from, async () => {
        const takeBack = attempts.countPlace(from);
        const row = await checked(credentials);
        const opened = row && (await openSession(parts, row, from));
        if (!opened) throw unauthenticated('The email address or the password is wrong.');
        takeBack();
        return opened;
      });
    },
    changePassword: async (
      principal: Principal,
      { currentPassword, newPassword }: Parameters<Identity['changePassword']>[1],
    ): Promise<void> => {
      const account = await findAccount(db, principal);
      passwords.assertUsable(newPassword, { ...account, currentPassword });
      // Guessing passwords in a stolen session locks only that session, not the user.
      const from = `session ${principal.sessionId}`;
      await withRoom(from, async () => {
        await attempts.countAccount({ account: principal.id ?? '', from });
        const row = await findAccount(db, principal);
        const hashes = row.passwordHash === null ? [] : [row.passwordHash];
        const right = await passwords.matching(currentPassword, hashes);
        if (right.length === 0 || row.disabledAt !== null) throw notChanged();
        const passwordHash = await passwords.hash(newPassword, row.passwordHash);
        await replacePassword(parts, principal, row, passwordHash);
      });
    },
  };
}

/** Each account counts its own attempts; otherwise, setting the password of one account could unlock another. */
async function openAccounts({ db, attempts }: LoginParts, email: string, from: string) {
  const rows = await embeddedRows(db, email);
  if (rows.length === 0) await attempts.countAccount({ account: email, from });
  const open: UserRow[] = [];
  for (const row of rows) {
    try {
      await attempts.countAccount({ account: row.id, from });
      open.push(row);
    } catch (error) {
      const isLocked = hasCode(error, 'rate_limited');
      if (!isLocked || (row === rows.at(-1) && open.length === 0)) throw error;
    }
  }
  return open;
}

/** @returns null if the account was changed while its password was being checked. */
async function openSession(
  { db, attempts, sessions: opened, now }: LoginParts,
  { id, passwordHash }: UserRow,
  from: string,
): Promise<OpenSession | null> {
  return transact(db, async (tx) => {
    const row = await findAccount(tx, { id });
    if (row.passwordHash !== passwordHash || row.disabledAt !== null) return null;
    const at = now();
    await attempts.forgive(tx, { account: id, from });
    await tx.update(users).set({ lastLoginAt: at }).where(eq(users.id, id)).run();
    await countLogin(tx, await findTenantIds(tx, id), at);
    return opened.begin(tx, id);
  });
}

async function replacePassword(
  { db, attempts, now }: LoginParts,
  principal: Principal,
  { id, passwordHash: former }: UserRow,
  passwordHash: string,
): Promise<void> {
  await transact(db, async (tx) => {
    if ((await findAccount(tx, { id })).passwordHash !== former) throw notChanged();
    const at = now();
    await tx.update(users).set({ passwordHash }).where(eq(users.id, id)).run();
    await attempts.forgiveAccount(tx, id);
    const isOther = ne(sessions.id, principal.sessionId ?? '');
    await endSessions(tx, at, eq(sessions.userId, id), isOther);
    const act = { userId: id, at, by: toActor(principal) };
    const auditEvent = { event: 'user.password_changed', details: {} } as const;
    await auditUser(tx, act, auditEvent, await findTenantIds(tx, id));
  });
}

async function findAccount(reader: Reader, { id }: Pick<Principal, 'id'>): Promise<UserRow> {
  const which = eq(users.id, id ?? '');
  const row = await reader.select().from(users).where(which).get();
  if (row?.issuer === null) return row;
  throw forbidden('Only a user with an account on this server has a password.');
}

function notChanged() {
  return invalidRequest('The password was not changed: the current one is wrong.');
}
