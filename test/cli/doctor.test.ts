import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Diagnosis } from '../../src/ops/doctor/installation.ts';
import { newFolder } from '../fixtures/folder.ts';
import { canMount } from '../fixtures/own-disk.ts';
import { startServing } from '../journeys/serving.ts';
import { bucket, otherBucket, startS3Server } from '../fixtures/s3-server.ts';
import { entry, refused, runHere } from './run-cli.ts';

const dataDir = newFolder();
const config = join(dataDir, 'config.json');
const corsAllowedOrigins = ['https://app.example'];
const loopback = ['127.0.0.0/8'];
const settings = { storageAllow: loopback, webhookAllow: loopback, maxUploadBytes: 1024 };
writeFileSync(config, JSON.stringify({ ...settings, corsAllowedOrigins }));
const buckets = await startS3Server({ corsOrigins: corsAllowedOrigins });
const server = await startServing(dataDir, { FORENSICS_CONFIG: config });
afterAll(async () => {
  await server.end('SIGTERM');
  await buckets.close();
});

const run = async (...args: string[]) =>
  runHere([...args, '--data-dir', dataDir, '--config', config]);
const doctor = async (...args: string[]) =>
  run('doctor', '--public-url', server.ready.url, ...args);

async function found(...args: string[]) {
  const { code, stdout } = await doctor('--quick', '--json', ...args);
  const { ok, checks }: { ok: boolean; checks: Diagnosis[] } = JSON.parse(stdout);
  return { code, ok, checks };
}

/** A folder of its own with a tenant, and commands that act on it. */
async function anotherFolder() {
  const other = newFolder();
  const inOther = (...args: string[]) => runHere([...args, '--data-dir', other]);
  await inOther('tenant', 'create', 'acme');
  return { other, inOther };
}

const statesOf = (checks: readonly Diagnosis[]) =>
  checks.map(({ name, tenant, state }) => [tenant ?? '', name, state]);

test('a healthy installation passes all checks while its server runs', async () => {
  const { code, stdout } = await doctor('--json');
  const { ok, checks }: { ok: boolean; checks: Diagnosis[] } = JSON.parse(stdout);

  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(statesOf(checks)).toEqual([
    ['', 'models', 'ok'],
    ['', 'self-test', 'ok'],
    ['', 'data folder', 'ok'],
    ['', 'free space', expect.stringMatching(/^(ok|warning)$/)], // the disk of this machine may be nearly full
    ['', 'certificate', 'ok'],
    ['', 'database', 'ok'],
    ['default', 'store', 'ok'],
    ['default', 'presigned URLs', 'ok'],
    ['default', 'CORS', 'ok'],
    ['default', 'clock', 'ok'],
  ]);
});

test('every tenant’s own store is checked; the shared one only once', async () => {
  const storage = join(dataDir, 'storage.json');
  const s3 = buckets.s3Config(bucket);
  writeFileSync(storage, JSON.stringify({ s3 }));
  for (const name of ['acme', 'twin']) await run('tenant', 'create', name);
  await run('tenant', 'update', 'acme', '--storage-config', storage);
  buckets.replaceKey(bucket);

  const { code, ok, checks } = await found();
  const own = await found('--tenant', 'twin');
  const lines = await doctor('--quick', '--tenant', 'acme');

  expect({ code, ok }).toEqual({ code: 1, ok: false });
  expect(statesOf(checks).filter(([tenant]) => tenant !== '')).toEqual([
    ['acme', 'store', 'failed'],
    ['acme', 'clock', 'ok'],
    ...['store', 'presigned URLs', 'CORS', 'clock'].map((name) => ['default', name, 'ok']),
  ]);
  expect(new Set(own.checks.map(({ tenant }) => tenant))).toEqual(new Set([null, 'twin']));
  expect(lines.code).toBe(1);
  expect(lines.stdout).toContain(
    'failed   store (acme): The store does not recognise the access key. Check it.\n' +
      '         Fix: Correct the configuration: forensics tenant update acme --storage-config FILE\n',
  );
  for (const secret of [s3.secretAccessKey, s3.accessKeyId, 'X-Amz-Signature']) {
    expect(JSON.stringify(checks) + lines.stdout + lines.stderr).not.toContain(secret);
  }
});

test('a default store configured for the service is checked instead of the embedded one', async () => {
  const { other, inOther } = await anotherFolder();
  const defaultStorage = join(other, 'default.json');
  const own = join(other, 'config.json');
  const write = (more: object) => {
    const s3 = { ...buckets.s3Config(otherBucket), ...more };
    writeFileSync(defaultStorage, JSON.stringify({ s3 }));
  };
  const check = async () => inOther('doctor', '--quick', '--config', own);
  write({ corsAllowedOrigins: ['https://app.example'] });
  writeFileSync(own, JSON.stringify({ defaultStorage }));

  const well = await check();
  write({ secretAccessKey: 'wrong' });
  const wrong = await check();

  expect(well.code).toBe(0);
  expect(well.stdout).toMatch(/^ok +CORS \(acme\): Pages from https:\/\/app\.example can upload/m);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain('Fix: Correct the file specified by the defaultStorage setting.');
});

