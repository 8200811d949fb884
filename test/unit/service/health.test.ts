import { expect, test, onTestFinished } from 'vitest';
import {
  createHealth,
  createModelHealth,
  checkFolder,
  checkRemote,
} from '../../../src/service/health.ts';
import { readFileSync, rmSync, writeFileSync, existsSync, readdirSync } from 'node:fs';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { createRegistry } from '../../../src/inference/registry.ts';
import { canMount, onOwnDisk } from '../../fixtures/own-disk.ts';
import { copyModel } from '../inference/model-folder.ts';
import { join } from 'node:path';
import { steppedClock, temporaryFolder } from '../ports/db/temporary.ts';

function healthOf(change: Partial<Parameters<typeof createHealth>[0]> = {}) {
  return createHealth({
    database: { check: async () => undefined },
    queue: { nextDueAt: async () => null },
    checkModel: async () => undefined,
    checkStorage: async () => undefined,
    jobKinds: ['run'],
    jobsInHand: () => 0,
    hasFailingReceiver: async () => false,
    isLogWorking: () => true,
    now: () => new Date(),
    ...change,
  });
}

async function failingParts(health: ReturnType<typeof createHealth>) {
  return (await health()).filter(({ cause }) => cause !== null).map(({ name }) => name);
}

const broken = async () => Promise.reject(new Error('broken'));

test.each<[string, Parameters<typeof healthOf>[0], string[]]>([
  ['nothing', {}, []],
  ['the database', { database: { check: broken } }, ['database']],
  ['the store', { checkStorage: broken }, ['storage']],
  ['the model', { checkModel: broken }, ['model']],
  [
    'all three',
    { database: { check: broken }, checkStorage: broken, checkModel: broken },
    ['database', 'storage', 'model'],
  ],
  ['a receiver that does not answer', { hasFailingReceiver: async () => true }, ['webhooks']],
  ['a log that loses lines', { isLogWorking: () => false }, ['log']],
])('of the parts, %s is reported', async (_what, change, failing) => {
  expect(await failingParts(healthOf(change))).toEqual(failing);
});

test('receivers and the log are not vital', async () => {
  const vital = (await healthOf()()).filter(({ isVital }) => isVital).map(({ name }) => name);

  expect(vital).toEqual(['database', 'storage', 'model', 'queue']);
});

test('a long queue is healthy while a worker is busy', async () => {
  const now = new Date();
  const queue = { nextDueAt: async () => new Date(now.getTime() - 3_600_000) };

  expect(await failingParts(healthOf({ queue, now: () => now, jobsInHand: () => 1 }))).toEqual([]);
  expect(await failingParts(healthOf({ queue, now: () => now }))).toEqual(['queue']);
});

test('a second check within a second returns the result of the first', async () => {
  let checks = 0;
  let now = new Date();
  const database = { check: async () => void checks++ };
  const health = healthOf({ database, now: () => now });
  await Promise.all([health(), health()]);
  await health();
  now = new Date(now.getTime() + 1000);
  await health();

  expect(checks).toBe(2);
});

const { id: defaultModel } = await createRegistry().find(null);
const damage = { code: 'model_integrity' };

/** The packaged models, one of them from a folder in which it can be damaged. */
function open() {
  const model = copyModel(defaultModel);
  onTestFinished(() => rmSync(model.modelsDir, { recursive: true, force: true }));
  const clock = { now: new Date('2026-03-01T12:00:00Z') };
  let readings = 0;
  const registry = createRegistry({ extra: model.modelsDir });
  const counted = {
    ...registry,
    open: async (id: string | null) => {
      readings += 1;
      return registry.open(id);
    },
  };
  const health = createModelHealth({ registry: counted, now: () => clock.now });
  return { model, clock, health, readings: () => readings };
}

test('a damaged file is noticed without a restart, and so is its repair', async () => {
  const { model, health } = open();
  const file = model.pathOf('head.onnx');
  const good = readFileSync(file);
  await health.check();
  const bad = Buffer.from(good);
  bad[100]! ^= 1;
  writeFileSync(file, bad);

  await expect(health.check()).rejects.toMatchObject(damage);
  writeFileSync(file, good);
  await health.check();
  rmSync(file);
  await expect(health.check()).rejects.toMatchObject(damage);
});

test('files are read again only after one of them changes, intact or damaged', async () => {
  const { model, health, readings } = open();
  for (let i = 0; i < 5; i++) await health.check();
  writeFileSync(model.pathOf('head.onnx'), 'not a network');
  for (let i = 0; i < 5; i++) await health.check().catch(() => undefined);

  expect(readings()).toBe(2);
});

test('a run that failed because of the model counts until one succeeds, or for ten minutes', async () => {
  const { clock, health } = open();
  let outcome: Error | null = new ForensicsError('runtime_missing', 'The runtime is gone.');
  const examine = health.watch(async () => {
    if (outcome !== null) throw outcome;
    // The result is passed on; its content does not matter here.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return {} as never;
  });
  const run = async (model: string | null) =>
    examine({
      source: { bytes: new Uint8Array() },
      options: { model, decisionStrategy: 'default', seed: 1 },
    }).catch(() => undefined);
  await health.check();
  await run(defaultModel);
  await expect(health.check()).rejects.toMatchObject({ code: 'runtime_missing' });
  outcome = null;
  await run(defaultModel);
  await health.check();

  outcome = new ForensicsError('image_unreadable', 'The picture is damaged.');
  await run(defaultModel);
  await health.check();
  outcome = new ForensicsError('model_integrity', 'Another model is damaged.');
  await run('of-a-client');
  await health.check();
  await run(defaultModel);
  await expect(health.check()).rejects.toMatchObject(damage);
  clock.now = new Date(clock.now.getTime() + 10 * 60_000);
  await health.check();
});

test('a writable folder passes, and the check leaves nothing behind', async () => {
  const folder = temporaryFolder();

  await checkFolder(folder);

  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(canMount)(
  'a disk without room for a run is reported before writing becomes impossible',
  () => {
    const module = new URL('../../../src/service/health.ts', import.meta.url).href;
    const script = `const { checkFolder } = await import('${module}');
    await checkFolder(process.argv[1]).catch(({ code }) => process.stdout.write(code));`;

    expect(onOwnDisk('60m', temporaryFolder(), ['--input-type=module', '-e', script])).toBe(
      'no_space_left',
    );
  },
);

test('a missing folder is reported and not created', async () => {
  const folder = join(temporaryFolder(), 'gone');

  await expect(checkFolder(folder)).rejects.toThrow(/ENOENT/);
  expect(existsSync(folder)).toBe(false);
});

test('a store is asked once in ten seconds, and its failure is repeated until then', async () => {
  const { now, step } = steppedClock();
  let requests = 0;
  const store = {
    async head() {
      requests++;
      if (requests === 1) throw new ForensicsError('store_unavailable', 'Away.');
      return null;
    },
  };
  const check = checkRemote(store, { now });

  await expect(Promise.all([check(), check()])).rejects.toThrow('Away.');
  step(9_999);
  await expect(check()).rejects.toThrow('Away.');
  step(1);
  await check();

  expect(requests).toBe(2);
});

test('a store that does not answer fails at the timeout', async () => {
  const store = { head: async () => new Promise<null>(() => undefined) };
  const check = checkRemote(store, { now: () => new Date(), timeoutMs: 20 });

  await expect(check()).rejects.toMatchObject({ code: 'store_unavailable' });
});
