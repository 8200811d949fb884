/** Who sends a request: reads the Authorization header and asks the keys or the identity. */

import { ForensicsError } from '../../errors.ts';
import type { Identity } from './identity.ts';
import { keyPrefix } from './key-format.ts';
import type { Keys } from './keys.ts';
import { type Principal, unauthenticated } from './principal.ts';

interface Authenticator {
  /**
   * `ApiKey <key>` and `Bearer <key>` stand for an API key, any other `Bearer <token>` for a user.
   *
   * @throws {ForensicsError} `forbidden` for no header; `unauthenticated` for one that cannot be read; what
   * `Keys.authenticate` and `Identity.authenticate` throw.
   */
  authenticate(authorization: string | undefined): Promise<Principal>;
}

export function createAuthenticator({
  keys,
  identity,
}: {
  readonly keys: Pick<Keys, 'authenticate'>;
  readonly identity: Pick<Identity, 'authenticate'>;
}): Authenticator {
  return {
    async authenticate(authorization) {
      const { isBearer, credential } = parseHeader(authorization);
      if (isBearer && !credential.startsWith(keyPrefix)) return identity.authenticate(credential);
      return keys.authenticate(credential);
    },
  };
}

function parseHeader(authorization = ''): { isBearer: boolean; credential: string } {
  if (authorization.trim() === '') {
    throw new ForensicsError(
      'forbidden',
      'Send the header Authorization: ApiKey <your key>, or Bearer <access token>.',
    );
  }
  const [, scheme = '', credential] = /^(ApiKey|Bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (credential === undefined) {
    throw unauthenticated(
      'The Authorization header cannot be read; send ApiKey <your key> or Bearer <access token>.',
    );
  }
  return { isBearer: scheme.toLowerCase() === 'bearer', credential };
}
