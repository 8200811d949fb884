/** Commands on a server: tenants and usage. */

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Listening, openListening } from '../unit/server/open-server.ts';
import { onServer } from './on-server.ts';
import { runHere } from './run-here.ts';

let open: Listening;

beforeAll(async () => {
  open = await openListening();
  vi.stubEnv('FORENSICS_API_KEY', open.authorization.replace('ApiKey ', ''));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await open.close();
});

const run = async (...args: string[]) => runHere([...args, ...onServer(open)]);
const here = async (...args: string[]) => runHere([...args, '--data-dir', open.dataDir]);

test("a tenant is shown and updated as on the server's own machine", async () => {
  const set = ['--webhook-url', 'https://receiver.example/hook', '--json'];

  const updated = await run('tenant', 'update', 'acme', ...set);
  const shown = await run('tenant', 'show', 'acme', '--json');
  const lines = await run('tenant', 'show', 'acme');

  expect([updated.code, JSON.parse(updated.stdout)]).toEqual([0, JSON.parse(shown.stdout)]);
  expect(shown.stdout).toBe((await here('tenant', 'show', 'acme', '--json')).stdout);
  expect(lines.stdout).toBe((await here('tenant', 'show', 'acme')).stdout);
});

test('usage has a row per tenant, and with --csv one per day as well', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await open.makeTenant('foreign');

  const of = ['--tenant', 'acme'];
  const table = await run('usage', ...of);
  const json = await run('usage', ...of, '--json');
  const csv = await run('usage', ...of, '--csv', '--from', today);
  const unnamed = await run('usage');
  const all = await here('usage', '--csv', '--from', today);

  expect(table.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'tenant',
    'acme',
    '',
  ]);
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--tenant') });
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
