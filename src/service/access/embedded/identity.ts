/**
 * The identity without a provider: accounts in our own database. A token names the user and the session; everything it
 * permits is read from the database at each request, so that what an administrator takes away is gone at once.
 */

import { eq, sql } from 'drizzle-orm';
import type { TokenSet } from '../../../contract/auth.ts';
import { type Db, transact } from '../../../ports/db/database.ts';
import { sessions, users, userTenants } from '../../../ports/db/schema.ts';
import { ForensicsError } from '../../../errors.ts';
import type { Identity } from '../identity.ts';
import { type Principal, unauthenticated } from '../principal.ts';
import { endAccess, type UserRow, type Users } from '../users.ts';
import { createLogins, type LoginParts } from './logins.ts';
import { createSessions, isAlive, type OpenSession } from './sessions.ts';
import { accessLifeSeconds, createTokens, type Subject } from './tokens.ts';

export interface EmbeddedIdentityParts extends Omit<LoginParts, 'sessions'> {
  readonly users: Pick<Users, 'info'>;
  /** 32 secret bytes, from which the signing key is made. */
  readonly seed: Uint8Array;
  /** Stands in each token; tokens of another issuer are refused. */
  readonly issuer: string;
}

export function createEmbeddedIdentity(parts: EmbeddedIdentityParts): Identity {
  const { db, now } = parts;
  const tokens = createTokens(parts);
  const openSessions = createSessions(parts);
  const logins = createLogins({ ...parts, sessions: openSessions });
  const findHolder = prepareFindHolder(db);

  /** Whose session it is, while it lives. @throws {ForensicsError} `unauthenticated`. */
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
      throw new ForensicsError('not_offered', 'Accounts are kept here: log in with a password.');
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

/** Asked on every request: a session and its person, a row for each tenant of the person, one when there is none. */
function prepareFindHolder(db: Db) {
  return db
    .select({ user: users, session: sessions, tenantId: userTenants.tenantId })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(userTenants, eq(userTenants.userId, users.id))
    .where(eq(sessions.id, sql.placeholder('sessionId')))
    .prepare();
}
