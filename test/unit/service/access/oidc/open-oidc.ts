/** An identity with a real provider, and tokens signed with the provider's own key. */

import type { JWTHeaderParameters } from 'jose';
import { afterAll, afterEach } from 'vitest';
import { createOidcIdentity } from '../../../../../src/service/access/oidc/identity.ts';
import {
  audience,
  type Claims,
  clientId,
  clientSecret,
  type Handler,
  type OidcServer,
  openOidcServer,
} from '../../../../fixtures/oidc-server.ts';
import { steppedClock, testDb } from '../../../ports/db/temporary.ts';
import { openPeople } from '../people.ts';

/** A provider for all tests of a file; each finds it answering as it should. */
export async function openProvider(): Promise<OidcServer> {
  const server = await openOidcServer();
  afterEach(() => server.responseWith(null));
  afterAll(() => server.stop());
  return server;
}

export const refused = { code: 'unauthenticated' };

/** An answer of the provider with this body. */
export const json =
  (body: unknown): Handler =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };

export async function openOidc(
  server: OidcServer,
  parts: Partial<Parameters<typeof createOidcIdentity>[0]> = {},
) {
  const clock = steppedClock();
  const { now } = clock;
  const db = await testDb();
  const { users, tenants } = await openPeople({ db, clock });
  const { issuer, ca } = server;
  const names = { scopes: 'scope', userType: 'userType', tenants: 'tenants' };
  const own = { clientId, clientSecret, audience, claims: names };
  const identity = createOidcIdentity({ db, users, issuer, ca, now, ...own, ...parts });
  const seconds = (): number => Math.floor(now().getTime() / 1000);

  /** The claims of a valid access token. */
  const usual = () => ({
    iss: issuer,
    sub: 'examiner',
    aud: audience,
    iat: seconds(),
    exp: seconds() + 600,
    scope: 'settings',
    userType: 'examiner',
  });

  const accessToken = (claims: Claims = {}, header: Partial<JWTHeaderParameters> = {}) =>
    server.sign({ ...usual(), ...claims }, header);

  return {
    db,
    clock,
    users,
    tenants,
    identity,
    usual,
    accessToken,
    /** Sends a request with such a token. */
    enter: async (...given: Parameters<typeof accessToken>) =>
      identity.authenticate(await accessToken(...given)),
    idToken: (claims: Claims = {}) =>
      server.sign(
        { ...usual(), aud: parts.clientId ?? clientId, scope: undefined, ...claims },
        { typ: 'JWT' },
      ),
  };
}
