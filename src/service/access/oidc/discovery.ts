/** A provider's metadata (OpenID Connect Discovery 1.0, section 3): fetched, validated and reduced to what we use. */

import { withoutUndefined } from '../../../contract/common.ts';
import type { ServerMetadata } from 'openid-client';
import { Agent, request } from 'undici';

export interface Discovered extends ServerMetadata {
  readonly jwks_uri: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

const longestShown = 200;

/** @throws {TypeError} for a document from another issuer, with a required member missing, or with a plain HTTP URL. */
export function readDiscovery(document: unknown, issuer: string): Discovered {
  const members = new Map(Object.entries(Object(document)));
  const given = members.get('issuer');
  if (given !== issuer) {
    // This message is logged with every request that needs the provider, so it must be short.
    throw new TypeError(
      `The identity provider gives a different issuer: ${String(given).slice(0, longestShown)}.`,
    );
  }
  const optional = (name: string): string | undefined => {
    const url = members.get(name);
    if (url === undefined) return undefined;
    if (typeof url === 'string' && URL.parse(url)?.protocol === 'https:') return url;
    throw new TypeError(`The identity provider's ${name} is not an https address.`);
  };
  const required = (name: string): string => {
    const url = optional(name);
    if (url !== undefined) return url;
    throw new TypeError(`The identity provider does not state its ${name}.`);
  };
  const words = (name: string): string[] | undefined => {
    const list = members.get(name);
    return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : undefined;
  };
  return {
    issuer,
    jwks_uri: required('jwks_uri'),
    authorization_endpoint: required('authorization_endpoint'),
    token_endpoint: required('token_endpoint'),
    ...withoutUndefined({
      device_authorization_endpoint: optional('device_authorization_endpoint'),
      revocation_endpoint: optional('revocation_endpoint'),
      introspection_endpoint: optional('introspection_endpoint'),
      token_endpoint_auth_methods_supported: words('token_endpoint_auth_methods_supported'),
      id_token_signing_alg_values_supported: words('id_token_signing_alg_values_supported'),
    }),
  };
}

interface ProviderRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Form data, as in every OAuth 2.0 call; nothing else is ever sent. */
  readonly body?: unknown;
}

/** Time limit for a whole call. The size of a response is limited too, and redirects are not followed. */
export const timeoutSeconds = 5;
// Ten times the size of a hundred keys.
const maxAnswerBytes = 1024 * 1024;

/** @param ca - PEM of the only authorities to trust; null for the system's. */
export function createProviderFetch({ ca }: { readonly ca: string | null }) {
  const connect = ca === null ? {} : { ca };
  const agent = new Agent({ connect, maxResponseSize: maxAnswerBytes });
  return async (
    url: string,
    { method = 'GET', headers = {}, body }: ProviderRequest,
  ): Promise<Response> => {
    const answer = await request(url, {
      dispatcher: agent,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : null,
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    const text = await answer.body.text();
    // The Response constructor rejects a body with these statuses (Fetch, "null body status").
    const isBodiless = [204, 205, 304].includes(answer.statusCode);
    // Callers read no other header: OAuth sends its errors in the body.
    const shown = { 'content-type': String(answer.headers['content-type'] ?? '') };
    return new Response(isBodiless ? null : text, { status: answer.statusCode, headers: shown });
  };
}

interface CachedParts<T> {
  readonly load: () => Promise<T>;
  readonly freshMs: number;
  /** Minimum time between two attempts, whatever the outcome, so that callers cannot trigger requests at will. */
  readonly pauseMs: number;
  /** A value that could not be refreshed for this long is no longer used. */
  readonly keptMs: number;
  readonly now: () => Date;
}

/** Caches something fetched from a remote service, to survive the service's outages. */
export function createCached<T>({ load, freshMs, pauseMs, keptMs, now }: CachedParts<T>) {
  let held: { readonly value: T; readonly atMs: number } | null = null;
  let tried: { readonly atMs: number; readonly failure: Error | null } | null = null;
  let pending: Promise<void> | null = null;

  const ageMs = ({ atMs }: { readonly atMs: number }): number => now().getTime() - atMs;

  async function attempt(): Promise<void> {
    let failure: Error | null = null;
    try {
      const value = await load();
      held = { value, atMs: now().getTime() };
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    tried = { failure, atMs: now().getTime() };
  }

  /** Never rejects; the outcome is in `held` and `tried`. */
  async function renew(): Promise<void> {
    if (tried !== null && ageMs(tried) < pauseMs) return;
    pending ??= attempt().finally(() => {
      pending = null;
    });
    await pending;
  }

  const usable = (): T | null => (held !== null && ageMs(held) < keptMs ? held.value : null);
  const failure = (): Error => tried?.failure ?? new TypeError('Nothing was loaded.');

  return {
    /** The cached value; if it is old, tries to refresh it first. @throws whatever `load` threw, if nothing is cached. */
    async current(): Promise<T> {
      if (held === null || ageMs(held) >= freshMs) {
        const renewal = renew();
        // While the provider is known to be failing, callers get the cached value instead of waiting.
        if (usable() === null || tried?.failure == null) await renewal;
      }
      const value = usable();
      if (value !== null) return value;
      throw failure();
    },
    /** Fetches it now, unless that has just been tried. @throws whatever `load` threw last. */
    async renewed(): Promise<T> {
      await renew();
      if (held !== null && tried?.failure === null) return held.value;
      throw failure();
    },
  };
}
