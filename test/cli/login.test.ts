import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { openListening } from '../unit/server/open-server.ts';
import { caOf, urlOf } from './on-server.ts';
import { emptyFolder, refused, runCli, runHere } from './run-cli.ts';

const open = await openListening();
const [url, ca, key] = [urlOf(open), caOf(open), open.authorization.replace('ApiKey ', '')];
let home: string;
afterAll(() => open.close());
beforeEach(async () => {
  home = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
});

/** In its own process, which can be given a key on standard input. */
const logIn = (args: readonly string[], apiKey = key) =>
  runCli(['login', '--api-key-file', '-', ...args], {
    env: { XDG_CONFIG_HOME: home },
    stdin: Buffer.from(`${apiKey}\n`),
  });

const lab = () => ['--url', url, '--ca', ca, '--profile', 'lab', '--tenant', 'acme'];
const listKeys = () => runHere(['keys', 'list', '--profile', 'lab', '--json']);

test('a key is saved with its tenant once the server has accepted it', async () => {
  const loggedIn = await logIn([...lab(), '--json']);

  expect(loggedIn).toMatchObject({ code: 0 });
  const told = { profile: 'lab', url, tenant: 'acme', loggedInAs: 'API key' };
  expect(JSON.parse(loggedIn.stdout)).toEqual(told);
  const stderr = `Acting on the server ${url} (profile lab)\n`;
  expect(await listKeys()).toMatchObject({ code: 0, stderr });
});

test.each([
  ['a key that the server does not know', () => [], 'sk-abc-0000', 3],
  ['something that is not a key', () => [], 'violet harbour', 2],
  ['a tenant that is not that of the key', () => ['--tenant', 'other'], undefined, 3],
])('%s is not saved', async (_what, more, apiKey, code) => {
  const ran = await logIn([...lab(), ...more()], apiKey);

  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).not.toMatch(/sk-abc|violet/);
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  [['--api-key-file', 'ci.key'], '--tenant NAME'],
  [['--tenant', 'acme'], '--api-key-file FILE'],
])('login with only %j names what is missing', async (given, missing) => {
  const ran = await runHere(['login', '--url', url, '--ca', ca, ...given]);

  expect(ran).toEqual(refused(2, missing));
});

test('a saved key is readable only by its owner, and no command prints it', async () => {
  await logIn(lab());
  const folders = ['', 'profiles', 'credentials'].map((name) => join(home, 'forensics', name));
  const files = folders.slice(1).map((folder) => join(folder, 'lab.json'));
  const modes = [...folders, ...files].map((path) => statSync(path).mode & 0o777);

  expect(modes).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
  for (const args of [['list'], ['list', '--json']]) {
    const { stdout, stderr } = await runHere(['profile', ...args]);

    expect(stdout).toContain('API key');
    expect(stdout + stderr).not.toContain(key);
  }
});

test('login renews a profile by its name alone, but refuses another server', async () => {
  await logIn(lab());

  const renewed = await logIn(['--profile', 'lab']);
  const turned = await runHere(['login', '--profile', 'lab', '--url', 'https://localhost:1']);

  expect(renewed).toMatchObject({ code: 0 });
  expect(turned).toEqual(refused(5, `is for ${url}`));
});

test('a removed profile is gone with its key', async () => {
  await logIn(lab());

  const removed = await runHere(['profile', 'remove', 'lab']);

  expect(removed).toMatchObject({ code: 0 });
  expect(await runHere(['profile', 'list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(await listKeys()).toMatchObject({ code: 4 });
  for (const folder of ['profiles', 'credentials']) {
    expect(readdirSync(join(home, 'forensics', folder))).toEqual([]);
  }
});
