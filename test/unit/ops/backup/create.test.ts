import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readArchive } from '../../../../src/ops/backup/archive-reader.ts';
import { settings } from '../../../../src/ports/db/schema.ts';
import { readDatabase } from '../../../../src/ports/db/snapshot.ts';
import { masterKeyId } from '../../../../src/ops/backup/contents.ts';
import { deriveSecrets } from '../../../../src/service/secrets/secrets.ts';
import {
  backedUp,
  backUp,
  content,
  elsewhere,
  evidence,
  masterKey,
  smallFolder,
  upload,
} from './small-backup.ts';
import { ForensicsError } from '../../../../src/contract/errors.ts';
import { canMount, onOwnDisk } from '../../../fixtures/own-disk.ts';
import { temporaryFolder } from '../../ports/db/temporary.ts';
import { refusal } from '../../../fixtures/refusal.ts';

test('a backup holds the database and all files named by rows, and lists them in its manifest', async () => {
  const small = await smallFolder();

  const made = await backUp(small);

  const { manifest, files, problems, manifestSha256 } = await readArchive(small.out);
  expect(problems).toEqual([]);
  expect([...files.keys()].toSorted()).toEqual(
    ['forensics.db', ...Object.keys(content)].toSorted(),
  );
  expect(manifest).toMatchObject({
    format: 1,
    program: '1.2.3',
    createdAt: '2026-11-21T21:30:05.678Z',
    holdsKeys: true,
    masterKey: { place: 'here', id: masterKeyId(deriveSecrets(masterKey)) },
    settings: { port: 1 },
    rows: { settings: 1, tenants: 1 },
    files: Object.keys(content).length + 1,
    absent: [],
    elsewhere: [{ ...elsewhere, analyses: 1 }],
  });
  expect(made).toMatchObject({ file: small.out, manifestSha256 });
  expect(made.sizeBytes).toBe(statSync(small.out).size);
  expect(statSync(small.out).mode & 0o777).toBe(0o600);
  expect(readdirSync(small.folder).toSorted()).toEqual(['backup.tar', 'data']);
});

test('tar and sha256sum can unpack and check it', async () => {
  const small = await backedUp();
  const folder = join(small.folder, 'unpacked');
  mkdirSync(folder);

  execFileSync('tar', ['-xf', small.out, '-C', folder]);
  const checked = ['SHA256SUMS', 'manifest.json.sha256'].map((sums) =>
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', sums], {
      cwd: folder,
      encoding: 'utf8',
    }),
  );

  expect(checked).toEqual(['', '']);
  for (const [name, text] of Object.entries(content)) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  }
  const rows = await readDatabase(join(folder, 'forensics.db'), (db) =>
    db.select().from(settings).all(),
  );
  expect(rows).toEqual([{ key: 'mark', value: 'old' }]);
});

test('an object that disappears meanwhile is reported as absent, without failing the backup', async () => {
  const small = await smallFolder();
  rmSync(join(small.dataDir, evidence.path));

  const { manifest } = await backUp(small, {
    onProgress: () => {
      rmSync(join(small.dataDir, upload.path), { force: true });
    },
  });

  expect(manifest.absent).toEqual([upload, evidence]);
});

test('on a full disk the database is read, and the backup is made without its line in the audit log', async () => {
  const module = new URL('../../../../src/ports/db/sqlite.ts', import.meta.url).href;
  const script = `const { openDatabase } = await import('${module}');
    const { writeFileSync } = await import('node:fs');
    const place = { path: process.argv[1] + '/forensics.db' };
    await openDatabase(place).close();
    try { writeFileSync(process.argv[1] + '/rest', Buffer.alloc(9e6)) } catch {}
    const { $client } = openDatabase(place).db;
    process.stdout.write(String($client.pragma('integrity_check', { simple: true })));`;

  const made = await backUp(await smallFolder(), {}, async () => {
    throw new ForensicsError('no_space_left', '');
  });

  expect(made.isRecorded).toBe(false);
  if (canMount)
    expect(onOwnDisk('4m', temporaryFolder(), ['--input-type=module', '-e', script])).toBe('ok');
});

test('without keys it contains none, neither by name nor by content', async () => {
  const small = await backedUp({ withKeys: false });

  const { files, manifest } = await readArchive(small.out);
  expect([...files.keys()].filter((name) => /key|tls/.test(name))).toEqual([]);
  expect(manifest?.holdsKeys).toBe(false);
  const bytes = readFileSync(small.out);
  for (const name of ['master.key', 'signing-keys/0001.pem', 'tls/ca-key.pem']) {
    expect(bytes.includes(content[name]!.trim())).toBe(false);
  }
});

test('unfinished files and the targets of links are left out', async () => {
  const small = await smallFolder();
  writeFileSync(join(small.dataDir, 'signing-keys', '0002.pem.4711.new'), 'half');
  writeFileSync(join(small.dataDir, 'serve.lock.db'), '1 1');
  symlinkSync('/etc/hostname', join(small.dataDir, 'models', 'trace-2', 'link'));

  await backUp(small);

  const { files } = await readArchive(small.out);
  expect(files.size).toBe(Object.keys(content).length + 1);
});

test.each([
  ['an existing file', 'there.tar', 'conflict'],
  ['a place in the data folder', 'data/backup.tar', 'usage'],
  ['a place in the data folder behind a link', 'link/backup.tar', 'usage'],
  ['a folder that is missing', 'missing/backup.tar', 'output_not_writable'],
])('%s is refused, and nothing is left behind', async (_what, place, code) => {
  const small = await smallFolder();
  writeFileSync(join(small.folder, 'there.tar'), 'old');
  symlinkSync(join(small.dataDir, 'models'), join(small.folder, 'link'));

  const attempt = backUp({ ...small, out: join(small.folder, place) });

  await expect(attempt).rejects.toMatchObject({ code });
  expect(readFileSync(join(small.folder, 'there.tar'), 'utf8')).toBe('old');
  expect(readdirSync(small.folder).toSorted()).toEqual(['data', 'link', 'there.tar']);
});

test('a backup that is aborted leaves nothing behind', async () => {
  const small = await smallFolder();

  const attempt = backUp(small, {
    onProgress: () => {
      throw new Error('stopped');
    },
  });

  await expect(attempt).rejects.toThrow('stopped');
  expect(readdirSync(small.folder)).toEqual(['data']);
});

test('an inconsistent database is not backed up', async () => {
  const small = await smallFolder();
  small.db.$client.pragma('foreign_keys = OFF');
  small.db.$client.exec("INSERT INTO user_tenants VALUES ('nobody', 'nowhere')");

  await expect(backUp(small)).rejects.toEqual(refusal('database_damaged', 'user_tenants'));
  expect(readdirSync(small.folder)).toEqual(['data']);
});
