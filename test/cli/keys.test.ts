import { beforeAll, expect, test, vi } from 'vitest';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyEntry } from '../../src/access/key-entry.ts';
import { main } from '../../src/cli/main.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'forensics-keys-'));
const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);

/** In this process: a dozen of new ones would cost more than everything they do. */
async function runHere(args: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const code = await main(['node', 'forensics', ...args]);
  for (const spy of spies) spy.mockRestore();
  return { code, ...said };
}

const create = ['keys', 'create', '--tenant', 'acme', '--name', 'ci'];

beforeAll(async () => {
  expect((await run('tenant', 'create', 'acme')).code).toBe(0);
});

test('a key is created, listed masked, revoked and then gone', async () => {
  const created = await run(...create, '--expires-in', '12h', '--json');
  const key: KeyEntry = JSON.parse(created.stdout);
  const listed = await run('keys', 'list', '--tenant', 'acme', '--json');
  const [entry]: KeyEntry[] = JSON.parse(listed.stdout);
  const revoked = await run('keys', 'revoke', key.uuid, '--tenant', 'acme');
  const after = await run('keys', 'list', '--tenant', 'acme', '--json');
  const again = await run('keys', 'revoke', key.uuid, '--tenant', 'acme');

  expect(key.secret).toMatch(/^sk-[a-z0-9]+-[0-9A-Za-z]{38}$/);
  expect(Date.parse(key.expiresAt) - Date.parse(key.createdDate)).toBeCloseTo(43_200_000, -4);
  expect(entry).toMatchObject({ uuid: key.uuid, secret: expect.stringContaining('****') });
  expect(listed.stdout).not.toContain(key.secret);
  expect([revoked.code, again.code]).toEqual([0, 4]);
  expect(JSON.parse(after.stdout)).toEqual([]);
});

test('without --json standard output is the secret alone, and the talk goes to standard error', async () => {
  const { stdout, stderr } = await run(...create);

  expect(stdout).toMatch(/^sk-\S+\n$/);
  expect(stderr).toContain(`Acting on the data folder ${dataDir}`);
  expect(stderr).not.toContain(stdout.trim());
});

test.each([
  [['keys', 'list', '--tenant', 'nobody'], 4, 'There is no tenant "nobody"'],
  [[...create, '--expires-in', 'soon'], 2, '30m, 12h, 90d'],
  [['tenant', 'create', 'acme'], 5, 'choose another name'],
  [['tenant', 'update', 'acme', '--webhook-url', 'ftp://a'], 2, 'http or https'],
])('%j ends with exit code %i and one line', async (args, code, message) => {
  const ran = await run(...args);

  expect(ran.code).toBe(code);
  expect(ran.stdout).toBe('');
  expect(ran.stderr).toContain(message);
});

test('a data folder where nothing was set up is left as it is', async () => {
  const folder = join(dataDir, 'typo');
  const ran = await runHere(['tenant', 'list', '--data-dir', folder]);

  expect([ran.code, existsSync(folder)]).toEqual([4, false]);
  expect(ran.stderr).toContain('Nothing was set up in this data folder');
});

test('a tenant is shown with its webhook', async () => {
  await run('tenant', 'update', 'acme', '--webhook-url', 'https://receiver.example/hook');
  const shown = await run('tenant', 'show', 'acme', '--json');
  const listed = await run('tenant', 'list');

  expect(JSON.parse(shown.stdout)).toMatchObject({
    name: 'acme',
    trial: false,
    webhookUrl: 'https://receiver.example/hook',
    webhookState: 'active',
  });
  expect(listed.stdout).toContain('https://receiver.example/hook');
});
