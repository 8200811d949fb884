import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import type { KeyEntry } from '../../src/contract/keys.ts';
import type { Rotated } from '../../src/service/access/keys.ts';
import { refused, runHere } from './run-cli.ts';

const dataDir = newFolder();
const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);

async function keysNamed(name: string): Promise<readonly KeyEntry[]> {
  const listed: KeyEntry[] = JSON.parse(
    (await run('keys', 'list', '--tenant', 'acme', '--json')).stdout,
  );
  return listed.filter((key) => key.name === name);
}

const create = ['keys', 'create', '--tenant', 'acme', '--name', 'ci'];

beforeAll(async () => {
  expect((await run('tenant', 'create', 'acme')).code).toBe(0);
});

test('without --json stdout is the secret alone, and messages go to stderr', async () => {
  const { stdout, stderr } = await run(...create);

  expect(stdout).toMatch(/^sk-\S+\n$/);
  expect(stderr).toContain(`Acting on the data folder ${dataDir}`);
  expect(stderr).not.toContain(stdout.trim());
});

test('--out writes the secret only to a new file that only its owner can read', async () => {
  const file = join(dataDir, 'ci.key');

  const { code, stdout, stderr } = await run(...create, '--out', file, '--json');

  const secret = readFileSync(file, 'utf8');
  expect(code).toBe(0);
  expect(secret).toMatch(/^sk-\S+\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(stdout + stderr).not.toContain(secret.trim());
  expect(JSON.parse(stdout)).not.toHaveProperty('secret');
});

test('no key is created if the file exists or cannot be written', async () => {
  const name = ['--tenant', 'acme', '--name', 'no file'];
  const taken = join(dataDir, 'taken');
  await run('keys', 'create', ...name, '--out', taken);
  const before = readFileSync(taken, 'utf8');

  const again = await run('keys', 'create', ...name, '--out', taken);
  const nowhere = await run('keys', 'create', ...name, '--out', join(dataDir, 'no', 'folder'));

  expect([again.code, nowhere.code]).toEqual([5, 1]);
  expect(readFileSync(taken, 'utf8')).toBe(before);
  expect(await keysNamed('no file')).toHaveLength(1);
});

test('the file for a key is removed if the key cannot be created', async () => {
  const file = join(dataDir, 'orphan');

  const { code } = await run('keys', 'create', '--tenant', 'no', '--name', 'x', '--out', file);

  expect([code, existsSync(file)]).toEqual([4, false]);
});

test('a rotated key stays valid during its grace period, and the new one is printed', async () => {
  await run('keys', 'create', '--tenant', 'acme', '--name', 'rotated');

  const rotated = await run('keys', 'rotate', '--tenant', 'acme', '--name', 'rotated', '--json');

  const { key, replaced }: Rotated = JSON.parse(rotated.stdout);
  expect(key).toMatchObject({ name: 'rotated', secret: expect.stringMatching(/^sk-\S+$/) });
  expect(replaced.secret).toContain('****');
  expect(Date.parse(replaced.expiresAt) - Date.parse(key.createdDate)).toBe(86_400_000);
  const again = await run('keys', 'rotate', '--tenant', 'acme', '--name', 'rotated');
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(key.uuid)]);
});

test('--now revokes all keys of that name, including those still in a grace period', async () => {
  const name = ['--tenant', 'acme', '--name', 'leaked twice'];
  await run('keys', 'create', ...name);
  await run('keys', 'rotate', ...name, '--grace', '12h');

  const rotated = await run('keys', 'rotate', ...name, '--now', '--json');

  const { key, replaced }: Rotated = JSON.parse(rotated.stdout);
  expect(await keysNamed('leaked twice')).toMatchObject([{ uuid: key.uuid }]);
  expect(replaced.ended).toBe('replaced');
  expect(Date.parse(replaced.expiresAt)).toBeLessThanOrEqual(Date.now());
});

