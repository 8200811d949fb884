/** `forensics logout`. */

import type { Api } from '../../client/api.ts';
import { openApi } from '../../client/open.ts';
import { ForensicsError } from '../../errors.ts';
import { told } from '../../contract/common.ts';
import { usageError } from '../failure.ts';
import { say } from '../talk.ts';
import { alone, forgetCredentials, readCredentials, type Session } from '../server/credentials.ts';
import { userAgent } from '../server/open.ts';
import { serverMentioned } from '../server/place.ts';
import { type Profile, profileNamed, trustOf } from '../server/profiles.ts';
import { renewed } from '../server/session.ts';

export interface LogoutOptions {
  readonly profile?: string;
}

/** @throws {ForensicsError} and forgets nothing when the server cannot be asked. */
export async function logout(options: LogoutOptions): Promise<void> {
  const { profile: name } = serverMentioned(options);
  if (name === undefined) throw usageError('Name the profile to log out of: --profile NAME.');
  const profile = profileNamed(name);
  const credentials = readCredentials(name);
  if (credentials === null) return say(`The profile "${name}" is not logged in.`);
  if (credentials.kind === 'session') await endSession(profile, credentials);
  await alone(name, async () => forgetCredentials(name));
  say(
    credentials.kind === 'session'
      ? `Logged out of ${profile.url}.`
      : `The API key is forgotten here. It stays valid; "forensics keys revoke" ends it.`,
  );
}

async function endSession(profile: Profile, session: Session): Promise<void> {
  // Some providers give none; the access token ends by itself, and soon.
  if (session.refreshToken === '') return;
  const { url } = profile;
  const api = await openApi({ url, trust: trustOf(profile), userAgent: userAgent() });
  try {
    await revokeWithGoodTokens(api, profile.name, session);
  } catch (error) {
    if (!isOver(error)) throw error;
    say('The server takes the session for ended already.');
  } finally {
    await api.close();
  }
}

/** An id token lives shorter than its session: then a new one proves whose session it is. */
async function revokeWithGoodTokens(api: Api, name: string, session: Session): Promise<void> {
  try {
    await revoke(api, session);
  } catch (error) {
    if (!isOver(error)) throw error;
    const isDue = ({ refreshToken }: Session) => refreshToken === session.refreshToken;
    await revoke(api, await renewed(name, { api, now: Date.now, isDue }));
  }
}

async function revoke(api: Api, { idToken, refreshToken }: Session): Promise<void> {
  const asked = { method: 'POST', path: '/v1/auth/revoke', authorization: null } as const;
  await api.ask({ ...asked, body: { idToken, refreshToken } }, told);
}

function isOver(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'unauthenticated';
}
