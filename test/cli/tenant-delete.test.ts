import { afterAll, expect, test } from 'vitest';
import { makeFirstTenant } from '../../src/service/first-run.ts';
import type { KeyEntry } from '../../src/contract/keys.ts';
import { draft, openListening } from '../unit/server/open-server.ts';
import { runInTerminal } from './in-terminal.ts';
import { runHere } from './run-cli.ts';

const open = await openListening();
afterAll(async () => open.close());

const run = async (...args: string[]) => runHere([...args, '--data-dir', open.dataDir]);
const remove = async (...args: string[]) => run('tenant', 'delete', ...args);

/** In a terminal, giving one answer to its one question. */
async function answering(args: readonly string[], answer: string) {
  let isTyped = false;
  return runInTerminal([...args, '--data-dir', open.dataDir], {
    onScreen(shown, type) {
      if (isTyped || !/Type its name to confirm: |\[y\/N\] /.test(shown)) return;
      isTyped = true;
      type(`${answer}\r`);
    },
  });
}

const ping = async (authorization: string, tenantName: string) => {
  const path = `/v1/analysis?tenantName=${tenantName}`;
  return (await open.ask({ method: 'GET', path, headers: { authorization } })).status;
};

test('deleting a tenant takes effect on a running server with the next request', async () => {
  const { tenant, secret } = await open.makeTenant('gone');
  const { tokens } = await open.makeUser('member', { tenants: [tenant, open.tenant] });
  const authorization = `ApiKey ${secret}`;
  const body = { ...draft, tenantName: 'gone' };
  await open.ask({ method: 'POST', path: '/v1/analysis', headers: { authorization }, body });
  const before = [
    await ping(authorization, 'gone'),
    await ping(`Bearer ${tokens.accessToken}`, 'acme'),
  ];

  const done = await remove('gone', '--yes', '--json');

  expect(before).toEqual([200, 200]);
  expect([done.code, JSON.parse(done.stdout)]).toEqual([
    0,
    { id: tenant.id, name: 'gone', keptAs: `gone~${tenant.id}`, analyses: 1, deleted: true },
  ]);
  expect(await ping(authorization, 'gone')).toBe(403);
  expect(await ping(`Bearer ${tokens.accessToken}`, 'acme')).toBe(401);
  expect((await run('tenant', 'create', 'gone')).code).toBe(0);
  expect(await ping(authorization, 'gone')).toBe(403);
});

test("a deleted tenant's records stay available under another name to usage, holds and the log", async () => {
  const { tenant } = await open.makeTenant('kept');
  await remove('kept', '--yes');
  const name = `kept~${tenant.id}`;

  const used = await run('usage');
  const held = await run('hold', 'add', '--tenant', name, '--reason', 'case 17');
  const log = await run('audit', 'list', '--tenant', tenant.id, '--json');
  const shown = await run('tenant', 'show', name);

  expect(used.stdout).toMatch(new RegExp(`^${name} +0 `, 'm'));
  expect([held.code, log.code]).toEqual([0, 0]);
  expect(log.stdout).toContain('tenant.deleted');
  expect(shown.code).toBe(4);
});

test('a held tenant cannot be deleted, and without a terminal --yes is required', async () => {
  await open.makeTenant('held');
  await run('hold', 'add', '--tenant', 'held', '--reason', 'case 18');

  const held = await remove('held', '--yes');
  const unasked = await remove('acme');
  const onServer = await remove('acme', '--url', 'https://127.0.0.1:1');

  expect([held.code, unasked.code, onServer.code]).toEqual([5, 2, 2]);
  expect(held.stderr).toContain('everything (case 18)');
  expect(unasked.stderr).toContain('Add --yes');
  expect(onServer.stderr).toContain("on the server's own machine");
  expect(await ping(open.authorization, 'acme')).toBe(200);
});

test("deletion in a terminal requires typing the tenant's name", async () => {
  await open.makeTenant('typed');
  const args = ['tenant', 'delete', 'typed'];

  const refused = await answering(args, 'yes');
  const kept = await run('tenant', 'show', 'typed');
  const done = await answering(args, 'typed');

  expect(refused.text).toContain('nothing was deleted');
  expect([refused.code, kept.code, done.code]).toEqual([0, 0, 0]);
  expect(done.text).toContain('Tenant "typed" is deleted');
  expect((await run('tenant', 'show', 'typed')).code).toBe(4);
});

test('revoking a key asks for confirmation in a terminal, but not in a script', async () => {
  const key = async (): Promise<KeyEntry> =>
    JSON.parse((await run('keys', 'create', '--tenant', 'acme', '--name', 'x', '--json')).stdout);
  const [{ uuid: kept }, { uuid: gone }] = [await key(), await key()];
  const revoke = ['keys', 'revoke', '--tenant', 'acme'];

  const asked = await answering([...revoke, kept], 'n');
  const script = await run(...revoke, gone);

  expect([asked.code, script.code]).toEqual([0, 0]);
  expect(asked.text).toContain('Nothing was revoked.');
  const left = (await open.app.core.keys.list(open.tenant.id)).map(({ uuid }) => uuid);
  expect([left.includes(kept), left.includes(gone)]).toEqual([true, false]);
});

test('no first tenant is created again after the last one was deleted', async () => {
  const lonely = await openListening();
  await runHere(['tenant', 'delete', 'acme', '--yes', '--data-dir', lonely.dataDir]);

  const made = await makeFirstTenant(lonely.app.core, new Date());

  expect(made).toBeNull();
  expect(await lonely.app.core.tenants.list()).toEqual([]);
  await lonely.close();
});