test('an unknown tenant and an empty folder are reported', async () => {
  const unknown = await doctor('--quick', '--tenant', 'nobody');
  const nothing = await runHere(['doctor', '--quick', '--data-dir', newFolder()]);

  expect(unknown).toMatchObject({ code: 4, stdout: '' });
  const stdout = expect.stringContaining('Fix: Start "forensics serve"');
  expect(nothing).toMatchObject({ code: 1, stdout });
});

test('a missing database in a folder in use is reported, and not recreated', async () => {
  const { other, inOther } = await anotherFolder();
  mkdirSync(join(other, 'blobs'));
  rmSync(join(other, 'forensics.db'));

  const diagnosed = await inOther('doctor', '--quick');
  const served = await inOther('serve', '--port', '0');

  expect(diagnosed.code).toBe(1);
  expect(diagnosed.stdout).toMatch(
    /^failed +data folder: The database forensics\.db is missing.*\n +Fix: Restore a backup/m,
  );
  expect(served).toEqual(refused(7, 'The database forensics.db is missing or empty'));
  expect(readdirSync(other)).not.toContain('forensics.db');
});

test.skipIf(process.getuid?.() !== 0)('a folder of another user is left alone', async () => {
  const { other, inOther } = await anotherFolder();
  const before = readdirSync(other);
  chownSync(other, 12_345, 12_345);

  const { code, stdout } = await inOther('doctor', '--quick');

  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^failed +data folder: It belongs to another user\.\n +Fix: Run it as that user \(sudo -u '#12345'/m,
  );
  expect(readdirSync(other)).toEqual(before);
});

const ofNobody = { uid: 65_534, gid: 65_534, cwd: '/', env: { HOME: '/nonexistent' } };
// Needs root, and a checkout that other users may read.
const canBeNobody = spawnSync(process.execPath, [entry, '--version'], ofNobody).status === 0;
test.skipIf(!canBeNobody)(
  "every command refuses another user's folder with the same exit code",
  () => {
    const other = newFolder();
    const commands = ['serve --port 0', 'tenant list', 'validate list', 'keys list --tenant acme'];

    const codes = commands.map((command) => {
      const args = [entry, ...command.split(' '), '--data-dir', other];
      return spawnSync(process.execPath, args, ofNobody).status;
    });

    expect(codes).toEqual(commands.map(() => 3));
  },
  60_000,
);

/** What the doctor, or another command, prints where this command has mounted a disk. */
function diagnoseWith(mount: string, folder: string, command = ['doctor', '--quick']) {
  const program = [process.execPath, entry, ...command, '--data-dir', folder];
  const script = ['sh', '-c', `${mount} && exec "$@"`, 'sh'];
  const { stdout, status } = spawnSync('unshare', ['-rm', ...script, ...program]);
  return { stdout: stdout.toString(), status };
}

test.skipIf(!canMount)('a store on a read-only disk is reported as such', async () => {
  const { other } = await anotherFolder();
  const blobs = join(other, 'blobs');
  mkdirSync(blobs, { recursive: true });

  expect(diagnoseWith(`mount -t tmpfs -o ro none ${blobs}`, other).stdout).toMatch(
    /^failed +store \(acme\): .*\(EROFS: it is read-only\).*\n +Fix: .*mount it for writing/m,
  );
});

test.skipIf(!canMount)('a data folder on a read-only disk is reported as such', async () => {
  const { other } = await anotherFolder();
  chmodSync(other, 0o755);
  const mount = `mount --bind ${other} ${other} && mount -o remount,ro,bind ${other}`;

  expect(diagnoseWith(mount, other).stdout.match(/^failed.*\n.*/gm)).toEqual([
    expect.stringMatching(/data folder: Its disk is mounted read-only\.\n +Fix: Mount its disk/),
  ]);
  const commands = [['serve', '--port', '0'], ['worker'], ['tenant', 'create', 'other']];
  const codes = commands.map((command) => diagnoseWith(mount, other, command).status);
  expect(codes).toEqual([3, 3, 3]);
});

test('a wrong master key is reported as such', async () => {
  const { other, inOther } = await anotherFolder();
  await inOther('master-key', 'rotate');
  writeFileSync(join(other, 'master.key'), `${'0c'.repeat(32)}\n`, { mode: 0o600 });

  const { stdout } = await inOther('doctor', '--quick');

  expect(stdout).toMatch(/^failed +database: The file master\.key does not belong/m);
});
