/**
 * Sessions of embedded accounts and their refresh tokens. Ending a session's row ends the session everywhere at once,
 * because signed tokens only refer to it.
 *
 * A refresh token works once. If it turns up again, the thief and the owner cannot be told apart, so the whole session
 * ends (RFC 9700, section 4.14.2). There is no grace period: if two requests refresh with the same token, the first
 * succeeds and the second ends the session for both. A client therefore runs one refresh at a time, and logs in again
 * if a response is lost.
 *
 * Signed tokens are JWTs with Ed25519. The key is derived from the seed at every start and never stored. The two kinds
 * differ in `typ` and `aud`, so that an id token grants no access and an access token proves no identity.
 */

import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { and, eq, isNull, lt, or, type SQL } from 'drizzle-orm';
import type { JWTPayload } from 'jose';
import { type Clocked, type Db, newId, transact, type Tx } from '../../../ports/db/database.ts';
import { refreshTokens, sessions, type users } from '../../../ports/db/schema.ts';
import { compactToken, unauthenticated } from '../principal.ts';
import type { ForensicsError } from '../../../contract/errors.ts';
import { purgeLoginAttempts } from './throttle.ts';

export interface OpenSession extends Subject {
  readonly refreshToken: string;
}

export type Sessions = ReturnType<typeof createSessions>;

const dayMs = 86_400_000;
const sessionLifeMs = 30 * dayMs;
/** Longest time from one refresh to the next. */
const idleLifeMs = 14 * dayMs;
const keptAfterEndMs = 30 * dayMs;

export function createSessions({ db, now }: Clocked) {
  return {
    async begin(tx: Tx, userId: string) {
      const createdAt = now();
      const sessionId = newId(createdAt);
      const expiresAt = after(createdAt, sessionLifeMs);
      await tx.insert(sessions).values({ id: sessionId, userId, createdAt, expiresAt }).run();
      return { userId, sessionId, refreshToken: await issue(tx, sessionId, createdAt) };
    },
    /** @throws {ForensicsError} `unauthenticated` for an unknown, used or expired token, or an ended session. */
    async refresh(refreshToken: string) {
      // Thrown only after the transaction, so that ending the session is not rolled back with it.
      const opened = await transact(db, (tx) => rotate(tx, refreshToken, now()));
      if (opened !== null) return opened;
      throw unauthenticated('The refresh token is not valid; log in again.');
    },
    /** Ends the session of a token; does nothing for an unknown one. */
    async end(refreshToken: string) {
      await transact(db, async (tx) => {
        const found = await find(tx, refreshToken);
        if (found === undefined) return;
        await endSessions(tx, now(), eq(sessions.id, found.session.id));
      });
    },
    /** The user a token belongs to, whether or not it is still valid; null for an unknown one. */
    ownerOf: async (refreshToken: string) => (await find(db, refreshToken))?.session.userId ?? null,
  };
}

/** Ends the sessions that match all of `which`, of which there must be one: without any, everybody's would end. */
export async function endSessions(tx: Tx, at: Date, ...which: [SQL, ...SQL[]]): Promise<void> {
  const isOpen = and(...which, isNull(sessions.revokedAt));
  await tx.update(sessions).set({ revokedAt: at }).where(isOpen).run();
}

export function isAlive(session: typeof sessions.$inferSelect, at: Date): boolean {
  return session.revokedAt === null && session.expiresAt > at;
}

async function rotate(tx: Tx, refreshToken: string, at: Date): Promise<OpenSession | null> {
  const found = await find(tx, refreshToken);
  if (found === undefined) return null;
  const { token, session } = found;
  if (token.usedAt !== null) {
    await endSessions(tx, at, eq(sessions.id, session.id));
    return null;
  }
  if (!isAlive(session, at) || token.expiresAt <= at) return null;
  const isIt = eq(refreshTokens.digest, token.digest);
  await tx.update(refreshTokens).set({ usedAt: at }).where(isIt).run();
  const { userId, id: sessionId } = session;
  return { userId, sessionId, refreshToken: await issue(tx, sessionId, at) };
}

async function issue(tx: Tx, sessionId: string, createdAt: Date): Promise<string> {
  const refreshToken = `rt-${randomBytes(32).toString('base64url')}`;
  const expiresAt = after(createdAt, idleLifeMs);
  const row = { digest: hashToken(refreshToken), sessionId, createdAt, expiresAt };
  await tx.insert(refreshTokens).values(row).run();
  return refreshToken;
}

async function find(reader: Pick<Db, 'select'>, refreshToken: string) {
  return reader
    .select({ token: refreshTokens, session: sessions })
    .from(refreshTokens)
    .innerJoin(sessions, eq(sessions.id, refreshTokens.sessionId))
    .where(eq(refreshTokens.digest, hashToken(refreshToken)))
    .get();
}

// 256 random bits cannot be guessed from a plain hash, so a pepper would add nothing.
function hashToken(refreshToken: string): Buffer {
  return createHash('sha256').update(refreshToken).digest();
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

/** Removes sessions a month after they ended, with their refresh tokens, and failed logins that no longer count. */
export async function purgeExpired(db: Db, at: Date): Promise<void> {
  const before = after(at, -keptAfterEndMs);
  const isOld = or(lt(sessions.expiresAt, before), lt(sessions.revokedAt, before));
  await transact(db, async (tx) => {
    await tx.delete(sessions).where(isOld).run();
    await purgeLoginAttempts(tx, at);
  });
}

export interface Subject {
  readonly userId: string;
  readonly sessionId: string;
}

type Bearer = Subject & Pick<typeof users.$inferSelect, 'email' | 'name' | 'userType' | 'scopes'>;

type TokenKind = 'access' | 'id';

/** Short, because a stolen token should soon expire. Changes to an account apply at once in any case. */
export const accessLifeSeconds = 15 * 60;

const kinds = {
  /** RFC 9068. */
  access: { typ: 'at+jwt', audience: 'forensics-api', lifeSeconds: accessLifeSeconds },
  id: { typ: 'JWT', audience: 'forensics', lifeSeconds: 60 * 60 },
} as const;

const algorithm = 'EdDSA';

/** @param parts.seed - 32 secret bytes, as in RFC 8032. @param parts.issuer - tokens from another one are rejected. */
export function createTokens({
  seed,
  issuer,
  now,
}: Pick<Clocked, 'now'> & { readonly seed: Uint8Array; readonly issuer: string }) {
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
    /** Whether the session is live is the caller's check. @throws {ForensicsError} `unauthenticated`. */
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

function buildClaims(kind: TokenKind, { sessionId, userType, scopes, email, name }: Bearer) {
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
