import { join } from 'node:path';
import { newFolder } from '../fixtures/folder.ts';
import { openDatabase } from '../../src/ports/db/sqlite.ts';
import { openPeople } from '../unit/service/access/people.ts';
import { steppedClock } from '../unit/ports/db/temporary.ts';
import { describeIdentity } from './identity.ts';

describeIdentity('embedded accounts', async () => {
  const database = openDatabase({ path: join(newFolder(), 'test.db') });
  const { db } = database;
  const clock = steppedClock();
  const people = await openPeople({ db, clock });
  const foreign = await openPeople({ db, clock, seed: new Uint8Array(32).fill(8) });
  const facts = { userType: 'examiner', scopes: ['settings'] };

  async function person(email: string, name: string | null) {
    const tenantName = email.split('@')[0]!;
    const tenant = await people.tenants.create({ name: tenantName });
    await people.makeUser(email, { name, ...facts, tenantIds: [tenant.id] });
    return { email, name, ...facts, tenantId: tenant.id, tenantName };
  }

  const examiner = await person('examiner@example.org', 'Examiner Berg');
  const ben = await person('ben@example.org', null);
  return {
    identity: people.identity,
    foreign: foreign.identity,
    examiner: { ...examiner, logIn: () => people.logIn(examiner.email) },
    ben: { ...ben, logIn: () => people.logIn(ben.email) },
    foreignTokens: () => foreign.logIn(examiner.email),
    disable: async (id) => void (await people.users.disable(id)),
    enable: async (id) => void (await people.users.enable(id)),
    step: (ms) => clock.step(ms),
    close: () => database.close(),
  };
});
