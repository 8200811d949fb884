import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { type Pack, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { restore as restoreBackup } from '../../../../src/ops/backup/restore.ts';
import { hasInstallation } from '../../../../src/service/core.ts';
import { currentSchema } from '../../../../src/ports/db/migrations.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { readDatabase } from '../../../../src/ports/db/snapshot.ts';
import { createSqliteDb, openDatabase } from '../../../../src/ports/db/sqlite.ts';
import { fromDist } from '../../../built.ts';
import { makeOlderDatabase } from '../../ports/db/older-database.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';
import { codeOf } from '../../ports/storage/code-of.ts';
import { backedUp, backUp, content, evidence, now, smallFolder } from './small-backup.ts';
import { withoutEntry } from './without-entry.ts';
import { refusal } from '../../../fixtures/refusal.ts';

type More = Partial<Parameters<typeof restoreBackup>[1] & Parameters<typeof restoreBackup>[0]>;

function restore(file: string, dataDir: string, { masterKey = null, ...more }: More = {}) {
  const request = { file, keysDir: null };
  return restoreBackup({ dataDir, masterKey }, { ...request, ...more });
}

function emptyDataDir(): string {
  const dataDir = join(temporaryFolder(), 'new');
  mkdirSync(dataDir);
  return dataDir;
}

/** A data folder with contents that must not be lost. */
async function usedDataDir(): Promise<string> {
  const dataDir = emptyDataDir();
  const opened = openDatabase({ path: join(dataDir, 'forensics.db') });
  await opened.db.insert(settings).values({ key: 'mark', value: 'before' }).run();
  await opened.close();
  writeFileSync(join(dataDir, 'master.key'), 'before');
  mkdirSync(join(dataDir, 'tls'));
  writeFileSync(join(dataDir, 'tls', 'ca.pem'), 'before');
  return dataDir;
}

const markIn = async (dataDir: string) =>
  (await readDatabase(join(dataDir, 'forensics.db'), (db) => db.select().from(settings).all()))[0]
    ?.value;

test('everything is restored as it was, readable by its owner only', async () => {
  const small = await backedUp();
  const dataDir = emptyDataDir();

  const { manifest, rows, problems } = await restore(small.out, dataDir);

  expect(problems).toEqual([]);
  expect(rows).toEqual(manifest.rows);
  for (const [name, text] of Object.entries(content)) {
    expect(readFileSync(join(dataDir, name), 'utf8')).toBe(text);
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(join(dataDir, 'blobs')).mode & 0o777).toBe(0o700);
  expect(await markIn(dataDir)).toBe('old');
  const names = ['blobs', 'forensics.db', 'master.key', 'models', 'signing-keys', 'tls'];
  expect(readdirSync(dataDir).toSorted()).toEqual([...names, 'validations']);
});

test('a folder that is not empty is left alone', async () => {
  const small = await backedUp();
  const dataDir = await usedDataDir();

  await expect(restore(small.out, dataDir)).rejects.toMatchObject({ code: 'conflict' });

  expect(namesIn(dataDir)).toEqual(['forensics.db', 'master.key', 'tls']);
  expect(await markIn(dataDir)).toBe('before');
});

test('a backup that is damaged, incomplete or none at all leaves the folder empty', async () => {
  const small = await backedUp();
  const damaged = join(small.folder, 'damaged.tar');
  const bytes = readFileSync(small.out);
  bytes[bytes.indexOf('picturepicture')]! ^= 1;
  writeFileSync(damaged, bytes);
  const dataDir = emptyDataDir();
  const lost = join(small.folder, 'lost.tar');
  writeFileSync(join(small.folder, 'plain.txt'), 'before');
  writeFileSync(lost, await withoutEntry(readFileSync(small.out), evidence.path));

  const attempts = [
    await codeOf(() => restore(damaged, dataDir)),
    await codeOf(() => restore(lost, dataDir)),
    await codeOf(() => restore(join(small.folder, 'plain.txt'), dataDir)),
    await codeOf(() => restore(join(dataDir, 'none'), dataDir)),
  ];

  expect(attempts.slice(0, 2)).toEqual(['backup_damaged', 'backup_damaged']);
  expect(attempts[3]).toBe('file_not_found');
  expect(namesIn(dataDir)).toEqual([]);
});

test.each(['../escaped', '/escaped', 'tls/../../escaped', 'blobs/escaped', 'restore.json'])(
  'an archive that names %s writes nothing there',
  async (name) => {
    const dataDir = emptyDataDir();

    expect(await codeOf(async () => restore(await forge({ name }), dataDir))).toBe(
      'backup_damaged',
    );

    expect(readdirSync(dataDir)).toEqual([]);
    expect(existsSync(join(dataDir, '..', 'escaped'))).toBe(false);
  },
);

test.each(['symlink', 'link'] as const)('a %s in an archive is refused', async (type) => {
  const file = await forge({ name: 'tls/ca.pem', type, linkname: '/etc/hostname' });
  const dataDir = emptyDataDir();

  await expect(restore(file, dataDir)).rejects.toEqual(
    refusal('backup_damaged', 'tls/ca.pem is not a regular file.'),
  );

  expect(readdirSync(dataDir)).toEqual([]);
});

/** Made before tar-stream was used, with a different header layout. */
test('a backup from an earlier version is valid and restored', async () => {
  const packed = readFileSync(new URL('./made-by-1.tar.gz', import.meta.url));
  const file = join(temporaryFolder(), 'backup.tar');
  writeFileSync(file, gunzipSync(packed));
  const dataDir = emptyDataDir();

  const { problems } = await restore(file, dataDir);

  expect(problems).toEqual([]);
  expect(await markIn(dataDir)).toBe('old');
  const plain = Object.entries(content).filter(([name]) => !name.startsWith('blobs/'));
  for (const [name, text] of [...plain, [`models/größe/${'l'.repeat(90)}.onnx`, 'long'] as const]) {
    expect(readFileSync(join(dataDir, name), 'utf8')).toBe(text);
  }
  const objects = join(dataDir, 'blobs', `b-${'0'.repeat(24)}`, 'objects');
  expect(readFileSync(join(objects, 'bb', 'b'.repeat(64)), 'utf8')).toBe('report');
});

test('keys that were left out are taken from their own folder, and must match', async () => {
  const small = await backedUp({ withKeys: false });
  const [right, wrong, dataDir] = [join(small.folder, 'right'), temporaryFolder(), emptyDataDir()];
  mkdirSync(right);
  for (const name of ['master.key', 'signing-keys', 'tls']) {
    cpSync(join(small.dataDir, name), join(right, name), { recursive: true });
  }
  writeFileSync(join(wrong, 'master.key'), 'ab'.repeat(32));

  const refused = [
    await codeOf(() => restore(small.out, dataDir)),
    await codeOf(() => restore(small.out, dataDir, { keysDir: wrong })),
  ];
  await restore(small.out, dataDir, { keysDir: right });

  expect(refused).toEqual(['usage', 'usage']);
  expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toBe(content['master.key']);
  expect(readdirSync(join(dataDir, 'signing-keys'))).toEqual(['0001.pem']);
});

const killed = new URL('./restore-killed.ts', import.meta.url);
const runKilled = (file: string, dataDir: string, where: string) =>
  spawnSync(process.execPath, [...fromDist, fileURLToPath(killed), file, dataDir, where], {
    encoding: 'utf8',
  });

test('a backup with an older schema is restored as it is, and migrated when opened', async () => {
  const small = await smallFolder();
  const older = join(small.folder, 'older.db');
  makeOlderDatabase(older);
  const client = new Database(older);
  await backUp({ ...small, db: createSqliteDb(client) });
  client.close();
  const dataDir = emptyDataDir();

  const { manifest, problems } = await restore(small.out, dataDir);
  const opened = openDatabase({ path: join(dataDir, 'forensics.db') });
  await opened.close();

  const from = currentSchema('sqlite') - 1;
  expect({ schema: manifest.schema, problems }).toEqual({ schema: from, problems: [] });
  expect(opened.upgrade).toMatchObject({ from, to: currentSchema('sqlite') });
  expect(namesIn(join(dataDir, 'backups'))).toHaveLength(1);
});

test('kill -9 while unpacking leaves a folder that only a restore opens', async () => {
  const small = await backedUp();
  const dataDir = emptyDataDir();

  const { signal } = runKilled(small.out, dataDir, 'unpacking');
  const left = namesIn(dataDir);
  expect(() => hasInstallation({ dataDir, databaseUrl: null })).toThrow(refusal('conflict'));
  await restore(small.out, dataDir);

  expect(signal).toBe('SIGKILL');
  expect(left).toContain('.restoring');
  expect(namesIn(dataDir)).not.toContain('.restoring');
  expect(await markIn(dataDir)).toBe('old');
});

test.each([1, 4, 8])(
  'kill -9 before step %i of 8 leaves a folder that is refused',
  async (step) => {
    const small = await backedUp();
    const dataDir = emptyDataDir();

    const { signal } = runKilled(small.out, dataDir, String(step));

    expect(signal).toBe('SIGKILL');
    const moved = namesIn(dataDir).filter((name) => !/^\.restoring|^serve\.lock/.test(name));
    expect(moved).toHaveLength(step - 1);
    expect(() => hasInstallation({ dataDir, databaseUrl: null })).toThrow(refusal('conflict'));
  },
);

const namesIn = (folder: string) => readdirSync(folder).toSorted();

/** As an attacker could make it: with an entry that no backup has, and no end. */
async function forge(entry: Parameters<Pack['entry']>[0]): Promise<string> {
  const tar = pack();
  for (const header of [{ name: 'forensics.db' }, entry]) {
    tar.entry({ mtime: now(), ...header }, header.linkname === undefined ? 'escaped' : '');
  }
  tar.finalize();
  const file = join(temporaryFolder(), 'forged.tar');
  writeFileSync(file, await buffer(tar));
  return file;
}
