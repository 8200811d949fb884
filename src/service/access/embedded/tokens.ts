/**
 * The signed tokens of embedded accounts: JWTs with Ed25519. The key is derived from the seed at
 * every start and never stored. The two kinds differ in `typ` and `aud`, so that an id token grants
 * no access and an access token proves no identity.
 */

import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { ForensicsError } from '../../../errors.ts';
import { compactToken, unauthenticated } from '../principal.ts';

/** The user a token is about. */
export interface Subject {
  readonly userId: string;
  readonly sessionId: string;
}

interface Bearer extends Subject {
  readonly email: string;
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
}

type TokenKind = 'access' | 'id';

/** Short, because a stolen token should not last; changes to an account apply at once in any case. */
export const accessLifeSeconds = 15 * 60;

const kinds = {
  /** RFC 9068. */
  access: { typ: 'at+jwt', audience: 'forensics-api', lifeSeconds: accessLifeSeconds },
  id: { typ: 'JWT', audience: 'forensics', lifeSeconds: 60 * 60 },
} as const;

const algorithm = 'EdDSA';

interface TokenParts {
  /** 32 secret bytes, the private key of RFC 8032. */
  readonly seed: Uint8Array;
  readonly issuer: string;
  readonly now: () => Date;
}

export function createTokens({ seed, issuer, now }: TokenParts) {
  const { privateKey, publicKey, kid } = keysFrom(seed);

  return {
    async sign(kind: TokenKind, bearer: Bearer) {
      const { typ, audience, lifeSeconds } = kinds[kind];
      const { SignJWT } = await library();
      const issuedAt = Math.floor(now().getTime() / 1000);
      return new SignJWT(buildClaims(kind, bearer))
        .setProtectedHeader({ alg: algorithm, typ, kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(bearer.userId)
        .setJti(crypto.randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .sign(privateKey);
    },
    /**
     * Verifies signature, kind, issuer and expiry; the caller checks whether the session is still live.
     *
     * @throws {ForensicsError} `unauthenticated`, also if the `userType` claim is absent.
     */
    async read(kind: TokenKind, token: string) {
      const { typ, audience } = kinds[kind];
      const options = {
        algorithms: [algorithm],
        requiredClaims: ['exp', 'iat'],
        typ,
        audience,
        issuer,
        currentDate: now(),
      };
      // The library also accepts padding and characters outside the alphabet, but a token must have only one spelling.
      if (!compactToken.test(token)) throw invalid();
      const { errors, jwtVerify } = await library();
      try {
        const { payload, protectedHeader } = await jwtVerify(token, publicKey, options);
        // Our tokens have no extensions, not even those that the library knows.
        if (protectedHeader.crit !== undefined) throw invalid();
        return readSubject(payload);
      } catch (error) {
        if (error instanceof errors.JWTExpired) {
          throw unauthenticated('The token has expired; get a new one.');
        }
        // No cause is attached, because it could contain the token's claims.
        throw error instanceof errors.JOSEError ? invalid() : error;
      }
    },
  };
}

/** Loaded with the first token, because machine clients use keys. */
const library = () => import('jose');

// RFC 8410: the fixed header of an Ed25519 key in PKCS #8; the 32 bytes of the seed follow.
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

function keysFrom(seed: Uint8Array) {
  if (seed.length !== 32) throw new RangeError('The seed of an Ed25519 key must be 32 bytes long.');
  const der = Buffer.concat([pkcs8Head, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const kid = createHash('sha256').update(spki).digest('base64url').slice(0, 16);
  return { privateKey, publicKey, kid };
}

function buildClaims(
  kind: TokenKind,
  { sessionId, userType, scopes, email, name }: Bearer,
): JWTPayload {
  const common = { sid: sessionId, userType };
  return kind === 'access'
    ? { ...common, scope: scopes.join(' ') }
    : { ...common, email, ...(name === null ? {} : { name }) };
}

function readSubject({ sub, sid, userType }: JWTPayload): Subject {
  if (typeof sub === 'string' && typeof sid === 'string' && typeof userType === 'string') {
    return { userId: sub, sessionId: sid };
  }
  throw unauthenticated('The token lacks a claim: sub, sid or userType.');
}

function invalid(): ForensicsError {
  return unauthenticated('The token is not valid for this service.');
}
