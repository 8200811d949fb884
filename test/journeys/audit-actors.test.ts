/** Who acted, according to the audit log: every event, caused in every way it can be. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Actor,
  type EventName,
  operator,
  parseEntry,
  service,
} from '../../src/service/audit/entry.ts';
import { auditEntries } from '../../src/ports/db/schema.ts';
import type { Db } from '../../src/ports/db/database.ts';
import { toActor } from '../../src/service/access/principal.ts';
import { makeFirstTenant } from '../../src/service/first-run.ts';
import { emptyFolder, runCli } from '../cli/run-cli.ts';
import { openOidcServer } from '../fixtures/oidc-server.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { openOidc } from '../unit/service/access/oidc/open-oidc.ts';
import { openWorkshop } from '../unit/service/analyses/workshop.ts';
import { type Ask, openServer, password } from '../unit/server/open-server.ts';
import { clientOf } from './serving.ts';
import { startReceiver } from './receiver.ts';

type Door = 'key' | 'browser' | 'command' | 'service';
const people = ['browser', 'command'] as const;
const clients = ['browser', 'key'] as const;
const all = ['browser', 'command', 'key'] as const;
const itself = ['service'] as const;

/** The doors of each event. The type finds a missing event, the test a missing or extra door. */
const doors: Readonly<Record<EventName, readonly Door[]>> = {
  'audit.begun': itself,
  'tenant.created': ['command', 'service'],
  'tenant.changed': people,
  'tenant.deleted': ['command'],
  'tenant.purged': itself,
  'tenant.member_added': people,
  'tenant.member_removed': ['command'],
  'key.created': [...all, 'service'],
  'key.rotated': all,
  'key.revoked': all,
  'webhook.replayed': people,
  'user.created': [...people, 'service'],
  'user.changed': [...people, 'service'],
  'user.disabled': people,
  'user.enabled': people,
  'user.password_changed': people,
  'master_key.rotated': ['command'],
  // Written by 0.1.0 only.
  'database.recovered': [],
  'signing_key.rotated': ['command'],
  'backup.created': ['command'],
  'hold.added': people,
  'hold.removed': people,
  'analysis.created': clients,
  'analysis.received': clients,
  'analysis.begun': itself,
  'analysis.completed': itself,
  'analysis.failed': [...clients, 'service'],
  'analysis.retried': itself,
  'analysis.restarted': clients,
  'analysis.rolled_back': itself,
  'analysis.upgraded': clients,
  'analysis.upload_replaced': itself,
  'analysis.bundled': all,
  'case.bundled': all,
  'analysis.described': clients,
  'analysis.deleted': [...all, 'service'],
  'analysis.purged': itself,
};

const seen = new Map<string, Set<Door>>(Object.keys(doors).map((event) => [event, new Set()]));

/**
 * @returns a function that acts through a door and expects that door's actor in every new entry.
 */
function watch(db: Db, actors: Partial<Record<Door, Actor>>) {
  const known = new Set<string>();
  return async <T>(door: Door, act: () => Promise<T>): Promise<T> => {
    const answer = await act();
    for (const { chain, seq, entry: text } of await db.select().from(auditEntries).all()) {
      if (known.has(`${chain} ${seq}`)) continue;
      known.add(`${chain} ${seq}`);
      const { event, actor } = parseEntry({ text });
      expect({ event, actor }).toEqual({ event, actor: actors[door] });
      seen.get(event)?.add(door);
    }
    return answer;
  };
}

const dayMs = 86_400_000;
const size = { width: 96, height: 80 };
const picture = await sceneJpeg({ ...size, seed: 1 });

test('the audit log names the actor of every event, however it was caused', async () => {
  await workUnattended();
  await logInAtProvider();
  await rotateMasterKey();
  const server = await openDoors();
  await administer(server);
  await examine(server);
  await command(server);
  await retain(server);
  await server.close();

  const doorsSeen = [...seen].map(([event, through]) => [event, [...through].toSorted()]);
  expect(Object.fromEntries(doorsSeen)).toEqual(doors);
}, 120_000);

