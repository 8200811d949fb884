/**
 * The port behind which people are known: embedded accounts, or an identity provider (OpenID Connect). Every
 * implementation keeps these promises:
 * - `authenticate` takes an access token of this identity and no other, and refuses one whose session has ended;
 * - nothing tells an address that has an account from one that has none;
 * - every user has an id of 24 hex digits, the same at every login.
 */

import type { Principal } from './principal.ts';

/** The answer of a login or a refresh. */
export interface TokenSet {
  readonly accessToken: string;
  /** Empty after a refresh at a provider that sends none; the one of the login is good until its end. */
  readonly idToken: string;
  readonly refreshToken: string;
  readonly tokenType: 'Bearer';
  /** Seconds that the access token lives. */
  readonly expiresIn: number;
}

/** A login as those hear of it who count. */
export interface Login {
  readonly userId: string;
  readonly tenantIds: readonly string[];
  readonly at: Date;
}

/** Where a person logs in when that does not happen here. */
export interface LoginElsewhere {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly deviceAuthorizationEndpoint: string | null;
}

export interface UserSettings {
  /** Preferred language: an ISO 639-1 code, with an optional region, such as `de` or `en-GB`. */
  readonly lang: string;
  readonly tosAccepted: boolean;
}

/** A person as `info` answers. */
export interface UserInfo {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
  /** Names of the tenants that the person may act for. */
  readonly tenants: readonly string[];
  readonly settings: UserSettings;
}

export interface Identity {
  readonly kind: 'embedded' | 'oidc';
  /**
   * Who sends this access token.
   *
   * @throws {ForensicsError} `unauthenticated` for a token that is malformed, expired, revoked, of somebody else, or
   * without the claim `userType`; `identity_unavailable` when the provider cannot be asked.
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
  info(principal: Principal): Promise<UserInfo>;
  /** @throws {ForensicsError} `unauthenticated` when the id token is not valid now; `identity_unavailable`. */
  verify(idToken: string): Promise<void>;
  /** Ends the person's sessions on all devices. @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
  revoke(tokens: { readonly idToken: string; readonly refreshToken: string }): Promise<void>;
  /**
   * Also ends every other session of the person.
   *
   * @throws {ForensicsError} `invalid_request` for a wrong current or an unusable new password, and when the two are the
   * same; `not_offered` where the password is kept elsewhere; `rate_limited`.
   */
  changePassword(
    principal: Principal,
    passwords: { readonly currentPassword: string; readonly newPassword: string },
  ): Promise<void>;
}
