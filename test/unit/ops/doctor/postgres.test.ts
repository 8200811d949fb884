import { expect, test } from 'vitest';
import { judgeFacts } from '../../../../src/ops/doctor/postgres.ts';

const facts = {
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

test('a healthy server is reported with its version', () => {
  const [server, rights, connections] = judgeFacts(facts);

  expect(server).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('PostgreSQL 15.4'),
  });
  expect(rights.state).toBe('ok');
  expect(connections).toMatchObject({ state: 'ok', message: '12 of 97 are in use.' });
});

test.each<[Partial<typeof facts>, RegExp, RegExp]>([
  [{ isReadOnly: true }, /read-only/, /primary/],
  [{ isolation: 'read committed' }, /"read committed" instead of serializable/, /session mode/],
  [{ synchronousCommit: 'off' }, /synchronous_commit is off/, /synchronous_commit = on/],
  [{ fsync: 'off', fullPageWrites: 'off' }, /fsync, full_page_writes is off/, /fsync = on/],
])('%o is unsafe for evidence', (change, message, fix) => {
  const [found] = judgeFacts({ ...facts, ...change });

  expect(found.state).toBe('failed');
  expect(found.message).toMatch(message);
  expect(found.fix).toMatch(fix);
});

test('a user who cannot migrate the schema is reported before an upgrade', () => {
  const [, unprivileged] = judgeFacts({ ...facts, mayCreate: false });
  const [, notOwner] = judgeFacts({ ...facts, foreignTables: 3 });

  expect(unprivileged.message).toMatch(/lacks permission to create tables/);
  expect(notOwner.message).toMatch(/does not own 3/);
});

test('a lack of connections for one more process is reported', () => {
  const [, , last] = judgeFacts({ ...facts, connections: 86 });
  const [, , full] = judgeFacts({ ...facts, connections: 87 });

  expect(last.state).toBe('ok');
  expect(full).toMatchObject({
    state: 'warning',
    message: '87 of 97 are in use. Another server or worker can take up to 11.',
  });
});
