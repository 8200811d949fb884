/** The server that options, environment or a profile name, with what proves who asks. */

import type { Api, Authorize } from '../../client/api.ts';
import { openApi } from '../../client/connect.ts';
import { packageVersion } from '../../version.ts';
import { say } from '../output/print.ts';
import { apiKeyFrom, apiKeyOfEnvironment, readCredentials } from './credentials.ts';
import { placeNamed } from './endpoint.ts';
import type { ServerOptions } from './options.ts';
import type { Profile } from './profiles.ts';
import { authorizeBySession } from './session.ts';

export async function openServer(options: ServerOptions): Promise<Api> {
  const { url, trust, profile } = await placeNamed(options);
  const authorize = await authorizeBy(options, profile);
  const api = await openApi({ url, trust, authorize, userAgent: userAgent() });
  const named = profile === null ? '' : ` (profile ${profile.name})`;
  say(`Acting on the server ${api.url.origin}${named}`);
  return api;
}

export function userAgent(): string {
  return `forensics/${packageVersion()}`;
}

/** A flag beats the environment: also the flag that names a profile, whose key is for its own server. */
async function authorizeBy(options: ServerOptions, profile: Profile | null): Promise<Authorize> {
  const { apiKeyFile } = options;
  if (apiKeyFile !== undefined) return authorizeByKey(await apiKeyFrom(apiKeyFile));
  const ofEnvironment = apiKeyOfEnvironment();
  const kept = profile === null ? null : readCredentials(profile.name);
  if (ofEnvironment !== null && (options.profile === undefined || kept === null)) {
    return authorizeByKey(ofEnvironment);
  }
  if (profile === null || kept === null) return async () => null;
  return kept.kind === 'apiKey'
    ? authorizeByKey(kept.apiKey)
    : authorizeBySession(profile.name, Date.now);
}

function authorizeByKey(key: string): Authorize {
  return async () => `ApiKey ${key}`;
}
