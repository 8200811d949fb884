/**
 * Logs in at an identity provider without a browser on this machine: the user opens an address on
 * any device, enters a code and logs in there, while the program polls for the result (RFC 8628).
 */

import {
  Configuration,
  customFetch,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  ResponseBodyError,
} from 'openid-client';
import { type Dispatcher, fetch } from 'undici';
import { ForensicsError } from '../../errors.ts';
import { toConnectionFailure } from './errors.ts';

interface DeviceLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** The audience of the access token, if the provider requires one. */
  readonly audience: string | null;
  readonly dispatcher: Dispatcher;
  /** Called once, before polling starts. */
  readonly show: (where: DevicePrompt) => void;
}

export interface DevicePrompt {
  readonly url: string;
  readonly code: string;
  /** Includes the code; null if the provider has no such address. */
  readonly urlWithCode: string | null;
  readonly minutes: number;
}

export interface Tokens {
  readonly accessToken: string;
  readonly idToken: string;
  /** Empty if the provider issues no refresh token. */
  readonly refreshToken: string;
  /** In seconds. */
  readonly expiresIn: number;
}

const timeoutSeconds = 10;
// For providers that do not state the lifetime of an access token.
const shortLifeSeconds = 300;

/** @throws {ForensicsError} `not_offered`, `forbidden`, `unauthenticated`, `identity_unavailable`, `server_unreachable`, `server_untrusted`. */
export async function logInByDevice(login: DeviceLogin): Promise<Tokens> {
  const { issuer, scope, audience, show } = login;
  try {
    const client = await discoverClient(login);
    const authorization = await initiateDeviceAuthorization(client, {
      scope,
      ...(audience === null ? {} : { audience }),
    });
    show({
      url: authorization.verification_uri,
      code: authorization.user_code,
      urlWithCode: authorization.verification_uri_complete ?? null,
      minutes: Math.round(authorization.expires_in / 60),
    });
    const answer = await pollDeviceAuthorizationGrant(client, authorization);
    return {
      accessToken: answer.access_token,
      idToken: answer.id_token ?? '',
      refreshToken: answer.refresh_token ?? '',
      expiresIn: answer.expiresIn() ?? shortLifeSeconds,
    };
  } catch (error) {
    throw toLoginFailure(error, new URL(issuer), login.clientId);
  }
}

async function discoverClient({
  issuer,
  clientId,
  dispatcher,
}: DeviceLogin): Promise<Configuration> {
  return discovery(new URL(issuer), clientId, undefined, None(), {
    timeout: timeoutSeconds,
    [customFetch]: async (url, { body = null, headers, method, redirect, signal = null }) =>
      fetch(url, { body, headers, method, redirect, signal, dispatcher }).catch(
        (error: unknown) => {
          throw toConnectionFailure(error, new URL(url));
        },
      ),
  });
}

function toLoginFailure(error: unknown, issuer: URL, clientId: string): ForensicsError {
  if (!(error instanceof ResponseBodyError)) return withoutAnswer(error, issuer);
  // RFC 8628, section 3.5, and RFC 6749, section 5.2. The cause is dropped because it could contain what was sent.
  switch (error.error) {
    case 'access_denied':
      return new ForensicsError('forbidden', 'The login was refused by the identity provider.');
    case 'expired_token':
      return new ForensicsError('unauthenticated', 'The code was not used in time; log in again.');
    case 'invalid_scope':
      return new ForensicsError(
        'invalid_request',
        'The identity provider does not know the requested scope; choose another with --scope.',
      );
    case 'invalid_client':
    case 'unauthorized_client':
      return new ForensicsError(
        'not_offered',
        `The identity provider does not allow "${clientId}" to log in with a device code. Ask its operator to allow that without a client secret, or use an API key: --api-key-file.`,
      );
    default:
      return unavailable(issuer, new Error(`${error.status} ${error.error.slice(0, 40)}`));
  }
}

function withoutAnswer(error: unknown, issuer: URL): ForensicsError {
  // The library wraps the errors of the functions it calls.
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ForensicsError) return at;
  }
  return unavailable(issuer, error);
}

function unavailable(issuer: URL, cause: unknown): ForensicsError {
  return new ForensicsError(
    'identity_unavailable',
    `The identity provider at ${issuer.host} returned an invalid response; try again later.`,
    { cause },
  );
}
