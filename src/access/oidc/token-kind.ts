/**
 * Whether a token of a provider is an access token or an id token. Few say it in one way, so every mark that is in use
 * is read, the plain ones first.
 */

import type { JWTHeaderParameters, JWTPayload } from 'jose';

/** `either`: nothing in it tells. `other`: made for something else, such as a logout. */
export type TokenKind = 'access' | 'id' | 'either' | 'other';

export function kindOf(header: Pick<JWTHeaderParameters, 'typ'>, payload: JWTPayload): TokenKind {
  const typ = (header.typ ?? 'JWT').toLowerCase().replace(/^application\//, '');
  // RFC 9068, section 2.1.
  if (typ === 'at+jwt') return 'access';
  if (typ !== 'jwt' || 'events' in payload) return 'other';
  // Keycloak writes `typ` into the payload, Cognito `token_use`.
  const mark = payload['token_use'] ?? payload['typ'] ?? '';
  const word = typeof mark === 'string' ? mark.toLowerCase() : 'unreadable';
  if (word === 'access' || word === 'bearer') return 'access';
  if (word === 'id') return 'id';
  if (word !== '' && word !== 'jwt') return 'other';
  if (['nonce', 'at_hash', 'c_hash', 's_hash'].some((claim) => claim in payload)) return 'id';
  if (['scope', 'scp'].some((claim) => claim in payload)) return 'access';
  return 'either';
}
