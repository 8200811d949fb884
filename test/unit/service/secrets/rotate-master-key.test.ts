import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import { type Core, openCore } from '../../../../src/service/core.ts';
import {
  deriveSecrets,
  openDataFolder,
  rotateMasterKey,
} from '../../../../src/service/secrets/secrets.ts';
import { operator } from '../../../../src/service/audit/entry.ts';
import { readConfig } from '../../../../src/contract/config.ts';
import { transact } from '../../../../src/ports/db/database.ts';
import { storageConfigs } from '../../../../src/ports/db/schema.ts';
import { createSealedConfigs } from '../../../../src/ports/storage/configs.ts';
import { fromDist } from '../../../built.ts';
import { logOf } from '../audit/log-of.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const now = () => new Date('2026-03-01T12:00:00Z');
const config = {
  type: 'azure',
  azure: {
    containerName: 'evidence',
    connectionString: `AccountName=acme;AccountKey=${'b'.repeat(20)}`,
  },
} as const;
const routine: Parameters<typeof rotateMasterKey>[1] = { newKey: null, endsOld: false };
let dataDir: string;
let apiKey: string;

const settingsWith = (masterKey: string | null = null) =>
  readConfig({ flags: { dataDir, masterKey }, environment: {} }).settings;

async function withCore<T>(act: (core: Core) => T | Promise<T>, masterKey?: string): Promise<T> {
  const core = await openCore(settingsWith(masterKey), now);
  try {
    return await act(core);
  } finally {
    await core.close();
  }
}

const configsOf = ({ secrets }: Pick<Core, 'secrets'>) =>
  createSealedConfigs({ key: secrets.of('blobs/configs'), now });
const rowsOf = ({ database }: Core) => database.db.select().from(storageConfigs).all();

/** Everything that depends on the master key, as one value. */
const derivedSecrets = (core: Core) => {
  const names = ['blobs/buckets', 'webhooks/signing', 'access/tokens', 'blobs/configs'] as const;
  const [buckets, webhooks, tokens, sealing] = names.map((name) =>
    core.secrets.of(name).toString('hex'),
  );
  return { buckets, webhooks, tokens, sealing };
};

async function expectAllUsable(masterKey?: string): Promise<void> {
  await withCore(async (core) => {
    const { tenantIds } = await core.keys.authenticate(apiKey);
    expect(tenantIds).toEqual([(await core.tenants.byName('acme'))?.id]);
    expect((await rowsOf(core)).map((row) => configsOf(core).open(row))).toEqual([config]);
  }, masterKey);
}

async function setUp(masterKey?: string): Promise<void> {
  dataDir = newFolder();
  await withCore(async (core) => {
    const { id: tenantId } = await core.tenants.create({ name: 'acme' });
    const expiresAt = new Date('2027-01-01T00:00:00Z');
    apiKey = (await core.keys.mint({ tenantId, name: 'ci', expiresAt, by: operator })).secret;
    await transact(core.database.db, (tx) => configsOf(core).save(tx, tenantId, config));
  }, masterKey);
}

beforeEach(() => setUp());

const keyText = (name = 'master.key') => readFileSync(join(dataDir, name), 'utf8');

test('API keys, presigned URLs, webhooks and stores survive a rotation, and tokens do not', async () => {
  const before = await withCore(derivedSecrets);
  const oldKey = keyText();

  const outcome = await rotateMasterKey(settingsWith(), routine);

  expect(outcome).toEqual({ resealed: 1, unreadable: 0, isWiped: true });
  await expectAllUsable();
  const after = await withCore(derivedSecrets);
  expect({ ...after, tokens: '', sealing: '' }).toEqual({ ...before, tokens: '', sealing: '' });
  expect([after.tokens, after.sealing]).not.toEqual([before.tokens, before.sealing]);
  expect(keyText()).not.toBe(oldKey);
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('master'))).toEqual(['master.key']);
});

test('a rotation after a leak also replaces presigned URLs and webhook secrets, and is logged', async () => {
  await rotateMasterKey(settingsWith(), routine);
  const before = await withCore(derivedSecrets);

  await rotateMasterKey(settingsWith(), { ...routine, endsOld: true });

  const after = await withCore(derivedSecrets);
  expect(Object.values(after).filter((value) => Object.values(before).includes(value))).toEqual([]);
  await expectAllUsable();
  await withCore(async ({ audit, database }) => {
    expect((await logOf(database.db, { chain: 'service' })).at(-1)).toEqual([
      'operator',
      'master_key.rotated',
      { endsOld: true, resealed: 1 },
    ]);
    const verified = await Promise.all((await audit.chains()).map((one) => audit.verify(one)));
    expect(verified.map(({ broken }) => broken)).toEqual([null, null]);
  });
});

