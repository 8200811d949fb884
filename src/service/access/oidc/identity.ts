/**
 * Users of an OpenID Connect provider, which stores their passwords and says in each token what they may do. We store
 * only an id for each person, their settings, and whether they are disabled here.
 *
 * `revoke` immediately invalidates, on this server, everything issued before. A session that continues at the provider
 * is recognised by the `auth_time` claim; without that claim, a session refreshed there afterwards counts as a new
 * login.
 */

import { isDeepStrictEqual } from 'node:util';
import { and, eq, inArray, isNull, or } from 'drizzle-orm';
import type { TokenSet } from '../../../contract/auth.ts';
import { notOffered } from '../../../contract/errors.ts';
import { type Db, foldText, type Reader, transact, type Tx } from '../../../ports/db/database.ts';
import { tenants, users } from '../../../ports/db/schema.ts';
import { service } from '../../audit/entry.ts';
import { type Identity, type Principal, unauthenticated } from '../principal.ts';
import { countLogin } from '../../usage/usage.ts';
import { auditUser } from '../user-facts.ts';
import { defaultUserType, endAccess, newRow, type UserRow, type Users } from '../users.ts';
import { createProvider, type Provider, type ProviderParts, type Refreshed } from './provider.ts';
import {
  type ClaimNames,
  createTokenReader,
  type Described,
  describePerson,
  type ReadToken,
} from './tokens.ts';

interface OidcIdentityParts extends ProviderParts {
  readonly db: Db;
  readonly users: Pick<Users, 'info'>;
  /** The audience that access tokens must have; if null, the client itself. */
  readonly audience: string | null;
  readonly claims: ClaimNames;
}

/** Makes no request before its first call, so that a provider that is down does not prevent the start. */
export function createOidcIdentity(parts: OidcIdentityParts): Identity {
  const { now } = parts;
  const provider = createProvider(parts);
  const accounts = createAccounts(parts);
  const { bearer, holder } = createAdmission(parts, provider, accounts);

  /** @param refreshToken - the current one, which stays valid unless the provider sends another. */
  async function tokenSet(answer: Refreshed, refreshToken: string): Promise<TokenSet> {
    // The provider does not know which users and sessions are disabled or ended here.
    const { token } = await bearer(answer.accessToken);
    if (answer.idToken !== null) await holder(answer.idToken);
    return {
      accessToken: answer.accessToken,
      // OpenID Connect Core 1.0, section 12.2: the provider need not send one.
      idToken: answer.idToken ?? '',
      refreshToken: answer.refreshToken ?? refreshToken,
      tokenType: 'Bearer',
      expiresIn: Math.max(0, Math.floor((token.expiresAt.getTime() - now().getTime()) / 1000)),
    };
  }

  return {
    kind: 'oidc',
    authenticate: async (accessToken) => (await bearer(accessToken)).principal,
    async login() {
      const facts = await provider.facts();
      return {
        issuer: parts.issuer,
        clientId: parts.clientId,
        authorizationEndpoint: facts.authorization_endpoint,
        tokenEndpoint: facts.token_endpoint,
        deviceAuthorizationEndpoint: facts.device_authorization_endpoint ?? null,
      };
    },
    refresh: async (refreshToken) => tokenSet(await provider.refresh(refreshToken), refreshToken),
    // Without offline_access, some providers issue no refresh token; the session ends with its access token.
    exchange: async (grant) => tokenSet(await provider.exchange(grant), ''),
    end: (refreshToken) => provider.revoke(refreshToken),
    info: (principal) => parts.users.info(principal),
    verify: async (idToken) => void (await holder(idToken)),
    async revoke({ idToken, refreshToken }) {
      const { row, token } = await holder(idToken);
      const owner = await provider.ownerOf(refreshToken);
      if (owner !== undefined && owner !== token.subject) {
        throw unauthenticated('The refresh token does not belong to this user.');
      }
      // Revoked at the provider first, then here. If the provider fails, the same tokens can be sent again.
      await provider.revoke(refreshToken);
      await accounts.endAccess(row.id, token);
    },
    async changePassword() {
      throw notOffered(
        `Passwords are managed by the identity provider; change yours at ${parts.issuer}.`,
      );
    },
  };
}

function createAdmission(parts: OidcIdentityParts, provider: Provider, accounts: Accounts) {
  const { claims } = parts;
  const reader = createTokenReader({ ...parts, provider });

  async function bearer(accessToken: string): Promise<{ principal: Principal; token: ReadToken }> {
    const token = await reader.read('access', accessToken);
    const person = describePerson(token.claims, claims);
    const { userType, scopes, isUserTypeMissing } = person;
    if (userType === null) {
      throw unauthenticated(
        isUserTypeMissing
          ? `The access token lacks the "${claims.userType}" claim.`
          : `The "${claims.userType}" claim of the access token contains no user type: it must be a word, or a list with one. Map a role to it at the identity provider.`,
      );
    }
    const tenantIds = await accounts.findTenantIds(person.tenants);
    const { id } = await accounts.admit({ token, person, tenantIds });
    const rights = { tenantIds, scopes, userType };
    return { principal: { type: 'user', id, ...rights, sessionId: token.sessionId }, token };
  }

  async function holder(idToken: string): Promise<{ row: UserRow; token: ReadToken }> {
    const token = await reader.read('id', idToken);
    const person = describePerson(token.claims, claims);
    return { row: await accounts.admit({ token, person, tenantIds: null }), token };
  }

  return { bearer, holder };
}

