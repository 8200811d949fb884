import { join } from 'node:path';
import { vi } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { createOidcIdentity } from '../../src/service/access/oidc/identity.ts';
import type { TokenSet } from '../../src/contract/auth.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import { audience, clientId, clientSecret, openOidcServer } from '../fixtures/oidc-server.ts';
import { openPeople } from '../unit/service/access/people.ts';
import { describeIdentity } from './identity.ts';

// The provider runs in this process and shares its clock.
const now = (): Date => new Date();
const step = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

describeIdentity('an identity provider over OpenID Connect', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const database = openDatabase({ path: join(newFolder(), 'test.db') });
  const { db } = database;
  const { users, tenants } = await openPeople({ db, clock: { now, step: () => undefined } });
  const [server, other] = await Promise.all([openOidcServer(), openOidcServer()]);
  const claims = { scopes: 'scope', userType: 'userType', tenants: 'tenants' };
  const [identity, foreign] = [server, other].map(({ issuer, ca }) =>
    createOidcIdentity({ db, users, issuer, ca, clientId, clientSecret, audience, claims, now }),
  );

  // Tokens have whole seconds: a login must come at least a second after the end of a session.
  const logIn = async (email: string): Promise<TokenSet> => {
    step(1000);
    return server.logIn(email);
  };

  async function person(email: string, name: string | null) {
    const tenantName = email.split('@')[0]!;
    const tenant = await tenants.create({ name: tenantName });
    const shown = name === null ? { email } : { email, name };
    const facts = { ...shown, userType: 'examiner', tenants: [tenantName] };
    for (const { people } of [server, other]) people.set(email, facts);
    const rights = { userType: 'examiner', scopes: ['settings'] };
    return { email, name, ...rights, tenantId: tenant.id, tenantName, logIn: () => logIn(email) };
  }

  const examiner = await person('examiner@example.org', 'Examiner Berg');
  const ben = await person('ben@example.org', null);
  return {
    identity: identity!,
    foreign: foreign!,
    examiner,
    ben,
    foreignTokens: () => other.logIn(examiner.email),
    disable: async (id) => void (await users.disable(id)),
    enable: async (id) => void (await users.enable(id)),
    step,
    async close() {
      vi.useRealTimers();
      await Promise.all([server.stop(), other.stop()]);
      await database.close();
    },
  };
});