/** What a worker may face: a crash, a busy child, an upload replaced after the start. */
async function workUnattended() {
  const { db, caller, start, upload, analyses, sandbox, worker, clock } = await openWorkshop();
  const through = watch(db, { command: operator, service, key: toActor(caller.principal) });
  const crash = sandbox.fail('inference_crashed');
  await through('command', async () => undefined);
  await through('key', start);
  sandbox.next(sandbox.fail('inference_busy'), crash, crash, crash, crash);
  await through('service', async () => {
    for (let n = 0; n < 6; n++) {
      await worker.drain();
      clock.step(60_000);
    }
  });
  const replaced = await through('key', start);
  await upload(await analyses.get(caller, replaced), Buffer.from('other'));
  await through('service', async () => worker.drain());
}

/** On a data folder without a server. */
async function rotateMasterKey() {
  const folder = ['--data-dir', await emptyFolder()];
  await runCli(['tenant', 'create', 'acme', ...folder]);
  await runCli(['master-key', 'rotate', ...folder]);
  const { stdout } = await runCli(['audit', 'list', '--service', '--json', ...folder]);
  const [{ event, actor }]: [ReturnType<typeof parseEntry>] = JSON.parse(stdout).slice(-1);
  expect(actor).toEqual(operator);
  seen.get(event)?.add('command');
}

async function logInAtProvider() {
  const provider = await openOidcServer();
  const { db, identity, accessToken } = await openOidc(provider);
  await watch(db, { service })('service', async () => {
    await identity.authenticate(await accessToken());
    await identity.authenticate(await accessToken({ userType: 'lab' }));
  });
  await provider.stop();
}

type Server = Awaited<ReturnType<typeof openDoors>>;

/** A server after its first run, with a tenant, a key, and an account created in the browser. */
async function openDoors() {
  const clock = { aheadMs: 0 };
  const now = () => new Date(Date.now() + clock.aheadMs);
  const receiver = await startReceiver();
  const flags = { webhookAllow: '127.0.0.0/8', retentionDays: 20 };
  const open = await openServer({ now, flags });
  const ask = await open.listen();
  const { core, administration } = open.app;
  const actors: Partial<Record<Door, Actor>> = { command: operator, service };
  const through = watch(core.database.db, actors);
  const first = await through('service', async () => makeFirstTenant(core, now()));
  actors.key = { type: 'api', id: first!.key.uuid };
  const headers = { 'sec-fetch-site': 'same-origin' };
  const account = { email: 'first@example.org', password };
  const session = async (act: string, body: object) =>
    ask({ method: 'POST', path: `/v1/auth/session${act}`, headers, body });
  await through('browser', async () => {
    await session('/first-user', { ...account, token: administration.firstUser.token });
    const [user] = await core.users.list();
    actors.browser = { type: 'user', id: user!.id };
  });
  const data = (await session('', account)).data<{ accessToken: string }>();
  const secrets = { key: `ApiKey ${first!.key.secret}`, browser: `Bearer ${data.accessToken}` };
  return {
    ...open,
    clock,
    receiver,
    through,
    client: (door: keyof typeof secrets) => {
      const authorization = { authorization: secrets[door] };
      const asDoor: Ask = async ({ headers: own, ...question }) =>
        ask({ ...question, ...(own && { headers: { ...own, ...authorization } }) });
      return clientOf({ ask: asDoor }, 'default', '');
    },
    /** Sends one request through a door. @returns `data` of the response. */
    send: async (door: keyof typeof secrets, method: string, path: string, body?: object) => {
      const authorization = secrets[door];
      const type = { 'content-type': 'application/json' };
      const question = { method, path, headers: { authorization, ...type } };
      const answer = await through(door, async () =>
        ask({ ...question, ...(body && { body: { tenantName: 'default', ...body } }) }),
      );
      expect([path, answer.status]).toEqual([path, 200]);
      return answer;
    },
    run: async (...args: string[]) => {
      const env = { FORENSICS_WEBHOOK_ALLOW: '127.0.0.0/8' };
      const ran = await through('command', async () =>
        runCli([...args, '--data-dir', open.dataDir], { env }),
      );
      expect([args, ran.code, ran.stderr]).toEqual([args, 0, expect.anything()]);
    },
    async close() {
      receiver.close();
      await open.close();
    },
  };
}

type Key = { readonly uuid: string };

const tomorrow = new Date(Date.now() + dayMs).toISOString();

