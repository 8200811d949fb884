import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { runHere } from './run-cli.ts';

let dataDir: string;
const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);
const runWith = async (masterKey: string, ...args: string[]) => {
  vi.stubEnv('FORENSICS_MASTER_KEY', masterKey);
  return run(...args);
};
const key = () => readFileSync(join(dataDir, 'master.key'), 'utf8');

beforeEach(async () => {
  dataDir = newFolder();
  await run('tenant', 'create', 'acme');
});
afterEach(() => void vi.unstubAllEnvs());

test('rotate replaces the key and prints neither', async () => {
  const oldKey = key().trim();
  const secret = await run('tenant', 'webhook-secret', 'acme');

  const rotated = await run('master-key', 'rotate');

  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringContaining('re-encrypted: 0') });
  expect(key().trim()).not.toBe(oldKey);
  for (const each of [oldKey, key().trim()]) {
    expect(rotated.stdout + rotated.stderr).not.toContain(each);
  }
  expect((await run('tenant', 'webhook-secret', 'acme')).stdout).toBe(secret.stdout);
});

test('after --now, webhook receivers need the new secret', async () => {
  const secret = await run('tenant', 'webhook-secret', 'acme');

  const rotated = await run('master-key', 'rotate', '--now', '--json');

  expect(JSON.parse(rotated.stdout)).toEqual({ rotated: true, resealed: 0, unreadable: 0 });
  expect(rotated.stderr).toContain('forensics tenant webhook-secret');
  expect((await run('tenant', 'webhook-secret', 'acme')).stdout).not.toBe(secret.stdout);
});

test('a key in the environment is replaced with one from a file', async () => {
  const [old, fresh] = ['0a'.repeat(32), '0B'.repeat(32)];
  dataDir = newFolder();
  const file = join(dataDir, 'new.key');
  writeFileSync(file, `${fresh}\n`);
  await runWith(old, 'tenant', 'create', 'acme');

  const rotated = await runWith(old, 'master-key', 'rotate', '--key-file', file);

  expect(rotated).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Set FORENSICS_MASTER_KEY to the new key'),
  });
  expect((await runWith(fresh, 'tenant', 'show', 'acme')).code).toBe(0);
  expect((await runWith(old, 'tenant', 'show', 'acme')).code).toBe(2);
});

test.each([
  ['is damaged', 'abc', 2, '64 hexadecimal digits'],
  ['does not exist', null, 4, 'does not exist'],
])('a new key file that %s is refused, and nothing changes', async (_what, text, code, message) => {
  const before = key();
  const file = join(dataDir, 'new.key');
  if (text !== null) writeFileSync(file, text);

  const ran = await run('master-key', 'rotate', '--key-file', file);

  expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  expect(key()).toBe(before);
});

test('a data folder that was never set up has no key to rotate', async () => {
  dataDir = newFolder();

  expect(await run('master-key', 'rotate')).toMatchObject({ code: 4, stdout: '' });
});
