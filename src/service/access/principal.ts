/** Who is making a request. Created by the access module, read by every operation that records an actor. */

import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { LoginElsewhere, TokenSet, UserInfo } from '../../contract/auth.ts';
import type { ActorType } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../contract/errors.ts';
import { type Actor, service } from '../audit/entry.ts';

export interface Principal {
  readonly type: ActorType;
  /** User id, API key UUID, or null for the system. */
  readonly id: string | null;
  /** Tenants this principal may act for; exactly one for an API key. */
  readonly tenantIds: readonly string[];
  readonly scopes: readonly string[];
  /** The `userType` claim of a user token; null for API keys. */
  readonly userType: string | null;
  /** The session of a user token; null for API keys, and for tokens from a provider that states no session. */
  readonly sessionId: string | null;
}

/** A user without this scope can change no settings. */
export const settingsScope = 'settings';

export const systemPrincipal: Principal = {
  type: 'system',
  id: null,
  tenantIds: [],
  scopes: [],
  userType: null,
  sessionId: null,
};

/** Who acted, as recorded in the audit log. */
export function toActor({ type, id }: Pick<Principal, 'type' | 'id'> | Actor): Actor {
  return type === 'system' ? service : { type, id };
}

/** The response to any invalid credential. @param message - the same for causes that callers must not tell apart. */
export function unauthenticated(message: string): ForensicsError {
  return new ForensicsError('unauthenticated', message);
}

/** A signed token in the form of RFC 7515, section 2: three parts in base64url without padding. */
export const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

// The format of an API key: `sk-<tag>-<random><check>`.

/** Every key begins with this, and no token does. */
export const keyPrefix = 'sk-';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 62^32 = 2^190.5, more than the 160 bits that we promise.
const randomLength = 32;
// 62^6 > 2^32, so a CRC-32 fits. It catches typing errors without a query; it is no security measure.
const checkLength = 6;
const keyPattern = new RegExp(
  `^sk-([a-z0-9]{1,16})-([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checkLength}})$`,
);

export function newSecret(tag: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('');
  return `sk-${tag}-${random}${checksum(tag, random)}`;
}

/** The tag of a well-formed key with a valid check suffix; null for anything else. */
export function readTag(secret: string): string | null {
  const parts = keyPattern.exec(secret);
  if (parts === null) return null;
  const [, tag, random, check] = parts;
  return check === checksum(tag!, random!) ? tag! : null;
}

function checksum(tag: string, random: string): string {
  let rest = crc32(`sk-${tag}-${random}`);
  let text = '';
  for (let digit = 0; digit < checkLength; digit++) {
    text = alphabet[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

// The port for user identities: embedded accounts, or an identity provider (OpenID Connect). Every
// implementation keeps these promises: - `authenticate` accepts only an access token of this
// identity, and rejects one whose session has ended; - callers cannot tell whether an address has
// an account; - every user has an id of 24 hex digits, the same at every login.

export type CodeGrant = Readonly<Record<'code' | 'codeVerifier' | 'redirectUri', string>>;

export interface Identity {
  readonly kind: 'embedded' | 'oidc';
  /**
   * Identifies the sender of an access token.
   *
   * @throws {ForensicsError} `unauthenticated` for a token that is malformed, expired, revoked, from another issuer, or
   *   without the `userType` claim; `identity_unavailable` if the provider cannot be reached.
   */
  authenticate(accessToken: string): Promise<Principal>;
  /**
   * @param from - the caller's network address; too many failures from one place are slowed down.
   * @throws {ForensicsError} `unauthenticated` (the same for an unknown address, a wrong password and a disabled
   *   account), `rate_limited` while an account or an address is locked, `identity_unavailable`.
   */
  login(credentials: {
    readonly email: string;
    readonly password: string;
    readonly from: string;
  }): Promise<TokenSet | LoginElsewhere>;
  /** The token cannot be used again. @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
  refresh(refreshToken: string): Promise<TokenSet>;
  /** For an authorisation code (RFC 6749, 4.1; RFC 7636). @throws as `login`; `not_offered` with embedded accounts. */
  exchange(grant: CodeGrant): Promise<TokenSet>;
  /** Ends the session that a refresh token belongs to, if any. @throws {ForensicsError} `identity_unavailable`. */
  end(refreshToken: string): Promise<void>;
  info(principal: Principal): Promise<UserInfo>;
  /** @throws {ForensicsError} `unauthenticated` if the id token is not valid now; `identity_unavailable`. */
  verify(idToken: string): Promise<void>;
  /** Ends the person's sessions on all devices. @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
  revoke(tokens: { readonly idToken: string; readonly refreshToken: string }): Promise<void>;
  /**
   * Also ends the person's other sessions.
   *
   * @throws {ForensicsError} `invalid_request` for a wrong current password, an unusable new one, or if the two are the
   *   same; `not_offered` if the password is stored elsewhere; `rate_limited`.
   */
  changePassword(
    principal: Principal,
    passwords: { readonly currentPassword: string; readonly newPassword: string },
  ): Promise<void>;
}
