/** Who is asking. Made by the access room, read by every act that records an actor. */

import type { LoginElsewhere, TokenSet, UserInfo } from '../../contract/auth.ts';
import type { ActorType } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import { type Actor, service } from '../audit/entry.ts';

export interface Principal {
  readonly type: ActorType;
  /** User object id, API key UUID, or null for the system. */
  readonly id: string | null;
  /** Tenants this principal may act for; one for an API key. */
  readonly tenantIds: readonly string[];
  readonly scopes: readonly string[];
  /** Claim `userType` of a user token; null for API keys. */
  readonly userType: string | null;
  /** The session of a user token; null for API keys and for tokens of a provider that names none. */
  readonly sessionId: string | null;
}

/** The scope without which a user changes no settings. */
export const settingsScope = 'settings';

export const systemPrincipal: Principal = {
  type: 'system',
  id: null,
  tenantIds: [],
  scopes: [],
  userType: null,
  sessionId: null,
};

/** As the audit log names a principal. */
export function toActor({ type, id }: Pick<Principal, 'type' | 'id'>): Actor {
  return type === 'system' ? service : { type, id };
}

/**
 * The answer to any credential that is not valid.
 *
 * @param message - alike for causes that callers must not distinguish, such as an unknown and a wrong one.
 */
export function unauthenticated(message: string): ForensicsError {
  return new ForensicsError('unauthenticated', message);
}

/** A signed token as RFC 7515, section 2, spells it: base64url without padding, three times. */
export const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

// The port behind which people are known: embedded accounts, or an identity provider (OpenID Connect). Every
// implementation keeps these promises:
// - `authenticate` takes an access token of this identity and no other, and refuses one whose session has ended;
// - an address with an account is indistinguishable from one without;
// - every user has an id of 24 hex digits, the same at every login.

/** A login as those hear of it who count. */
export interface Login {
  readonly userId: string;
  readonly tenantIds: readonly string[];
  readonly at: Date;
}

export interface CodeGrant {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

export interface Identity {
  readonly kind: 'embedded' | 'oidc';
  /**
   * Who sends this access token.
   *
   * @throws {ForensicsError} `unauthenticated` for a token that is malformed, expired, revoked, from another issuer, or
   * without the claim `userType`; `identity_unavailable` when the provider cannot be reached.
   */
  authenticate(accessToken: string): Promise<Principal>;
  /**
   * @param from - the caller's network address; too many failures from one place are slowed down.
   * @throws {ForensicsError} `unauthenticated` (alike for an unknown address, a wrong password and a disabled account),
   * `rate_limited` while an account or an address is locked, `identity_unavailable`.
   */
  login(credentials: {
    readonly email: string;
    readonly password: string;
    readonly from: string;
  }): Promise<TokenSet | LoginElsewhere>;
  /** A new set for a refresh token, which is used up by that. @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
  refresh(refreshToken: string): Promise<TokenSet>;
  /**
   * Tokens for what a provider sent a browser back with (RFC 6749, section 4.1; RFC 7636).
   *
   * @throws {ForensicsError} `unauthenticated`, `identity_unavailable`; `not_offered` where people log in here.
   */
  exchange(grant: CodeGrant): Promise<TokenSet>;
  /** Ends the session that a refresh token belongs to, or does nothing. @throws {ForensicsError} `identity_unavailable`. */
  end(refreshToken: string): Promise<void>;
  info(principal: Principal): Promise<UserInfo>;
  /** @throws {ForensicsError} `unauthenticated` when the id token is not valid now; `identity_unavailable`. */
  verify(idToken: string): Promise<void>;
  /** Ends the person's sessions on all devices. @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
  revoke(tokens: { readonly idToken: string; readonly refreshToken: string }): Promise<void>;
  /**
   * Also ends every other session of the person.
   *
   * @throws {ForensicsError} `invalid_request` for a wrong current or an unusable new password, and when the two are the
   * same; `not_offered` where the password is stored elsewhere; `rate_limited`.
   */
  changePassword(
    principal: Principal,
    passwords: { readonly currentPassword: string; readonly newPassword: string },
  ): Promise<void>;
}
