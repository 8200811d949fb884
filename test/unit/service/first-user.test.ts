import { expect, test } from 'vitest';
import { createFirstUser } from '../../../src/service/first-run.ts';
import { openPeople, password } from './access/people.ts';

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
