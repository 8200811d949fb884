import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { saveCredentials, saveProfile, createSession } from '../../src/cli/connection/profiles.ts';
import type { TokenSet } from '../../src/contract/auth.ts';
import { type Listening, openListening } from '../unit/server/open-server.ts';
import { runInTerminal } from './in-terminal.ts';
import { caOf, urlOf } from './on-server.ts';
import { emptyFolder, runCli } from './run-cli.ts';
import { runHere } from './run-here.ts';

const email = 'examiner@example.org';
const password = 'violet harbour 42 lanterns';
const accounts = ['first', 'second', 'third'].map((name) => `${name}@example.org`);

let open: Listening;
let url: string;
let ca: string;
let home: string;
beforeAll(async () => {
  open = await openListening();
  [url, ca] = [urlOf(open), caOf(open)];
  const rights = { name: null, tenantIds: [open.tenant.id], scopes: ['settings'] };
  for (const address of [email, ...accounts]) {
    await open.app.core.users.create({ email: address, password, ...rights });
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await open.close();
});
beforeEach(async () => {
  home = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
});

/** In its own process, which can be given standard input. */
const run = (args: readonly string[], stdin = '') =>
  runCli(args, { env: { XDG_CONFIG_HOME: home }, stdin: Buffer.from(stdin) });

/** As a script does. */
const logIn = (profile: string, more: readonly string[] = [], typed = password) => {
  const where = ['--url', url, '--ca', ca, '--profile', profile];
  const who = more.includes('--email') ? [] : ['--email', email];
  return run(['login', ...where, '--password-stdin', ...who, ...more], `${typed}\n`);
};

/** What a login saves, without logging in. */
async function keepSession(profile: string, address: string): Promise<void> {
  const body = { email: address, password };
  const answer = await open.ask({ method: 'POST', path: '/v1/auth/login', body });
  const tokens = answer.json<{ data: TokenSet }>().data;
  saveProfile({ name: profile, url, ca: readFileSync(ca, 'utf8') });
  saveCredentials(profile, createSession(tokens, { email: address, at: Date.now() }));
}

const keysOf = (profile: string) =>
  ['keys', 'list', '--tenant', 'acme', '--json'].concat('--profile', profile);
const listKeys = (profile: string) => runHere(keysOf(profile));

const credentialsOf = (profile: string) =>
  join(home, 'forensics', 'credentials', `${profile}.json`);

test('a person logs in, commands act as that person, and logout ends the session', async () => {
  const loggedIn = await logIn('lab', ['--json']);
  const listed = await listKeys('lab');
  const refreshToken: unknown = JSON.parse(readFileSync(credentialsOf('lab'), 'utf8')).refreshToken;
  const loggedOut = await runHere(['logout', '--profile', 'lab']);
  const again = await open.ask({
    method: 'POST',
    path: '/v1/auth/refresh',
    body: { refreshToken },
  });

  expect(JSON.parse(loggedIn.stdout)).toEqual({
    profile: 'lab',
    url,
    tenant: 'acme',
    loggedInAs: email,
  });
  expect(listed).toMatchObject({ code: 0, stderr: `Acting on the server ${url} (profile lab)\n` });
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
  expect(loggedOut).toMatchObject({ code: 0, stderr: `Logged out of ${url}.\n` });
  expect(again.status).toBe(401);
  expect(await listKeys('lab')).toMatchObject({ code: 3 });
});

test('a key is saved with its tenant once the server has accepted it', async () => {
  const key = open.authorization.replace('ApiKey ', '');
  const how = ['--api-key-file', '-', '--fingerprint', pin(), '--profile', 'ci'];
  const loggedIn = await run(['login', '--url', url, ...how, '--tenant', 'acme'], `${key}\n`);

  expect(loggedIn).toMatchObject({ code: 0 });
  expect(loggedIn.stdout).toMatch(/^tenant +acme\nloggedInAs +API key$/m);
  expect(await listKeys('ci')).toMatchObject({ code: 0 });
});

test.each([
  ['a wrong password', ['--email', accounts[2]!], 'wrong', 3],
  ['a tenant that is not theirs', ['--tenant', 'other'], password, 3],
])('%s saves nothing', async (_what, more, typed, code) => {
  const refused = await logIn('lab', more, typed);

  expect(refused).toMatchObject({ code, stdout: '' });
  expect(readdirSync(home)).toEqual([]);
});

test('a key that the server does not know is not saved', async () => {
  const how = ['--ca', ca, '--api-key-file', '-', '--tenant', 'acme'];
  const refused = await run(['login', '--url', url, ...how], 'sk-abc-0000\n');

  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).not.toContain('sk-abc');
  expect(readdirSync(home)).toEqual([]);
});

