/**
 * Users of an OpenID Connect provider: it stores their passwords and states with each
 * token what they may do. Ours are only an id for each person, the settings, and the right to disable a user.
 *
 * `revoke` ends what was issued before, here and at once. A session that goes on at the provider is known by the claim
 * `auth_time`; where its access tokens lack that, one that is refreshed there afterwards counts as a new login.
 */

import type { TokenSet } from '../../../contract/auth.ts';
import type { Db, Tx } from '../../../ports/db/database.ts';
import { ForensicsError } from '../../../errors.ts';
import type { Identity, Login } from '../identity.ts';
import { type Principal, unauthenticated } from '../principal.ts';
import type { UserRow, Users } from '../users.ts';
import { createAccounts } from './accounts.ts';
import { createProvider, type ProviderParts, type Refreshed } from './provider.ts';
import { type ClaimNames, createTokenReader, describePerson, type ReadToken } from './tokens.ts';

export interface OidcIdentityParts extends ProviderParts {
  readonly db: Db;
  readonly users: Pick<Users, 'info'>;
  /** What access tokens must be made for; null for the client itself. */
  readonly audience: string | null;
  readonly claims: ClaimNames;
  /** Runs in the transaction that first sees a login. */
  readonly onLogin?: (tx: Tx, login: Login) => Promise<void>;
}

/** Makes no request before its first call: a provider that is down stops no start. */
export function createOidcIdentity(parts: OidcIdentityParts): Identity {
  const { issuer, clientId, claims, users, now } = parts;
  const provider = createProvider(parts);
  const reader = createTokenReader({ ...parts, provider });
  const accounts = createAccounts(parts);

  async function bearer(accessToken: string): Promise<{ principal: Principal; token: ReadToken }> {
    const token = await reader.read('access', accessToken);
    const person = describePerson(token.claims, claims);
    const { userType, scopes } = person;
    if (userType === null) {
      throw unauthenticated(`The access token lacks the claim "${claims.userType}".`);
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

  /** @param refreshToken - the one that goes on being valid where the provider sends no other. */
  async function tokenSet(answer: Refreshed, refreshToken: string): Promise<TokenSet> {
    // The provider does not know whom we shut out, nor whose sessions were ended here.
    const { token } = await bearer(answer.accessToken);
    if (answer.idToken !== null) await holder(answer.idToken);
    return {
      accessToken: answer.accessToken,
      // OpenID Connect Core 1.0, section 12.2: it need not send one.
      idToken: answer.idToken ?? '',
      refreshToken: answer.refreshToken ?? refreshToken,
      tokenType: 'Bearer',
      expiresIn: secondsBetween(now(), token.expiresAt),
    };
  }

  return {
    kind: 'oidc',
    authenticate: async (accessToken) => (await bearer(accessToken)).principal,
    async login() {
      const facts = await provider.facts();
      return {
        issuer,
        clientId,
        authorizationEndpoint: facts.authorization_endpoint,
        tokenEndpoint: facts.token_endpoint,
        deviceAuthorizationEndpoint: facts.device_authorization_endpoint ?? null,
      };
    },
    refresh: async (refreshToken) => tokenSet(await provider.refresh(refreshToken), refreshToken),
    // Without offline_access some providers issue none: then the session lasts as long as its access token.
    exchange: async (grant) => tokenSet(await provider.exchange(grant), ''),
    end: (refreshToken) => provider.revoke(refreshToken),
    info: (principal) => users.info(principal),
    async verify(idToken) {
      await holder(idToken);
    },
    async revoke({ idToken, refreshToken }) {
      const { row, token } = await holder(idToken);
      const owner = await provider.ownerOf(refreshToken);
      if (owner !== undefined && owner !== token.subject) {
        throw unauthenticated('The refresh token does not belong to this user.');
      }
      // First there, then here: when the provider fails, the same tokens can be sent again.
      await provider.revoke(refreshToken);
      await accounts.endAccess(row.id, token);
    },
    async changePassword() {
      throw new ForensicsError(
        'not_offered',
        `Passwords are managed by the identity provider; change yours at ${issuer}.`,
      );
    },
  };
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000));
}
