import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trialMd5s, createFirstUser } from '../../../src/service/first-run.ts';
import { temporaryFolder } from '../ports/db/temporary.ts';
import { openPeople, password } from './access/people.ts';

const shipped = (name: string) =>
  readFileSync(new URL(`../../../src/service/trial/${name}`, import.meta.url));
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

test('a file in the data folder replaces the shipped one of the same name', () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'trial'));
  writeFileSync(join(dataDir, 'trial', 'fake.jpg'), 'another picture');

  expect(trialMd5s(dataDir)).toEqual([
    md5(shipped('real.jpg')),
    md5(Buffer.from('another picture')),
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
