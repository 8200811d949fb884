/**
 * Keeps a login alive by refreshing the access token before it expires. A refresh token works only once, and using it
 * twice ends the session, so only one request by one process may send it.
 */

import type { Api, Authorize } from '../client/api.ts';
import type { Tokens } from '../client/device-login.ts';
import { refreshResponse } from '../../contract/auth.ts';
import { hasCode, ForensicsError } from '../../errors.ts';
import {
  withProfileLock,
  type Credentials,
  readCredentials,
  saveCredentials,
  type Session,
} from './profiles.ts';

// The token must still be valid when a request that starts now arrives.
const marginMs = 60_000;

/** @param now - milliseconds of Unix time. */
export function authorizeBySession(profile: string, now: () => number): Authorize {
  let current: Session | null = null;
  let renewal: Promise<Session> | null = null;
  return async (api) => {
    current ??= sessionIn(readCredentials(profile), profile);
    if (isDue(current, now())) {
      renewal ??= renewSession(profile, { api, now, isDue }).finally(() => (renewal = null));
      current = await renewal;
    }
    return `Bearer ${current.accessToken}`;
  };
}

interface Renewal {
  readonly api: Pick<Api, 'request'>;
  readonly now: () => number;
  readonly isDue: (session: Session, at: number) => boolean;
}

/** The stored session, refreshed first if due. @throws {ForensicsError} `unauthenticated` if it has ended. */
export async function renewSession(
  profile: string,
  { api, now, isDue: isWanted }: Renewal,
): Promise<Session> {
  return withProfileLock(profile, async () => {
    // Another process may have refreshed it first.
    const before = sessionIn(readCredentials(profile), profile);
    if (!isWanted(before, now())) return before;
    if (before.refreshToken === '') throw loginAgain(profile);
    const request = {
      method: 'POST',
      path: '/v1/auth/refresh',
      authorization: null,
      body: { refreshToken: before.refreshToken },
    } as const;
    const { data } = await api.request(request, refreshResponse).catch((error: unknown) => {
      throw hasCode(error, 'unauthenticated') ? loginAgain(profile) : error;
    });
    const after = createSession(data, { email: before.email, at: now(), idToken: before.idToken });
    saveCredentials(profile, after);
    return after;
  });
}

/** @param how.idToken - the earlier one, which remains in use if no new one was issued. */
export function createSession(
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
  return expiresAt - marginMs <= at;
}

/** Another command may have logged out, or replaced the session with a key. */
function sessionIn(credentials: Credentials | null, profile: string): Session {
  if (credentials?.kind === 'session') return credentials;
  throw loginAgain(profile);
}

function loginAgain(profile: string): ForensicsError {
  return new ForensicsError(
    'unauthenticated',
    `The session of the profile "${profile}" has ended; log in again: forensics login --profile ${profile}`,
  );
}
