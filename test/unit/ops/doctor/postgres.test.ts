import { expect, test } from 'vitest';
import {
  judgeConnections,
  judgeRights,
  judgeServer,
  type PostgresFacts,
} from '../../../../src/ops/doctor/postgres.ts';

const facts: PostgresFacts = {
  version: '15.4',
  isolation: 'serializable',
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  isReadOnly: false,
  mayCreate: true,
  foreignTables: 0,
  maxConnections: 97,
  connections: 12,
};

test('one as it should be is told with its version', () => {
  expect(judgeServer(facts)).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('PostgreSQL 15.4'),
  });
  expect(judgeRights(facts).state).toBe('ok');
  expect(judgeConnections(facts)).toMatchObject({ state: 'ok', message: '12 of 97 are in use.' });
});

test.each<[Partial<PostgresFacts>, RegExp, RegExp]>([
  [{ isReadOnly: true }, /read-only/, /primary/],
  [{ isolation: 'read committed' }, /"read committed" instead of serializable/, /session mode/],
  [{ synchronousCommit: 'off' }, /synchronous_commit is off/, /synchronous_commit = on/],
  [{ fsync: 'off', fullPageWrites: 'off' }, /fsync, full_page_writes is off/, /fsync = on/],
])('%o is no place for evidence', (change, message, fix) => {
  const found = judgeServer({ ...facts, ...change });

  expect(found.state).toBe('failed');
  expect(found.message).toMatch(message);
  expect(found.fix).toMatch(fix);
});

test('a user who cannot upgrade the schema is told before the upgrade', () => {
  expect(judgeRights({ ...facts, mayCreate: false }).message).toMatch(/may not create tables/);
  expect(judgeRights({ ...facts, foreignTables: 3 }).message).toMatch(/does not own 3/);
});

test('one more process than there are connections for is told before it starts', () => {
  expect(judgeConnections({ ...facts, connections: 86 }).state).toBe('ok');
  expect(judgeConnections({ ...facts, connections: 87 })).toMatchObject({
    state: 'warning',
    message: '87 of 97 are in use. Another server or worker may take 11.',
  });
});
