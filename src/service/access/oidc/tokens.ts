/** Verifies a provider's tokens: signature, issuer, time and purpose. Knows nothing about accounts. */

import {
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyResult,
} from 'jose';
import { maxNameLength, maxTokenLength } from '../../../contract/limits.ts';
import { characterCount } from '../../../ports/db/database.ts';
import { ForensicsError } from '../../../contract/errors.ts';
import { compactToken, unauthenticated } from '../principal.ts';
import { isWord } from '../user-facts.ts';
import { defaultUserType } from '../users.ts';
import { type Provider, type ProviderParts, unavailable } from './provider.ts';

interface TokenReaderParts extends Pick<ProviderParts, 'clientId' | 'now'> {
  readonly provider: Pick<Provider, 'facts' | 'keys'>;
  /** The audience that access tokens must have; if null, the client itself. */
  readonly audience: string | null;
}

// No symmetric algorithm, and not `none`: anyone could forge a token, unsigned or signed with the public key.
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const toleranceSeconds = 30;
// OpenID Connect Core 1.0, section 2.
const longestSubject = 255;
// Control characters, and halves of surrogate pairs, which a database would all store as the same U+FFFD.
const unstorable = /[\p{Cc}\p{Cs}]/u;

export function createTokenReader({ provider, clientId, audience, now }: TokenReaderParts) {
  async function verified(token: string): Promise<JWTVerifyResult> {
    if (!compactToken.test(token)) throw unauthenticated('The token is not valid.');
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

  function assertAudience(kind: 'access' | 'id', claims: JWTPayload): void {
    const wanted = kind === 'id' ? clientId : (audience ?? clientId);
    const audiences = readAudiences(claims);
    // OpenID Connect Core 1.0, 3.1.3.7: with `azp`, or several audiences, it must be issued to this client.
    const isParty =
      claims['azp'] === undefined ? audiences.length === 1 : claims['azp'] === clientId;
    if (audiences.includes(wanted) && (kind === 'access' || isParty)) return;
    // Some providers give only the client and no audience; another client's token belongs to that client.
    const { aud, azp, client_id: client } = claims;
    const isOnlyForClient = aud === undefined && (azp ?? client) === clientId;
    if (kind === 'access' && audience === null && isOnlyForClient) return;
    throw unauthenticated(
      `The token was not issued for this service: "aud" must contain "${wanted}".`,
    );
  }

  return {
    /** @throws {ForensicsError} `unauthenticated`, `identity_unavailable`. */
    async read(kind: 'access' | 'id', token: string) {
      assertJwt(kind, token);
      const { protectedHeader, payload } = await verified(token).catch((error: unknown) => {
        throw translated(error);
      });
      const found = readKind(protectedHeader, payload);
      if (found !== kind && found !== 'either')
        throw unauthenticated(`This is not an ${kind} token.`);
      assertAudience(kind, payload);
      // RFC 9449, section 7.1: a token bound to a key must not be accepted as a bearer token. Proofs of possession are
      // not checked here, so anyone with a copy of the token could use it.
      if (payload['cnf'] !== undefined) {
        throw unauthenticated(
          'The token is bound to a key (DPoP or mutual TLS), which this service does not check; configure the identity provider to issue bearer tokens to this client.',
        );
      }
      // OpenID Connect Core 1.0, section 2: every id token has its client in `aud`. An access token that also has it
      // there must state its type; otherwise an id token, which is handed around more freely, would grant access.
      if (kind === 'access' && found === 'either' && readAudiences(payload).includes(clientId)) {
        throw unauthenticated(
          'This may be an id token: an access token with the client id in "aud" must have a "typ" header of at+jwt or a "scope" claim.',
        );
      }
      return toRead(payload, now());
    },
  };
}

function assertJwt(kind: 'access' | 'id', token: string): void {
  if (token.length > maxTokenLength) {
    throw unauthenticated(
      `The ${kind} token is longer than ${maxTokenLength} characters; configure the identity provider to put fewer groups or roles into it.`,
    );
  }
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return;
  throw unauthenticated(
    kind === 'id'
      ? 'The id token is not valid for this service.'
      : 'The access token is not a JWT; request one from the identity provider for the audience of this service.',
  );
}

function readAudiences({ aud = [] }: JWTPayload): readonly unknown[] {
  return [aud].flat();
}

export type ReadToken = ReturnType<typeof toRead>;

function toRead(claims: JWTPayload, at: Date) {
  const { iss = '', sub = '', iat = 0, exp = 0, auth_time, sid } = claims;
  const isSubject =
    typeof sub === 'string' && sub !== '' && sub.length <= longestSubject && !unstorable.test(sub);
  // A token from the future would stay valid after its session had been ended.
  const isPast = typeof iat === 'number' && iat * 1000 <= at.getTime() + toleranceSeconds * 1000;
  const expiresAt = toDate(exp);
  if (!isSubject || !isPast || Number.isNaN(expiresAt.getTime())) throw invalid();
  const loggedIn = typeof auth_time === 'number' && auth_time <= iat ? auth_time : null;
  return {
    issuer: iss,
    subject: sub,
    /** Since when the person is logged in, or else the issue time; a refresh keeps it (RFC 9068, section 2.2.1). */
    since: toDate(loggedIn ?? iat),
    /** When the person last authenticated; null if the token has no such claim. */
    loggedInAt: loggedIn === null ? null : toDate(loggedIn),
    sessionId: typeof sid === 'string' ? sid : null,
    expiresAt,
    claims,
  };
}

function toDate(seconds: number): Date {
  return new Date(seconds * 1000);
}

function translated(error: unknown): ForensicsError {
  if (error instanceof ForensicsError) return error;
  if (error instanceof errors.JWTExpired) {
    return unauthenticated('The token has expired; get a new one.');
  }
  // No cause is attached, because it could contain the token's claims.
  if (error instanceof errors.JOSEError) return invalid();
  // The only remaining cause is that the provider's key is unusable.
  return unavailable(error);
}

function invalid(): ForensicsError {
  return unauthenticated('The token is not valid for this service.');
}

/**
 * Whether a provider's token is an access token or an id token. There is no single marker, so all markers in use are
 * checked, the simple ones first.
 *
 * `either`: nothing in the token settles the question. `other`: made for another purpose, such as logout.
 */
type TokenKind = 'access' | 'id' | 'either' | 'other';

function readKind(header: Pick<JWTHeaderParameters, 'typ'>, payload: JWTPayload): TokenKind {
  const typ = readMark(header.typ ?? 'JWT').replace(/^application\//, '');
  // RFC 9068, section 2.1.
  if (typ === 'at+jwt') return 'access';
  if (typ !== 'jwt' || 'events' in payload) return 'other';
  // Keycloak writes `typ` into the payload, Cognito `token_use`.
  const word = readMark(payload['token_use'] ?? payload['typ'] ?? '');
  if (word === 'access' || word === 'bearer') return 'access';
  if (word === 'id') return 'id';
  if (word !== '' && word !== 'jwt') return 'other';
  if (['nonce', 'at_hash', 'c_hash', 's_hash'].some((claim) => claim in payload)) return 'id';
  if (['scope', 'scp'].some((claim) => claim in payload)) return 'access';
  return 'either';
}

function readMark(mark: unknown): string {
  return typeof mark === 'string' ? mark.toLowerCase() : 'unreadable';
}

/**
 * Reads what we need to know about a person from a token's claims, under the names in the settings.
 *
 * A name is either the exact name of a claim, or the path through nested claims:
 * `realm_access.roles`, `resource_access.my.client.roles`.
 */
export type ClaimNames = Readonly<Record<'scopes' | 'userType' | 'tenants', string>>;

export type Described = ReturnType<typeof describePerson>;

const longestEmail = 254;

/** Each member is null if the token has no such claim. */
export function describePerson(claims: JWTPayload, claimNames: ClaimNames) {
  // For display only, because people can change it.
  const username = readText(claims['preferred_username'], maxNameLength);
  const address = username?.includes('@') ? readText(username, longestEmail) : null;
  const userType = readClaim(claims, claimNames.userType);
  const groups = readWords(readClaim(claims, claimNames.tenants));
  // Keycloak's group path `/acme` means the tenant acme; `Forensic Lab` means forensic-lab. Only ASCII is converted: a
  // name that contains a Kelvin sign (whose lower case is k) or another kind of space belongs to another group.
  const names = groups.map((group) =>
    group
      .replace(/^\//, '')
      .replaceAll(/[A-Z]/g, (capital) => capital.toLowerCase())
      .replaceAll(/ +/g, '-'),
  );
  return {
    email: readText(claims['email'], longestEmail) ?? address,
    name: readText(claims['name'], maxNameLength) ?? username,
    userType: Array.isArray(userType) ? readRole(userType) : readText(userType, maxNameLength),
    /** Why `userType` is null. */
    isUserTypeMissing: userType === undefined,
    scopes: readWords(readClaim(claims, claimNames.scopes)),
    /** Names or ids of tenants, from the provider's groups, in the form that this service uses. */
    tenants: [...new Set([...groups, ...names])],
  };
}

/** Roles that Keycloak gives to everybody. */
const rolesOfEverybody = /^(?:offline_access|uma_authorization|default-roles-.*)$/;

/** Among several roles, the default user type if present, otherwise the first that can be a user type. */
function readRole(roles: readonly unknown[]): string | null {
  const words = readWords(roles).filter((role) => isWord(role) && !rolesOfEverybody.test(role));
  return words.find((role) => role === defaultUserType) ?? words[0] ?? null;
}

/** People choose their names at the provider, so a name that is not valid here counts as missing. */
function readText(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' || characterCount(text) > longest || unstorable.test(text) ? null : text;
}

/** The entries of a list, which may contain spaces, or the words of a string. */
function readWords(value: unknown): string[] {
  const list: readonly unknown[] =
    typeof value === 'string' ? value.split(/[\t-\r ]+/) : [value].flat();
  const words = list.flatMap((entry) =>
    typeof entry === 'string' ? entry.replaceAll(/^ +| +$/g, '') : [],
  );
  return [...new Set(words.filter((word) => word !== '' && !unstorable.test(word)))];
}

/** Reads a claim. Names on any level may themselves contain dots. */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    const found = Object.hasOwn(claims, outer)
      ? readClaim(Object(claims[outer]), name.slice(dot + 1))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
