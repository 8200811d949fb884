import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createModelHealth } from '../../../src/service/health.ts';
import { ForensicsError } from '../../../src/errors.ts';
import { createRegistry } from '../../../src/inference/registry.ts';
import { copyModel } from '../inference/model-folder.ts';

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