test('the old key opens nothing that remains in any file', async () => {
  const oldKey = Buffer.from(keyText().trim(), 'hex');
  const [oldRow] = await withCore(rowsOf);

  await rotateMasterKey(settingsWith(), routine);

  const [row] = await withCore(rowsOf);
  expect(() => configsOf({ secrets: deriveSecrets(oldKey) }).open(row!)).toThrow(
    'current master key',
  );
  const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)));
  expect(files.filter((bytes) => bytes.includes(oldRow!.sealed))).toEqual([]);
  expect(files.some((bytes) => bytes.includes(row!.sealed))).toBe(true);
});

test('a rotation that ends before its transaction changes nothing', async () => {
  const before = await withCore(derivedSecrets);
  openDataFolder(settingsWith()).keyFile!.writeNext(Buffer.alloc(32, 7));

  expect(await withCore(derivedSecrets)).toEqual(before);
  await rotateMasterKey(settingsWith(), routine);
  await expectAllUsable();
});

test('a rotation that ends after its transaction is completed at the next opening', async () => {
  copyFileSync(join(dataDir, 'master.key'), join(dataDir, 'old.key'));
  await rotateMasterKey(settingsWith(), routine);
  const after = await withCore(derivedSecrets);
  const newKey = keyText();
  copyFileSync(join(dataDir, 'master.key'), join(dataDir, 'master.key.next'));
  copyFileSync(join(dataDir, 'old.key'), join(dataDir, 'master.key'));

  expect(await withCore(derivedSecrets)).toEqual(after);
  expect(keyText()).toBe(newKey);
  await expectAllUsable();
});

test('a rotation that is killed at any moment leaves a usable folder', async () => {
  const script = fileURLToPath(new URL('./rotate-forever.ts', import.meta.url));
  const keys = new Set([keyText()]);
  for (const pauseMs of [3, 11, 29, 47]) {
    const child = spawn(process.execPath, [...fromDist, script, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await setTimeout(pauseMs);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expectAllUsable();
    keys.add(keyText());
  }

  expect(keys.size).toBe(5);
}, 30_000);

test('a key in the settings is replaced by a given one, and opens nothing afterwards', async () => {
  const [old, fresh] = ['0a'.repeat(32), '0b'.repeat(32)];
  await setUp(old);
  const newKey = Buffer.from(fresh, 'hex');

  await expect(() => rotateMasterKey(settingsWith(old), routine)).rejects.toThrow('--key-file');
  await expect(() =>
    rotateMasterKey(settingsWith(old), { ...routine, newKey: Buffer.from(old, 'hex') }),
  ).rejects.toThrow('must differ');
  await rotateMasterKey(settingsWith(old), { ...routine, newKey });

  await expectAllUsable(fresh);
  await expect(expectAllUsable(old)).rejects.toThrow('FORENSICS_MASTER_KEY does not open');
  expect(readdirSync(dataDir)).not.toContain('master.key');
});

test('a key file that belongs to another database is reported and left unchanged', async () => {
  await rotateMasterKey(settingsWith(), routine);
  writeFileSync(join(dataDir, 'master.key'), `${'0c'.repeat(32)}\n`);

  await expect(expectAllUsable()).rejects.toEqual(refusal('config_invalid', 'does not belong'));
  expect(keyText()).toBe(`${'0c'.repeat(32)}\n`);
});

test('a configuration that could not be opened before is kept and counted', async () => {
  const sealed = await withCore(async ({ database, ...core }) => {
    const [row] = await rowsOf({ database, ...core });
    const broken = Buffer.from(row!.sealed).fill(0, 20, 30);
    await database.db.update(storageConfigs).set({ sealed: broken }).run();
    return broken;
  });

  const outcome = await rotateMasterKey(settingsWith(), routine);

  expect(outcome).toEqual({ resealed: 0, unreadable: 1, isWiped: true });
  expect((await withCore(rowsOf)).map((row) => row.sealed)).toEqual([sealed]);
});

test('a different key in the settings is refused from the first opening on', async () => {
  const key = 'ab'.repeat(32);
  dataDir = newFolder();
  await withCore(() => undefined, key);

  await expect(withCore(() => undefined, 'cd'.repeat(32))).rejects.toEqual(
    refusal('config_invalid', 'FORENSICS_MASTER_KEY'),
  );
  await expect(withCore(() => 'opened', key)).resolves.toBe('opened');
});
