/**
 * One identity provider: its discovery document and keys, fetched when first needed and cached while it is down, and
 * the few calls that we make to it. Anything it does wrong becomes `identity_unavailable`, and no login succeeds.
 */

import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  genericGrantRequest,
  None,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
  tokenIntrospection,
  tokenRevocation,
} from 'openid-client';
import { ForensicsError } from '../../../contract/errors.ts';
import { type CodeGrant, unauthenticated } from '../principal.ts';
import {
  createCached,
  createProviderFetch,
  type Discovered,
  readDiscovery,
  timeoutSeconds,
} from './discovery.ts';

export type Provider = ReturnType<typeof createProvider>;

export interface ProviderParts {
  /** Exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** PEM of the only authorities to trust for the provider's certificate; null for the system's. */
  readonly ca: string | null;
  readonly now: () => Date;
}

const minuteMs = 60_000;
// Withdrawn keys must be dropped soon; endpoint addresses hardly ever change.
const freshKeysMs = 10 * minuteMs;
const freshFactsMs = 60 * minuteMs;
const keptMs = 24 * 60 * minuteMs;
const pauseMs = 10_000;

export function createProvider(parts: ProviderParts) {
  const { issuer, clientSecret, now } = parts;
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const fetch = createProviderFetch(parts);
  const getJson = async (url: string): Promise<unknown> => {
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    if (answer.status === 200) return answer.json();
    throw new TypeError(`The provider returned status ${answer.status}.`);
  };
  const cached = <T>(freshMs: number, load: () => Promise<T>) =>
    createCached({ pauseMs, keptMs, now, freshMs, load: () => attempt(load) });

  const facts = cached(freshFactsMs, async () => readDiscovery(await getJson(address), issuer));
  const keys = cached(freshKeysMs, async () => {
    const document = await getJson((await facts.current()).jwks_uri);
    if (hasKeys(document)) return createLocalJWKSet(document);
    throw new TypeError('The identity provider returned no keys.');
  });

  async function client(): Promise<Configuration> {
    const found = await facts.current();
    const authentication = chooseAuthentication(found, clientSecret);
    const made = new Configuration(found, parts.clientId, {}, authentication);
    made[customFetch] = fetch;
    made.timeout = timeoutSeconds;
    return made;
  }

  return {
    /** @throws {ForensicsError} `identity_unavailable`, as do all methods here. */
    facts: () => facts.current(),
    /** The keys that verify tokens. Use `renewed` for a key that is not among the `current` ones. */
    keys,
    /** @throws {ForensicsError} also `unauthenticated`, when the provider rejects the token. */
    refresh: (refreshToken: string) =>
      attempt(async () => tokensIn(await refreshTokenGrant(await client(), refreshToken))),
    /** Exchanges the code that a browser brought back for tokens. @throws {ForensicsError} also `unauthenticated`. */
    exchange: ({ code, codeVerifier, redirectUri }: CodeGrant) =>
      attempt(async () => {
        const grant = { code, code_verifier: codeVerifier, redirect_uri: redirectUri };
        return tokensIn(await genericGrantRequest(await client(), 'authorization_code', grant));
      }),
    /** The owner of a refresh token: null for an invalid one, undefined if the provider cannot say. */
    ownerOf: (refreshToken: string) =>
      attempt(async () => {
        const { introspection_endpoint } = await facts.current();
        // RFC 7662, section 2.1: introspection requires authentication.
        if (introspection_endpoint === undefined || clientSecret === null) return undefined;
        const { active, sub } = await tokenIntrospection(await client(), refreshToken, hint);
        return active ? sub : null;
      }),
    /** Does nothing if the provider has no revocation endpoint. */
    revoke: (refreshToken: string) =>
      attempt(async () => {
        const { revocation_endpoint } = await facts.current();
        if (revocation_endpoint === undefined) return;
        await tokenRevocation(await client(), refreshToken, hint);
      }),
  };
}

export type Refreshed = ReturnType<typeof tokensIn>;

function tokensIn(answer: TokenEndpointResponse) {
  return {
    accessToken: answer.access_token,
    idToken: answer.id_token ?? null,
    /** Null if the old refresh token stays valid. */
    refreshToken: answer.refresh_token ?? null,
  };
}

const hint = { token_type_hint: 'refresh_token' };

/** `client_secret_basic` when the provider lists no methods (RFC 8414, section 2). */
function chooseAuthentication(facts: Discovered, secret: string | null): ClientAuth {
  if (secret === null) return None();
  const methods = facts.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret);
}

/** Only checks for a list of objects; each key is validated when it is used. */
function hasKeys(document: unknown): document is JSONWebKeySet {
  const { keys }: { keys?: unknown } = Object(document);
  return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
}

async function attempt<T>(call: () => Promise<T>): Promise<T> {
  return call().catch((error: unknown) => {
    throw translated(error);
  });
}

function translated(error: unknown): ForensicsError {
  if (error instanceof ForensicsError) return error;
  if (!(error instanceof ResponseBodyError)) return unavailable(error);
  // RFC 6749, section 5.2; some providers answer `invalid_request` to a token that they cannot read.
  if (error.status === 400 && ['invalid_grant', 'invalid_request'].includes(error.error)) {
    return unauthenticated('The refresh token is not valid; log in again.');
  }
  // This is enough for the log, such as `invalid_client` for a wrong client secret; more could contain what was sent.
  const code = /^[a-z_]{1,40}$/.test(error.error) ? error.error : 'and no error code';
  return unavailable(new Error(`The provider returned status ${error.status} ${code}.`));
}

export function unavailable(cause: unknown): ForensicsError {
  return new ForensicsError(
    'identity_unavailable',
    'The identity provider is not working properly; try again later.',
    { cause, retryAfterSeconds: pauseMs / 1000 },
  );
}