test('rotate --out writes a new file; if the file exists, no key is revoked', async () => {
  const name = ['--tenant', 'acme', '--name', 'filed'];
  const file = join(dataDir, 'filed.key');
  await run('keys', 'create', ...name);

  const rotated = await run('keys', 'rotate', ...name, '--out', file, '--json');
  const again = await run('keys', 'rotate', ...name, '--out', file, '--now');

  const secret = readFileSync(file, 'utf8').trim();
  expect([rotated.code, again.code]).toEqual([0, 5]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(rotated.stdout + rotated.stderr).not.toContain(secret);
  expect(await keysNamed('filed')).toHaveLength(2);
});

test('the list states which keys work, and when they expire', async () => {
  await run('tenant', 'create', 'states');
  const of = ['--tenant', 'states'];
  await run('keys', 'create', ...of, '--name', 'leaked');
  await run('keys', 'rotate', ...of, '--name', 'leaked', '--grace', '1m');
  await run('keys', 'create', ...of, '--name', 'short', '--expires-in', '1m');

  vi.setSystemTime(Date.now() + 120_000);
  const { stdout } = await run('keys', 'list', ...of).finally(() => vi.useRealTimers());

  expect(stdout).toMatch(/^uuid +name +created +state +expires +last used +secret\n/);
  expect(stdout).toMatch(/short +\S+ +expired +\S+ /);
  expect(stdout).toMatch(/leaked +\S+ +active +\S+ /);
  expect(stdout).toMatch(/leaked +\S+ +replaced +\S+ /);
});

test('keys that expire soon give exit code 10, unless they have been rotated', async () => {
  await run('tenant', 'create', 'expiry');
  const of = ['--tenant', 'expiry'];
  const soon = async () => run('keys', 'list', ...of, '--expiring-within', '14d', '--json');
  await run('keys', 'create', ...of, '--name', 'lasting');
  const nothing = await soon();
  await run('keys', 'create', ...of, '--name', 'ending', '--expires-in', '13d');

  const found = await soon();

  expect([nothing.code, JSON.parse(nothing.stdout)]).toEqual([0, []]);
  expect(found.code).toBe(10);
  expect(JSON.parse(found.stdout)).toMatchObject([{ name: 'ending' }]);
  await run('keys', 'rotate', ...of, '--name', 'ending');
  expect((await soon()).code).toBe(0);
});

test.each([
  [['keys', 'rotate', '--tenant', 'acme'], 2, 'Specify the key'],
  [['keys', 'rotate', '--tenant', 'acme', '--name', 'nobody'], 4, 'API key not found'],
  [['keys', 'rotate', '--tenant', 'acme', '--name', 'a', '--uuid', 'b'], 2, 'cannot be used with'],
  [['keys', 'rotate', '--tenant', 'acme', '--now', '--grace', '1h'], 2, 'cannot be used with'],
  [['keys', 'list', '--tenant', 'nobody'], 4, 'There is no tenant "nobody"'],
  [[...create, '--expires-in', 'soon'], 2, '30m, 12h or 90d'],
  [[...create, '--expires-in', '0d'], 2, '30m, 12h or 90d'],
  [[...create, '--expires-in', '1.5d'], 2, '30m, 12h or 90d'],
  [[...create, '--expires-in', '3651d'], 2, '30m, 12h or 90d'],
  [['tenant', 'create', 'acme'], 5, 'choose another'],
  [['tenant', 'update', 'acme', '--webhook-url', 'ftp://a'], 2, 'http or https'],
])('%j ends with exit code %i and one line', async (args, code, message) => {
  expect(await run(...args)).toEqual(refused(code, message));
});

test('a data folder that was never set up stays untouched', async () => {
  const folder = join(dataDir, 'typo');
  const ran = await runHere(['tenant', 'list', '--data-dir', folder]);

  expect(ran).toEqual(refused(4, 'This data folder is not set up'));
  expect(existsSync(folder)).toBe(false);
});

test("a webhook to a private address is saved with a warning, as the server's settings may differ", async () => {
  const set = ['tenant', 'update', 'acme', '--webhook-url'];

  const inside = await run(...set, 'https://10.0.0.1/hook');
  const outside = await run(...set, 'https://receiver.example/hook');

  expect([inside.code, outside.code]).toEqual([0, 0]);
  expect(inside.stdout).toContain('https://10.0.0.1/hook');
  expect(inside.stderr).toMatch(/Warning, judging by this command's settings: .* webhookAllow/);
  expect(outside.stderr).not.toContain('Warning');
});