test('a typed password is not echoed', async () => {
  const answers = new Map([
    ['Email address:', `${accounts[0]!}\r`],
    ['Password:', `${password}\r`],
  ]);
  const shown = await runInTerminal(['login', '--url', url, '--ca', ca, '--profile', 'lab'], {
    env: { XDG_CONFIG_HOME: home },
    onScreen(text, type) {
      for (const [question, answer] of answers) {
        if (!text.includes(question)) continue;
        answers.delete(question);
        type(answer);
      }
    },
  });

  expect(shown).toMatchObject({ code: 0 });
  expect(shown.text).toContain('Add --profile lab to a command');
  expect(shown.raw).not.toContain('lanterns');
});

test('without a terminal, login names the non-interactive options', async () => {
  const refused = await runHere(['login', '--url', url, '--ca', ca]);

  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/--password-stdin.*--api-key-file/);
});

test('credentials are readable only by their owner, and no command prints them', async () => {
  await keepSession('lab', email);
  const folders = ['', 'profiles', 'credentials'].map((name) => join(home, 'forensics', name));
  const files = folders.slice(1).map((folder) => join(folder, 'lab.json'));
  const modes = [...folders, ...files].map((path) => statSync(path).mode & 0o777);

  const outputs = [];
  for (const args of [['list'], ['list', '--json']]) {
    outputs.push(await runHere(['profile', ...args]));
  }

  expect(modes).toEqual([0o700, 0o700, 0o700, 0o600, 0o600]);
  const kept: Record<string, string> = JSON.parse(readFileSync(credentialsOf('lab'), 'utf8'));
  for (const { stdout, stderr } of outputs) {
    expect(stdout).toContain(email);
    for (const secret of ['accessToken', 'idToken', 'refreshToken']) {
      expect(stdout + stderr).not.toContain(kept[secret]);
    }
  }
});

test('login renews a profile by its name alone, but refuses another server', async () => {
  await keepSession('lab', accounts[0]!);

  const renewed = await run(
    ['login', '--profile', 'lab', '--email', accounts[1]!, '--password-stdin'],
    `${password}\n`,
  );
  const turned = await runHere(['login', '--profile', 'lab', '--url', 'https://localhost:1']);

  expect(renewed).toMatchObject({ code: 0 });
  expect(renewed.stdout).toContain(accounts[1]);
  expect(turned).toMatchObject({ code: 5 });
  expect(turned.stderr).toContain(`is for ${url}`);
});

test('a removed profile is gone with its credentials', async () => {
  await keepSession('lab', email);

  const removed = await runHere(['profile', 'remove', 'lab']);

  expect(removed).toMatchObject({ code: 0 });
  expect(removed.stderr).toContain('stays valid until it expires');
  expect(await runHere(['profile', 'list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(await listKeys('lab')).toMatchObject({ code: 4 });
  for (const folder of ['profiles', 'credentials']) {
    expect(readdirSync(join(home, 'forensics', folder))).toEqual([]);
  }
});

test('three processes renew an expired access token only once, and the session survives', async () => {
  await keepSession('lab', accounts[1]!);
  const before = endAccess('lab');
  // Left by a process that was killed while holding the lock.
  writeFileSync(`${credentialsOf('lab')}.lock`, '4194304 1\n');

  const all = await Promise.all([1, 2, 3].map(() => run(keysOf('lab'))));
  const after = endAccess('lab');
  const later = await listKeys('lab');

  expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(after).not.toBe(before);
  expect(later).toMatchObject({ code: 0 });
});

test('a session ended on the server is reported with the login command', async () => {
  await keepSession('lab', accounts[2]!);
  await runHere(['user', 'passwd', accounts[2]!, '--generate', '--data-dir', open.dataDir]);
  endAccess('lab');

  const refused = await listKeys('lab');

  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toContain('log in again: forensics login --profile lab\n');
});

function pin(): string {
  return new X509Certificate(readFileSync(ca)).fingerprint256;
}

/** Expires the access token and returns the refresh token. */
function endAccess(profile: string): string {
  const file = credentialsOf(profile);
  const kept: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...kept, expiresAt: 0 }));
  return String(kept['refreshToken']);
}
