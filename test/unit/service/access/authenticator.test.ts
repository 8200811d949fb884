import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../../src/service/access/authenticate.ts';
import { newSecret } from '../../../../src/service/access/key-format.ts';
import { createKeys } from '../../../../src/service/access/keys.ts';
import { type Principal, systemPrincipal } from '../../../../src/service/access/principal.ts';
import { createTenants } from '../../../../src/service/tenants/tenants.ts';
import { operator } from '../../../../src/service/audit/entry.ts';
import { ForensicsError } from '../../../../src/errors.ts';
import { testDb } from '../../ports/db/temporary.ts';

const user: Principal = {
  ...systemPrincipal,
  type: 'user',
  id: 'u'.repeat(24),
  userType: 'person',
};
const now = () => new Date();
const token = 'eyJhbGciOiJFZERTQSJ9.e30.c2ln';

async function setUp() {
  const db = await testDb();
  const keys = createKeys({ db, pepper: new Uint8Array(32).fill(7), now });
  const tenant = await createTenants({ db, now }).create({ name: 'acme' });
  const expiresAt = new Date(now().getTime() + 60_000);
  const key = await keys.mint({ tenantId: tenant.id, name: 'ci', expiresAt, by: operator });
  const identity = {
    async authenticate(sent: string) {
      if (sent === token) return user;
      throw new ForensicsError('unauthenticated', 'The access token is not valid.');
    },
  };
  return { key, authenticator: createAuthenticator({ keys, identity }) };
}

describe('the Authorization header', () => {
  test.each(['ApiKey', 'Bearer', 'apikey', 'BEARER  '])('names a key as %s', async (scheme) => {
    const { authenticator, key } = await setUp();

    const principal = await authenticator.authenticate(`${scheme} ${key.secret}`);

    expect(principal).toMatchObject({ type: 'api', id: key.uuid });
  });

  test.each(['Bearer', 'bearer'])('names a user as %s', async (scheme) => {
    const { authenticator } = await setUp();

    expect(await authenticator.authenticate(`${scheme} ${token}`)).toEqual(user);
  });

  test.each<[string, string, (key: string) => string | undefined]>([
    ['no header', 'forbidden', () => undefined],
    ['an empty header', 'forbidden', () => '  '],
    ['an unknown key', 'forbidden', () => `Bearer ${newSecret('nobody00')}`],
    ['another scheme', 'unauthenticated', (key) => `Basic ${key}`],
    ['a key without a scheme', 'unauthenticated', (key) => key],
    ['a scheme without a key', 'unauthenticated', () => 'ApiKey'],
    ['two keys', 'unauthenticated', (key) => `ApiKey ${key} ${key}`],
    ['a cut key', 'unauthenticated', (key) => `Bearer ${key.slice(0, -1)}`],
    ['a user token that is called a key', 'unauthenticated', () => `ApiKey ${token}`],
    ['a token of somebody else', 'unauthenticated', () => `Bearer ${token}x`],
  ])('%s is %s', async (_, code, headerOf) => {
    const { authenticator, key } = await setUp();

    const answer = authenticator.authenticate(headerOf(key.secret));

    await expect(answer).rejects.toMatchObject({ code });
  });
});
