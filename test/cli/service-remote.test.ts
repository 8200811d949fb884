/** Commands that people run on a server: tenants and usage. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { saveCredentials, saveProfile, createSession } from '../../src/cli/connection/profiles.ts';
import { type Listening, openListening } from '../unit/server/open-server.ts';
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

/** Logged in, with the profile "lab". */
async function logIn(name: string) {
  const home = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
  const { tokens } = await open.makeUser(name, { tenants: [open.tenant], scopes: ['settings'] });
  saveProfile({ name: 'lab', url: urlOf(open), ca: readFileSync(caOf(open), 'utf8') });
  const email = `${name}@example.org`;
  saveCredentials('lab', createSession(tokens, { email, at: Date.now() }));
  return { run: async (...args: string[]) => runHere([...args, '--profile', 'lab']) };
}

const here = async (...args: string[]) => runHere([...args, '--data-dir', open.dataDir]);

test("a tenant is shown, updated and reported as on the server's own machine", async () => {
  const { run } = await logIn('keeper');
  const set = ['--webhook-url', 'https://receiver.example/hook', '--json'];

  const updated = await run('tenant', 'update', 'acme', ...set);
  const shown = await run('tenant', 'show', 'acme', '--json');
  const lines = await run('tenant', 'show', 'acme');
  const asked = ['tenant', 'report', 'acme', '--to', new Date().toISOString().slice(0, 10)];
  const report = await run(...asked);

  expect([updated.code, JSON.parse(updated.stdout)]).toEqual([0, JSON.parse(shown.stdout)]);
  expect(shown.stdout).toBe((await here('tenant', 'show', 'acme', '--json')).stdout);
  expect(lines.stdout).toBe((await here('tenant', 'show', 'acme')).stdout);
  expect(report.stdout).toBe((await here(...asked)).stdout);
});

test('usage has a row per tenant of the person, and with --csv one per day as well', async () => {
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

test.for([
  ['tenant', 'list'],
  ['tenant', 'create', 'new'],
  ['tenant', 'trial', 'acme', '--on'],
  ['tenant', 'webhook-secret', 'acme'],
  ['user', 'list'],
  ['user', 'disable', 'counter@example.org'],
])('%j is not available on a remote server', async (args) => {
  const ran = await runHere([...args, ...onServer(open).slice(0, 2)]);

  expect([ran.code, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain("on the server's own machine");
});
