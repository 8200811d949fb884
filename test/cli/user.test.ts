import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { openCore } from '../../src/service/core.ts';
import { askHidden } from '../../src/cli/output/terminal.ts';
import { readConfig } from '../../src/contract/config.ts';
import { refused, runCli, runHere } from './run-cli.ts';

const dataDir = newFolder();
const run = async (...args: string[]) => runHere([...args, '--data-dir', dataDir]);
const examiner = 'examiner@example.org';
let made: { id: string; email: string; password: string };

/** What a login with this password returns: `Bearer`, or the error code. */
async function logIn(password: string): Promise<unknown> {
  const { settings } = readConfig({ flags: { dataDir }, environment: {} });
  const core = await openCore(settings);
  try {
    const answer = await core.identity.login({ email: examiner, password, from: '192.0.2.1' });
    return 'tokenType' in answer ? answer.tokenType : answer;
  } catch (error) {
    return Object(error)['code'];
  } finally {
    await core.close();
  }
}

beforeAll(async () => {
  await run('tenant', 'create', 'acme');
  await run('tenant', 'create', 'other');
  const rights = ['--tenant', 'acme', '--scope', 'settings', '--scope', 'x'];
  const created = await run('user', 'create', examiner, ...rights, '--generate', '--json');
  made = JSON.parse(created.stdout);
});

test('a generated password is printed once and lets the person log in', async () => {
  const shown = await run('user', 'show', examiner, '--json');

  expect(made.password).toMatch(/^([a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  expect(await logIn(made.password)).toBe('Bearer');
  expect(shown.stdout).not.toContain(made.password);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    id: made.id,
    email: examiner,
    scopes: ['settings', 'x'],
    tenants: ['acme'],
    state: 'enabled',
    lang: 'en',
    tosAccepted: false,
  });
});

test('a password is read from a file, without its trailing line break', async () => {
  const file = join(dataDir, 'password.txt');
  writeFileSync(file, 'seven green bottles\r\n');

  const { code, stdout } = await run('user', 'passwd', examiner, '--password-file', file);

  expect(code).toBe(0);
  expect(stdout).not.toContain('seven');
  expect(await logIn('seven green bottles')).toBe('Bearer');
});

test('a password is read from standard input only with --password-stdin', async () => {
  const passwd = ['user', 'passwd', examiner, '--data-dir', dataDir];

  const piped = await runCli([...passwd, '--password-stdin'], {
    stdin: Buffer.from('eight green bottles\n'),
  });
  const unsaid = await runCli(passwd, { stdin: Buffer.from('nine green bottles\n') });

  expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining(examiner) });
  expect(unsaid).toEqual(refused(2, '--password-file, --password-stdin or --generate'));
  expect(await logIn('eight green bottles')).toBe('Bearer');
});

test('update adds and removes, and keeps everything else', async () => {
  const change = ['--add-tenant', 'other', '--remove-tenant', 'acme', '--remove-scope', 'x'];

  const updated = await run('user', 'update', examiner, ...change, '--name', 'Examiner', '--json');
  const nameless = await run('user', 'update', made.id, '--name', '', '--json');

  expect(JSON.parse(updated.stdout)).toMatchObject({
    name: 'Examiner',
    userType: 'user',
    scopes: ['settings'],
    tenants: ['other'],
  });
  expect(JSON.parse(nameless.stdout)).toMatchObject({ name: null, tenants: ['other'] });
});

test('an account is disabled and enabled, and the list shows it', async () => {
  const state = async (verb: string) => {
    await run('user', verb, examiner);
    const [user]: { state: string }[] = JSON.parse((await run('user', 'list', '--json')).stdout);
    return user?.state;
  };

  expect([await state('disable'), await state('enable')]).toEqual(['disabled', 'enabled']);
  expect((await run('user', 'list')).stdout).toMatch(/^id +address[^]*examiner@example\.org/);
});

test.each([
  [['show', 'nobody@example.org'], 4, 'There is no account "nobody@example.org"'],
  [['create', examiner, '--generate'], 5, 'There is already an account with this address'],
  [['create', 'b@example.org', '--generate', '--tenant', 'no'], 4, 'There is no tenant "no"'],
  [['create', 'examiner', '--generate'], 2, 'not an email address'],
  [['create', 'b@example.org', '--password-file', 'nowhere'], 4, 'does not exist'],
  [['create', 'b@example.org', '--password-file', '/'], 3, 'cannot be read'],
  [['create', 'b@example.org', '--password', 'x'], 2, "unknown option '--password'"],
  [['passwd', examiner, '--generate', '--password-stdin'], 2, 'cannot be used with'],
  [['update', examiner], 2, 'Specify what to change'],
])('user %j ends with exit code %i and one line', async (args, code, message) => {
  expect(await run('user', ...args)).toEqual(refused(code, message));
});

test('with a provider, no local account is created, and an address does not name one that is left over', async () => {
  const config = join(dataDir, 'oidc.json');
  writeFileSync(config, '{"oidcIssuer": "https://provider.example", "oidcClientId": "forensics"}');
  const email = 'left@example.org';
  const created = await run('user', 'create', email, '--generate', '--json');
  const { id }: { readonly id: string } = JSON.parse(created.stdout);

  const local = await run('user', 'create', 'c@example.org', '--generate', '--config', config);
  const byAddress = await run('user', 'disable', email, '--config', config);
  const byId = await run('user', 'disable', id, '--config', config);

  expect(local).toEqual(refused(2, 'oidcIssuer'));
  expect((await run('user', 'list')).stdout).not.toContain('c@example.org');
  expect(byAddress).toMatchObject({ code: 4, stderr: expect.stringContaining('by the ids') });
  expect(byId).toMatchObject({ code: 0 });
});

describe('askHidden', () => {
  test('handles corrections and echoes nothing', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];

    const answer = askHidden('Password: ', { input, output });
    input.write('secreu\u007ft\r');

    expect(await answer).toBe('secret');
    output.end();
    expect(await text(output)).toBe('Password: \n');
  });

  test.each(['\u0003', '\u0004'])('%j cancels it', async (key) => {
    const [input, output] = [new PassThrough(), new PassThrough()];

    const answer = askHidden('Password: ', { input, output });
    input.write(key);

    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });
});