// The people who log in through an identity provider. Their rights come with each token; only their id, name, own
// settings and whether they are disabled are stored here.

type Accounts = ReturnType<typeof createAccounts>;

interface Seen {
  readonly token: ReadToken;
  readonly person: Described;
  /** Tenants for which the login counts; null for a token that people do not log in with. */
  readonly tenantIds: readonly string[] | null;
}

type AccountsParts = Pick<OidcIdentityParts, 'db' | 'now'>;

// Earlier than any token.
const ever = new Date(0);

function createAccounts(parts: AccountsParts) {
  const { db, now } = parts;
  return {
    /** For a token's person. @throws {ForensicsError} `unauthenticated` if disabled or logged out since. */
    async admit(seen: Seen) {
      const row = await findRow(db, seen.token);
      const isNews = row && !isDeepStrictEqual({ ...row, ...shownAs(row, seen.person) }, row);
      if (row === undefined || isNews || isLogin(row, seen)) {
        return transact(db, (tx) => bringUpToDate(parts, tx, seen));
      }
      assertNotEnded(row, seen.token);
      return row;
    },
    /** The tenants of this service that these names or ids refer to. */
    async findTenantIds(words: readonly string[]) {
      const meant = or(inArray(tenants.id, [...words]), inArray(tenants.name, [...words]));
      const which = and(meant, isNull(tenants.deletedAt));
      const rows = await db.select({ id: tenants.id }).from(tenants).where(which).all();
      return rows.map(({ id }) => id);
    },
    /** Invalidates this token, and every token the person got before it. */
    async endAccess(userId: string, { since }: ReadToken) {
      // The provider's clock may be ahead of ours.
      const at = new Date(Math.max(now().getTime(), since.getTime()));
      await transact(db, (tx) => endAccess(tx, userId, at));
    },
  };
}

async function bringUpToDate({ now }: AccountsParts, tx: Tx, seen: Seen) {
  const { token, person, tenantIds } = seen;
  const at = now();
  const known = await findRow(tx, token);
  const row = known ?? (await enter(tx, seen, at));
  assertNotEnded(row, token);
  const shown = shownAs(row, person);
  await tx.update(users).set(shown).where(eq(users.id, row.id)).run();
  if (known !== undefined) await tellOfChange(tx, at, known, shown);
  if (isLogin(row, seen)) {
    const lastLoginAt = token.loggedInAt ?? at;
    await tx.update(users).set({ lastLoginAt }).where(eq(users.id, row.id)).run();
    await countLogin(tx, tenantIds ?? [], at);
  }
  return { ...row, ...shown };
}

async function enter(tx: Tx, { token, person }: Seen, at: Date): Promise<UserRow> {
  const rights = { userType: person.userType ?? defaultUserType, scopes: [] };
  const known = { email: person.email ?? '', name: null, nameFolded: '', issuer: token.issuer };
  const row = { ...newRow(at), ...rights, ...known, subject: token.subject };
  const details = { identity: 'provider', ...rights } as const;
  const act = { userId: row.id, at, by: service };
  await auditUser(tx, act, { event: 'user.created', details });
  const stored = { ...row, tokensValidFrom: ever };
  return tx.insert(users).values(stored).returning().get();
}

/** The provider decides names and rights. An address is not a right, so it is not logged. */
async function tellOfChange(tx: Tx, at: Date, before: UserRow, after: ReturnType<typeof shownAs>) {
  const fields = (['name', 'userType'] as const).filter((one) => before[one] !== after[one]);
  if (fields.length === 0) return;
  const details = { fields, userType: after.userType, scopes: before.scopes };
  await auditUser(tx, { userId: before.id, at, by: service }, { event: 'user.changed', details });
}

async function findRow(reader: Reader, { issuer, subject }: ReadToken) {
  const which = and(eq(users.issuer, issuer), eq(users.subject, subject));
  return reader.select().from(users).where(which).get();
}

// The response is the same in both cases: a disabled user learns no more than one whose session has ended. Token times
// are rounded down to seconds, so a token from the second in which sessions ended counts as issued before.
function assertNotEnded({ disabledAt, tokensValidFrom }: UserRow, { since }: ReadToken): void {
  if (disabledAt === null && since > tokensValidFrom) return;
  throw unauthenticated(
    'The session has ended; log in again at the identity provider, with prompt=login.',
  );
}

/** Anything that a token omits stays as an earlier token set it. */
function shownAs(row: UserRow, { email, name, userType }: Described) {
  const shown = name ?? row.name;
  return {
    email: email ?? row.email,
    name: shown,
    nameFolded: foldText(shown ?? ''),
    userType: userType ?? row.userType,
  };
}

/** Recognises a login by an `auth_time` later than the last one; without that claim, only the first login. */
function isLogin({ lastLoginAt }: UserRow, { token, tenantIds }: Seen): boolean {
  if (tenantIds === null) return false;
  return lastLoginAt === null || (token.loggedInAt !== null && token.loggedInAt > lastLoginAt);
}