async function administer({ send, receiver }: Server) {
  for (const door of clients) {
    const uuidOf = async (body: object) =>
      (await send(door, 'POST', '/v1/auth/api', { expiresAt: tomorrow, ...body })).data<Key>().uuid;
    const uuid = await uuidOf({ replaces: { uuid: await uuidOf({ name: door }) } });
    await send(door, 'DELETE', `/v1/auth/api?tenantName=default&uuid=${uuid}`);
  }
  const person = '/v1/tenant/user';
  const newPassword = `another ${password}`;
  const made = await send('browser', 'POST', person, { email: 'b@example.org', password });
  const { id } = made.data<{ id: string }>();
  await send('browser', 'PUT', person, { id, name: 'B' });
  await send('browser', 'POST', `${person}/disable`, { id });
  await send('browser', 'POST', `${person}/enable`, { id });
  await send('browser', 'POST', `${person}/password`, { id, newPassword });
  await send('browser', 'POST', '/v1/auth/change-password', {
    currentPassword: password,
    newPassword,
  });
  await send('browser', 'PUT', '/v1/tenant', { webhookUrl: receiver.url });
  await send('browser', 'POST', '/v1/tenant/hold', { reason: 'file 12/26' });
  await send('browser', 'DELETE', '/v1/tenant/hold', {});
}

async function examine(server: Server) {
  const { app, client, through, send, run, dataDir } = server;
  const ids: string[] = [];
  for (const door of clients) {
    const own = client(door);
    const made = await through(door, async () => own.create({ format: 'jpg', ...size }));
    await own.upload(made, Buffer.from('no picture'));
    await through(door, async () => own.send('POST', '/start', { id: made.id }));
    await own.upload(made, picture);
    await send(door, 'POST', '/v1/analysis/retry', { id: made.id, options: {} });
    await send(door, 'PUT', '/v1/analysis', { id: made.id, projectId: door });
    ids.push(made.id);
  }
  await through('service', async () => {
    app.operations.start();
    for (const id of ids) await client('key').until(id, ['completed']);
  });
  for (const [at, door] of clients.entries()) {
    await send(door, 'POST', '/v1/analysis/retry', {
      id: ids[at],
      options: { tier: 'forensicReporting' },
    });
    await send(door, 'GET', `/v1/analysis/bundle?tenantName=default&id=${ids[at]}`);
    await send(door, 'GET', `/v1/analysis/case/bundle?tenantName=default&projectId=${door}`);
  }
  await run('report', ids[0]!, '--tenant', 'default', '--out', join(dataDir, 'one.zip'));
  await run('report', '--case', 'key', '--tenant', 'default', '--out', join(dataDir, 'case.zip'));
  for (const [at, door] of clients.entries())
    await send(door, 'DELETE', '/v1/analysis', { id: ids[at] });
}

async function command({ run, receiver, send }: Server) {
  const ofTenant = ['--tenant', 'default'];
  const path = '/v1/tenant/webhook?tenantName=default&state=delivered';
  const delivered = async () => (await send('browser', 'GET', path)).data<{ id: string }[]>();
  await expect.poll(delivered).not.toEqual([]);
  const { id } = (await delivered())[0]!;
  await send('browser', 'POST', '/v1/tenant/webhook/replay', { id });
  const one = async () => (await delivered()).find((message) => message.id === id);
  await expect.poll(one).toBeDefined();
  await run('webhooks', 'replay', id, ...ofTenant);
  await run('tenant', 'create', 'acme');
  await run('tenant', 'update', 'default', '--webhook-url', `${receiver.url}/2`);
  await run('keys', 'create', '--name', 'ci', ...ofTenant);
  await run('keys', 'rotate', '--name', 'ci', '--now', ...ofTenant);
  const person = 'c@example.org';
  await run('user', 'create', person, '--generate', ...ofTenant);
  await run('user', 'update', person, '--name', 'C', '--remove-tenant', 'default');
  await run('user', 'passwd', person, '--generate');
  await run('user', 'disable', person, '--yes');
  await run('user', 'enable', person);
  await run('hold', 'add', ...ofTenant);
  await run('hold', 'remove', ...ofTenant);
  await run('signing-key', 'rotate');
  await run('backup', 'create', '--out', await emptyFolder());
}

/** What happens over time; the tenant is deleted midway, with an analysis in it. */
async function retain({ app, clock, client, run, through }: Server) {
  const cleanUp = async () => app.analyses.cleanUp(new AbortController().signal);
  const create = async () => client('key').create({ format: 'jpg', ...size });
  await through('key', create);
  clock.aheadMs = 21 * dayMs;
  await through('service', cleanUp);
  await through('key', create);
  await run('tenant', 'delete', 'default', '--yes');
  clock.aheadMs = 60 * dayMs;
  await through('service', cleanUp);
  await through('service', cleanUp);
}
