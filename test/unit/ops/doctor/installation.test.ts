import { mkdirSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, beforeEach } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import {
  messageOf,
  checkModels,
  checkPostgres,
  judgeSpace,
  checkCertificate,
  checkDatabase,
  checkRights,
} from '../../../../src/ops/doctor/installation.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { temporaryDb } from '../../ports/db/temporary.ts';
import { newId } from '../../../../src/ports/db/database.ts';
import { openDatabase } from '../../../../src/ports/db/sqlite.ts';
import { tenants } from '../../../../src/ports/db/schema.ts';
import { ensureLocalTls } from '../../../../src/server/tls.ts';

test.each([
  [149_999_999, 10e9, 'failed'],
  [150_000_000, 10e9, 'warning'],
  [999_999_999, 10e9, 'warning'],
  [1_000_000_000, 10e9, 'ok'],
  [49_000_000_000, 1000e9, 'warning'],
  [50_000_000_000, 1000e9, 'ok'],
])('%i free bytes of %i for pictures of 50 MB are %s', (freeBytes, totalBytes, state) => {
  expect(judgeSpace({ freeBytes, totalBytes }, 50_000_000).state).toBe(state);
});

test('the packaged models are intact, and a damaged one is named', async () => {
  const extra = newFolder();
  mkdirSync(join(extra, 'mine'));
  writeFileSync(join(extra, 'mine', 'manifest.json'), '{');

  const [intact, damaged] = [await checkModels(null), await checkModels(extra)];

  expect(intact).toMatchObject({
    state: 'ok',
    message: expect.stringContaining('trace-3, locate-1'),
  });
  expect(damaged).toMatchObject({ state: 'failed', message: expect.stringContaining('mine') });
});

test('PostgreSQL settings that could lose committed data are named', async () => {
  const db = temporaryDb();
  const settings: Record<string, string> = {
    server_version: '15.4',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
  };
  db.$client.function('current_setting', (name) => settings[String(name)]);
  const safe = await checkPostgres(db);
  Object.assign(settings, { fsync: 'off', full_page_writes: 'off' });
  const unsafe = await checkPostgres(db);

  expect(safe.state).toBe('ok');
  expect(unsafe).toMatchObject({
    state: 'failed',
    message: 'A power cut could lose committed data: fsync, full_page_writes is off.',
    fix: 'Switch it on in postgresql.conf: fsync = on',
  });
});

test('an unexpected error is reported by its code only', () => {
  const leaky = Object.assign(new Error('at https://host/?secret=1'), { code: 'EIO' });

  expect(messageOf(leaky)).toBe('It failed (EIO).');
  expect(messageOf(new ForensicsError('internal', 'Told as it is.'))).toBe('Told as it is.');
});

const now = new Date('2026-03-01T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
let dataDir: string;

beforeEach(() => {
  dataDir = newFolder();
});

test('files that others can read are named, with the command that protects them', () => {
  writeFileSync(join(dataDir, 'master.key'), '', { mode: 0o600 });
  mkdirSync(join(dataDir, 'tls'), { mode: 0o700 });
  expect(checkRights(dataDir).state).toBe('ok');

  chmodSync(join(dataDir, 'master.key'), 0o640);
  chmodSync(dataDir, 0o755);

  expect(checkRights(dataDir)).toEqual({
    name: 'data folder',
    tenant: null,
    state: 'failed',
    message: 'Other users can read it: the folder itself, master.key.',
    fix: `chmod -R go-rwx '${dataDir}'`,
  });
});

test('a given certificate needs its own key and the name that clients use', async () => {
  await ensureLocalTls(dataDir, ['forensics.example'], now);
  const [tlsCert, tlsKey] = ['cert.pem', 'key.pem'].map((name) => join(dataDir, 'tls', name));
  const given = { behindProxy: false, tlsCert: tlsCert!, tlsKey: tlsKey! };
  const look = (publicUrl: string | null, more = {}, at = now) =>
    checkCertificate({ ...given, publicUrl, ...more }, at);

  const otherKey = join(dataDir, 'tls', 'ca-key.pem');
  const noKey = join(dataDir, 'nowhere.pem');

  expect(look('https://forensics.example').state).toBe('ok');
  expect(look('https://[::1]:8443').state).toBe('ok');
  expect(look('https://other.example').message).toBe('It is not valid for other.example.');
  expect(look('https://forensics.example', { tlsKey: otherKey }).message).toContain(
    'does not match',
  );
  expect(look('https://forensics.example', { tlsKey: noKey }).message).toContain('cannot be read');
  expect(look('https://other.example', { behindProxy: true }).state).toBe('ok');
  expect([0, 350, 352, 366, -1].map((days) => look(null, {}, inDays(days)).state)).toEqual([
    'ok',
    'ok',
    'warning',
    'failed',
    'failed',
  ]);
});

test('a row with a missing parent is detected', async () => {
  const opened = openDatabase({ path: join(dataDir, 'forensics.db') });
  const { $client } = opened.db;
  $client.pragma('foreign_keys = OFF');
  const tenant = { id: newId(now), name: 'a', keyTag: 'a', isTrial: false, createdAt: now };
  await opened.db
    .insert(tenants)
    .values({ ...tenant, storageConfigId: 'nowhere' })
    .run();

  const found = checkDatabase(opened.db);
  await opened.close();

  expect(found).toMatchObject({
    state: 'failed',
    message: 'A row of tenants refers to a row of storage_configs that is missing.',
  });
});
