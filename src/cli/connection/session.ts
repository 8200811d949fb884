/**
 * A login that goes on: the access token while it is good, a new one in time. A refresh token is good once, and one
 * that comes twice ends the session, so that only one process at a time may send it, and only one request of it.
 */

import type { Api, Authorize } from '../client/api.ts';
import type { Tokens } from '../client/device-login.ts';
import { refreshAnswer } from '../../contract/auth.ts';
import { ForensicsError } from '../../errors.ts';
import {
  alone,
  type Credentials,
  readCredentials,
  saveCredentials,
  type Session,
} from './profiles.ts';

// A request that begins now must still arrive in time.
const spareMs = 60_000;

/** @param now - milliseconds of Unix time. */
export function authorizeBySession(profile: string, now: () => number): Authorize {
  let current: Session | null = null;
  let renewal: Promise<Session> | null = null;
  return async (api) => {
    current ??= sessionIn(readCredentials(profile), profile);
    if (isDue(current, now())) {
      renewal ??= renewed(profile, { api, now, isDue }).finally(() => (renewal = null));
      current = await renewal;
    }
    return `Bearer ${current.accessToken}`;
  };
}

interface Renewal {
  readonly api: Pick<Api, 'ask'>;
  readonly now: () => number;
  readonly isDue: (session: Session, at: number) => boolean;
}

/** The session as it is, or a new one in its place when that is due. @throws {ForensicsError} `unauthenticated` when it has ended. */
export async function renewed(
  profile: string,
  { api, now, isDue: isWanted }: Renewal,
): Promise<Session> {
  return alone(profile, async () => {
    // Another process may have been first.
    const before = sessionIn(readCredentials(profile), profile);
    if (!isWanted(before, now())) return before;
    if (before.refreshToken === '') throw loginAgain(profile);
    const asked = { method: 'POST', path: '/v1/auth/refresh', authorization: null } as const;
    const body = { refreshToken: before.refreshToken };
    const { data } = await api.ask({ ...asked, body }, refreshAnswer).catch((error: unknown) => {
      throw toLoginAgain(error, profile);
    });
    const after = sessionOf(data, { email: before.email, at: now(), idToken: before.idToken });
    saveCredentials(profile, after);
    return after;
  });
}

/** @param how.idToken - what goes on being good when no new one came. */
export function sessionOf(
  { accessToken, idToken, refreshToken, expiresIn }: Tokens,
  how: { readonly email: string; readonly at: number; readonly idToken?: string },
): Session {
  return {
    kind: 'session',
    email: how.email,
    accessToken,
    idToken: idToken === '' ? (how.idToken ?? '') : idToken,
    refreshToken,
    expiresAt: how.at + expiresIn * 1000,
  };
}

function isDue({ expiresAt }: Session, at: number): boolean {
  return expiresAt - spareMs <= at;
}

/** Another command may have logged out, or put a key in the place of the session. */
function sessionIn(credentials: Credentials | null, profile: string): Session {
  if (credentials?.kind === 'session') return credentials;
  throw loginAgain(profile);
}

function toLoginAgain(error: unknown, profile: string): unknown {
  const isOver = error instanceof ForensicsError && error.code === 'unauthenticated';
  return isOver ? loginAgain(profile) : error;
}

function loginAgain(profile: string): ForensicsError {
  return new ForensicsError(
    'unauthenticated',
    `The session of the profile "${profile}" has ended; log in again: forensics login --profile ${profile}`,
  );
}
