import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { bucket, startS3Server } from '../fixtures/s3-server.ts';
import { refused, runCli, runHere } from './run-cli.ts';

const dataDir = newFolder();
const config = join(dataDir, 'config.json');
const buckets = await startS3Server();
afterAll(() => buckets.close());

const run = async (...args: string[]) =>
  runHere(['tenant', ...args, '--data-dir', dataDir, '--config', config]);
const fileOf = (content: object | string): string => {
  const file = join(newFolder(), 'storage.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

beforeAll(async () => {
  writeFileSync(config, '{"storageAllow": ["127.0.0.0/8"]}');
  expect((await run('create', 'acme')).code).toBe(0);
});

test('a storage configuration is read from a file, tested and shown masked', async () => {
  const s3 = buckets.s3Config(bucket);
  const file = fileOf({ s3 });

  const updated = await run('update', 'acme', '--storage-config', file, '--json');
  const shown = await run('show', 'acme', '--json');
  const lines = await run('show', 'acme');
  const cleared = await run('update', 'acme', '--storage-config', 'default', '--json');
  const unset = await run('show', 'acme');

  expect([updated.code, shown.code, cleared.code]).toEqual([0, 0, 0]);
  expect(JSON.parse(updated.stdout)).toEqual(JSON.parse(shown.stdout));
  expect(JSON.parse(shown.stdout)).toMatchObject({
    name: 'acme',
    storageType: 's3',
    storageConfig: { s3: { endpoint: '127.0.0.1', bucketName: bucket, secretAccessKey: '***' } },
    storageWarning: null,
  });
  expect(lines.stdout).toMatch(/^storageConfig +\{"s3":\{.*"endpoint":"127\.0\.0\.1"/m);
  for (const { stdout, stderr } of [updated, shown, lines]) {
    expect(stdout + stderr).not.toContain(s3.secretAccessKey);
  }
  expect(JSON.parse(cleared.stdout)).toMatchObject({ storageConfig: null });
  expect(unset.stdout).toMatch(/^storageConfig +the service's own store$/m);
  expect(unset.stdout).not.toMatch(/^(webhookUrl|storageWarning)/m);
});

test('a storage configuration is read from standard input', async () => {
  const s3 = buckets.s3Config(bucket);
  const args = ['tenant', 'update', 'acme', '--storage-config', '-', '--json'];

  const ran = await runCli([...args, '--data-dir', dataDir, '--config', config], {
    stdin: Buffer.from(JSON.stringify({ s3 })),
  });

  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ storageConfig: { s3: { bucketName: bucket } } });
});

test.each<[() => string, number, RegExp]>([
  [() => fileOf('{'), 2, /not valid JSON/],
  [() => fileOf({ s3: { usessl: true } }), 2, /s3\.usessl is not known/],
  [() => fileOf({ s3: { endpoint: 7 } }), 2, /s3\.endpoint must be a host name/],
  [() => fileOf({ azure: { containerName: 'evidence' } }), 2, /connectionString is missing/],
  [() => fileOf({ s3: { ...buckets.s3Config(bucket), secretAccessKey: 'x' } }), 3, /secret/i],
  [() => join(dataDir, 'typo.json'), 4, /typo\.json does not exist/],
])('an invalid or useless configuration is refused (%#)', async (file, code, message) => {
  const before = (await run('show', 'acme', '--json')).stdout;

  const ran = await run('update', 'acme', '--storage-config', file());

  expect(ran).toEqual(refused(code, message));
  expect((await run('show', 'acme', '--json')).stdout).toBe(before);
});

test('trial is switched on and off by the administrator', async () => {
  const on = await run('trial', 'acme', '--on', '--json');
  const off = await run('trial', 'acme', '--off', '--json');
  const neither = await run('trial', 'acme');
  const both = await run('trial', 'acme', '--on', '--off');

  expect(JSON.parse(on.stdout)).toMatchObject({ name: 'acme', trial: true });
  expect(JSON.parse(off.stdout)).toMatchObject({ trial: false });
  expect([neither.code, both.code]).toEqual([2, 2]);
});
