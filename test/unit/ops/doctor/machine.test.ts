import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../../../src/ports/db/database.ts';
import { openDatabase } from '../../../../src/ports/db/sqlite.ts';
import { tenants } from '../../../../src/ports/db/schema.ts';
import {
  checkCertificate,
  checkDatabase,
  checkRights,
} from '../../../../src/ops/doctor/installation.ts';
import { ensureLocalTls } from '../../../../src/server/tls.ts';

const now = new Date('2026-03-01T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'forensics-doctor-'));
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
