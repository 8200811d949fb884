import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { openCore } from '../../src/service/core.ts';
import { readConfig } from '../../src/contract/config.ts';
import { transact } from '../../src/ports/db/database.ts';
import { adviceOn } from '../../src/ops/doctor/webhooks.ts';
import { createOutbox } from '../../src/service/webhooks/outbox.ts';
import { startReceiver } from '../unit/service/webhooks/receiver.ts';
import { refused, runHere } from './run-cli.ts';

const dataDir = newFolder();
const configFile = join(dataDir, 'config.json');
const run = async (...args: string[]) =>
  runHere([...args, '--data-dir', dataDir, '--config', configFile]);
const webhooks = async (verb: string, ...args: string[]) =>
  run('webhooks', verb, '--tenant', 'acme', ...args);
const setUrl = async (url: string) => run('tenant', 'update', 'acme', '--webhook-url', url);

/** Messages about one analysis that their receiver rejected for good. */
async function giveUp(count: number): Promise<void> {
  const core = await openCore(readConfig({ flags: { dataDir }, environment: {} }).settings);
  const { db } = core.database;
  const outbox = createOutbox({ db, now: () => new Date() });
  const { id: tenantId } = (await core.tenants.byName('acme'))!;
  await transact(db, async (tx) => {
    for (let n = 0; n < count; n++) {
      const payload = async () => ({ n });
      await outbox.enqueueDelivery(tx, { tenantId, subject: 'a1', event: 'update', payload });
    }
  });
  const [first] = await outbox.claim(() => 1);
  await outbox.conclude(first!, { kind: 'gone', detail: 'http_410' });
  await core.close();
}

beforeAll(async () => {
  writeFileSync(configFile, JSON.stringify({ webhookAllow: ['127.0.0.0/8'] }));
  await run('tenant', 'create', 'acme');
});

test('a test message reports the response, and shows only the origin of the URL', async () => {
  const receiver = await startReceiver();
  await setUrl(`${receiver.url}?token=hidden`);

  const shown = await webhooks('test');
  const json = await webhooks('test', '--json');

  expect([shown.code, json.code]).toEqual([0, 0]);
  expect(shown.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ accepted it: http_200 after \d+ ms\n$/);
  expect(shown.stdout + shown.stderr + json.stdout).not.toContain('hidden');
  expect(JSON.parse(json.stdout)).toMatchObject({ taken: true, outcome: 'http_200', advice: null });
  const [call] = receiver.calls;
  expect(call?.headers['webhook-event']).toBe('test');
  expect(Object.keys(JSON.parse(call!.body))).toEqual(['test', 'tenantId', 'timestamp']);
});

test('a rejected test message gives exit code 1 and advice', async () => {
  const receiver = await startReceiver((response) => {
    response.statusCode = 404;
    response.end();
  });
  await setUrl(receiver.url);

  const rejected = await webhooks('test');
  const guarded = await runHere(['webhooks', 'test', '--tenant', 'acme', '--data-dir', dataDir]);

  expect([rejected.code, guarded.code]).toEqual([1, 1]);
  expect(rejected.stdout).toMatch(/did not accept it: http_404[^]*Fix: .*path of the URL/);
  expect(guarded.stdout).toMatch(/address_refused[^]*Fix: .*webhookAllow/);
  expect(receiver.calls).toHaveLength(1);
});

test.each([
  ['http_410', 'send no more'],
  ['http_302', 'redirects are not followed'],
  ['http_401', 'forensics tenant webhook-secret acme'],
  ['http_400', 'POST of application'],
  ['http_503', 'its log'],
  ['timeout', 'within 5 s'],
  ['no_address', 'DNS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'http:// or https://'],
  ['connection_failed', 'Check the URL'],
])('%s comes with advice', (outcome, advice) => {
  expect(adviceOn(outcome, 'acme')).toContain(advice);
});

test('given-up messages are listed, and replayed once there is a receiver again', async () => {
  await setUrl('http://127.0.0.1:9/');
  await giveUp(2);

  const off = await webhooks('replay', '--given-up');
  const tested = await webhooks('test');
  await setUrl('http://127.0.0.1:9/');
  const listed = await webhooks('list', '--state', 'given_up');
  const [newest]: { id: string }[] = JSON.parse((await webhooks('list', '--json')).stdout);
  const one = await webhooks('replay', newest!.id);
  const rest = await webhooks('replay', '--given-up', '--json');
  const waiting = await webhooks('list', '--state', 'waiting', '--json');

  expect([off.code, off.stderr]).toEqual([5, expect.stringContaining('forensics tenant update')]);
  expect(tested.stderr).toContain('The webhook is switched off.');
  expect(listed.stdout).toMatch(/^msg_\w+ +update +a1 +\S+Z +1 +given_up +http_410 +-$/m);
  expect([one.code, one.stdout]).toEqual([0, `${newest!.id}\n`]);
  expect(JSON.parse(rest.stdout).replayed).toHaveLength(1);
  expect(JSON.parse(waiting.stdout)).toMatchObject([
    { nextAttemptDate: expect.stringMatching(/Z$/) },
    { nextAttemptDate: null },
  ]);
});

test.each([
  [['replay'], 2, 'Give the id'],
  [['replay', 'msg_1', '--given-up'], 2, 'Give the id'],
  [['replay', 'msg_1'], 4, 'Message not found'],
  [['list', '--state', 'lost'], 2, 'waiting, delivered, given_up'],
  [['list', '--limit', '0'], 2, 'at least 1'],
] as const)('%j ends with exit code %i', async ([verb, ...args], code, message) => {
  await setUrl('http://127.0.0.1:9/');

  expect(await webhooks(verb, ...args)).toEqual(refused(code, message));
});
