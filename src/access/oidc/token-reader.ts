/** Verifies a provider's tokens: signature, issuer, time, what they are for. Who the person is here, the accounts know. */

import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyResult } from 'jose';
import { ForensicsError } from '../../errors.ts';
import { unauthenticated } from '../unauthenticated.ts';
import { unavailable } from './provider.ts';
import type { Provider } from './provider.ts';
import { kindOf } from './token-kind.ts';

export interface ReadToken {
  readonly issuer: string;
  readonly subject: string;
  /**
   * Since when the person has been logged in without a break; the token's own age where it does not tell. A refreshed
   * token keeps it (RFC 9068, section 2.2.1), which is how one of a session that was ended is known.
   */
  readonly since: Date;
  /** When the person last proved who he is; null where the token does not tell. */
  readonly loggedInAt: Date | null;
  readonly sessionId: string | null;
  readonly expiresAt: Date;
  readonly claims: JWTPayload;
}

export interface TokenReader {
  /** @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
  read(kind: 'access' | 'id', token: string): Promise<ReadToken>;
}

export interface TokenReaderParts {
  readonly provider: Pick<Provider, 'facts' | 'keys'>;
  readonly clientId: string;
  /** What access tokens must be made for; null for the client itself. */
  readonly audience: string | null;
  readonly now: () => Date;
}

// No `none`, and nothing symmetric: with those, the public key or the client's secret would sign.
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const toleranceSeconds = 30;
// OpenID Connect Core 1.0, section 2.
const longestSubject = 255;

export function createTokenReader({
  provider,
  clientId,
  audience,
  now,
}: TokenReaderParts): TokenReader {
  async function verified(token: string): Promise<JWTVerifyResult> {
    const { issuer } = await provider.facts();
    const options = {
      algorithms,
      issuer,
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: toleranceSeconds,
      currentDate: now(),
    };
    try {
      return await jwtVerify(token, await provider.keys.current(), options);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return jwtVerify(token, await provider.keys.renewed(), options);
    }
  }

  function refuseUnlessFor(kind: 'access' | 'id', claims: JWTPayload): void {
    const wanted = kind === 'id' ? clientId : (audience ?? clientId);
    if (audiencesOf(claims).includes(wanted) && isParty(kind, claims, clientId)) return;
    if (kind === 'access' && audience === null && isOnlyForClient(claims, clientId)) return;
    throw unauthenticated(`The token is not made for this service: "aud" must hold "${wanted}".`);
  }

  return {
    async read(kind, token) {
      refuseUnlessJwt(kind, token);
      const { protectedHeader, payload } = await verified(token).catch((error: unknown) => {
        throw translated(error);
      });
      const found = kindOf(protectedHeader, payload);
      if (found !== kind && found !== 'either') throw unauthenticated(`This is no ${kind} token.`);
      refuseUnlessFor(kind, payload);
      if (kind === 'access' && found === 'either') refuseIfIdTokenOf(clientId, payload);
      return toRead(payload, now());
    },
  };
}

function refuseUnlessJwt(kind: 'access' | 'id', token: string): void {
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return;
  throw unauthenticated(
    kind === 'id'
      ? 'The id token is not valid here.'
      : 'The access token is no JWT; ask the identity provider for one that is made for this service.',
  );
}

function audiencesOf({ aud = [] }: JWTPayload): readonly string[] {
  return typeof aud === 'string' ? [aud] : aud;
}

/** OpenID Connect Core 1.0, section 3.1.3.7: an id token that says to whom it was issued, or is for several, is for him. */
function isParty(kind: 'access' | 'id', claims: JWTPayload, clientId: string): boolean {
  if (kind === 'access') return true;
  const { azp } = claims;
  return azp === undefined ? audiencesOf(claims).length === 1 : azp === clientId;
}

/**
 * OpenID Connect Core 1.0, section 2: every id token names its client in `aud`. An access token that does so too must
 * say what it is, or the id token, which is shown around more freely, would open the interface.
 */
function refuseIfIdTokenOf(clientId: string, claims: JWTPayload): void {
  if (!audiencesOf(claims).includes(clientId)) return;
  throw unauthenticated(
    'This may be an id token: an access token with the client id in "aud" must have the header "typ" at+jwt or a claim "scope".',
  );
}

// Some providers name no audience and only the client; a token that names somebody else is his.
function isOnlyForClient({ aud, azp, client_id }: JWTPayload, clientId: string): boolean {
  return aud === undefined && (azp ?? client_id) === clientId;
}

function toRead(claims: JWTPayload, at: Date): ReadToken {
  const { iss = '', sub = '', iat = 0, exp = 0, auth_time, sid } = claims;
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= longestSubject;
  // From the future it would outlive every end of sessions.
  const isPast = typeof iat === 'number' && iat * 1000 <= at.getTime() + toleranceSeconds * 1000;
  if (!isSubject || !isPast) throw invalid();
  const loggedIn = typeof auth_time === 'number' && auth_time <= iat ? auth_time : null;
  return {
    issuer: iss,
    subject: sub,
    since: dateOf(loggedIn ?? iat),
    loggedInAt: loggedIn === null ? null : dateOf(loggedIn),
    sessionId: typeof sid === 'string' ? sid : null,
    expiresAt: dateOf(exp),
    claims,
  };
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

function translated(error: unknown): ForensicsError {
  if (error instanceof ForensicsError) return error;
  if (error instanceof errors.JWTExpired) {
    return unauthenticated('The token has expired; get a new one.');
  }
  // No cause: it can hold the token's claims.
  if (error instanceof errors.JOSEError) return invalid();
  // What is left is a key of the provider that is no key.
  return unavailable(error);
}

function invalid(): ForensicsError {
  return unauthenticated('The token is not valid here.');
}
