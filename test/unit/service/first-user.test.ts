import { expect, test } from 'vitest';
import { auditEntries } from '../../../src/ports/db/schema.ts';
import { createFirstUser } from '../../../src/service/first-run.ts';
import { openPeople, password } from './access/people.ts';

test('the log names the new user as the creator, not the command line', async () => {
  const { users, tenants, identity, db } = await openPeople();
  const firstUser = await createFirstUser({ users, tenants, identity });
  await firstUser.create({ token: firstUser.token ?? '', email: 'a@example.org', password });
  const [user] = await users.list();

  const entries = await db.select().from(auditEntries).all();
  const created = entries
    .map(({ entry }) => JSON.parse(entry))
    .filter(({ event }) => event === 'user.created');
  expect(created.map(({ actor, subject }) => [actor, subject])).toEqual([
    [{ type: 'user', id: user!.id }, user!.id],
  ]);
});

test('two servers, each with its own link, create one account between them', async () => {
  const { users, tenants, identity } = await openPeople();
  const servers = [
    await createFirstUser({ users, tenants, identity }),
    await createFirstUser({ users, tenants, identity }),
  ];

  const made = await Promise.allSettled(
    servers.map(async (server, at) =>
      server.create({ token: server.token ?? '', email: `${at}@example.org`, password }),
    ),
  );

  expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await users.list()).toHaveLength(1);
});
