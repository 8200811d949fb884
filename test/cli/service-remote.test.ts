/** Commands that a person gives to a server: tenants, usage, the own account. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { saveCredentials, saveProfile } from '../../src/cli/connection/profiles.ts';
import { createSession } from '../../src/cli/connection/session.ts';
import { type Listening, openListening, password } from '../unit/server/open-server.ts';
import { caOf, onServer, urlOf } from './on-server.ts';
import { emptyFolder } from './run-cli.ts';
import { runHere } from './run-here.ts';

let open: Listening;

beforeAll(async () => {
  open = await openListening();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await open.close();
});

/** Logged in, by the profile "lab". */
async function logIn(name: string, scopes: readonly string[] = ['settings']) {
  const home = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
  const { tokens } = await open.makeUser(name, { tenants: [open.tenant], scopes });
  saveProfile({ name: 'lab', url: urlOf(open), ca: readFileSync(caOf(open), 'utf8') });
  const email = `${name}@example.org`;
  saveCredentials('lab', createSession(tokens, { email, at: Date.now() }));
  return { home, run: async (...args: string[]) => runHere([...args, '--profile', 'lab']) };
}

const here = async (...args: string[]) => runHere([...args, '--data-dir', open.dataDir]);

test('a tenant is shown, changed and reported as on its own machine', async () => {
  const { run } = await logIn('keeper');
  const set = ['--webhook-url', 'https://receiver.example/hook', '--json'];

  const updated = await run('tenant', 'update', 'acme', ...set);
  const shown = await run('tenant', 'show', 'acme', '--json');
  const lines = await run('tenant', 'show', 'acme');
  const csv = ['tenant', 'report', 'acme', '--csv'];
  const report = await run(...csv);

  expect([updated.code, JSON.parse(updated.stdout)]).toEqual([0, JSON.parse(shown.stdout)]);
  expect(shown.stdout).toBe((await here('tenant', 'show', 'acme', '--json')).stdout);
  expect(lines.stdout).toBe((await here('tenant', 'show', 'acme')).stdout);
  expect(report.stdout).toBe((await here(...csv)).stdout);
});

test('usage has a row for each tenant of the person, and under --csv one for each day too', async () => {
  const { run } = await logIn('counter');
  const today = new Date().toISOString().slice(0, 10);
  await open.makeTenant('foreign');

  const table = await run('usage');
  const json = await run('usage', '--json');
  const csv = await run('usage', '--csv', '--from', today);
  const all = await here('usage', '--csv', '--from', today);

  expect(table.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'tenant',
    'acme',
    '',
  ]);
  expect(JSON.parse(json.stdout)).toMatchObject([{ tenantName: 'acme', tenantId: open.tenant.id }]);
  const [head = '', row = '', ...rest] = csv.stdout.split('\r\n');
  expect(head).toMatch(/^tenant,day,total,/);
  expect([row.split(',').slice(0, 3), rest]).toEqual([['acme', today, '0'], ['']]);
  expect(all.stdout.split('\r\n').map((line) => line.split(',')[0])).toEqual([
    'tenant',
    'acme',
    'foreign',
    '',
  ]);
});

const logInWith = async (secret: string) =>
  open.ask({
    method: 'POST',
    path: '/v1/auth/login',
    body: { email: 'changer@example.org', password: secret },
  });

test('a person changes the own password, with the present one from a file', async () => {
  const { run, home } = await logIn('changer', []);
  const file = (text: string) => {
    const path = join(home, `password-${text.length}`);
    writeFileSync(path, `${text}\n`);
    return path;
  };
  const next = 'copper meadow 17 kites';
  const from = ['--current-password-file', file(password)];

  const wrong = await run('user', 'passwd', '--current-password-file', file('wrong'), '--generate');
  const unsaid = await run('user', 'passwd', '--generate');
  const changed = await run('user', 'passwd', ...from, '--password-file', file(next));

  expect([wrong.code === 0, unsaid.code, changed.code]).toEqual([false, 2, 0]);
  expect(changed.stdout + changed.stderr).not.toContain(next);
  expect((await logInWith(next)).status).toBe(200);
  expect((await logInWith(password)).status).toBe(401);
});

test.for([
  ['tenant', 'list'],
  ['tenant', 'create', 'new'],
  ['tenant', 'trial', 'acme', '--on'],
  ['tenant', 'webhook-secret', 'acme'],
  ['user', 'list'],
  ['user', 'disable', 'counter@example.org'],
])('%j says that a server offers it to nobody', async (args) => {
  const ran = await runHere([...args, ...onServer(open).slice(0, 2)]);

  expect([ran.code, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain("on the server's own machine");
});
