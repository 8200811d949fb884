/** The server that options, environment or a profile name, with what proves who asks. */

import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import type { Api, ApiRequest, Authorize } from '../../client/api.ts';
import { openApi } from '../../client/connect.ts';
import { succeeded } from '../../contract/common.ts';
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

/**
 * Asks for as little as there is, to learn whether the server knows who asks and lets them act for the tenant.
 *
 * @throws {ForensicsError} `unauthenticated`, `forbidden`; as `Api.ask`.
 */
export async function checkAccess(
  api: Pick<Api, 'ask'>,
  tenantName: string,
  who: Pick<ApiRequest, 'authorization'> = {},
): Promise<void> {
  const query = { tenantName, limit: 1 };
  await api.ask({ method: 'GET', path: '/v1/analysis', query, ...who }, succeeded);
}

/**
 * The schema of an answer with each component in its place: the server's own schemas only name them, as its interface
 * document does.
 */
export function wholeAnswer<T extends TSchema>(
  answer: T,
  components: readonly object[],
): TUnsafe<Static<T>> {
  const named = new Map(components.map((part) => [`${String(Object(part)['$id'])}#`, part]));
  const whole = (schema: object): object =>
    JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
      const part = named.get(String(Object(value)['$ref']));
      return part === undefined ? value : whole(part);
    });
  return Type.Unsafe<Static<T>>(whole(answer));
}
