import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scenePng } from '../fixtures/pictures.ts';
import { copyModel } from '../unit/inference/model-folder.ts';
import { runCli, emptyFolder } from './run-cli.ts';

/** A copy of the packaged model under another name, and an empty data folder. */
async function stage() {
  const model = copyModel();
  model.editManifest((manifest) => Object.assign(manifest, { id: 'trace-2', version: '2.0.0' }));
  const dataDir = await emptyFolder();
  const env = { FORENSICS_DATA_DIR: dataDir };
  return { model, folder: join(model.modelsDir, 'model'), dataDir, env };
}

test('a model that was added is listed, verified, and examines pictures by its id', async () => {
  const { folder, dataDir, env } = await stage();
  const picture = join(dataDir, 'scene.png');
  writeFileSync(picture, await scenePng({ width: 200, height: 200, seed: 1 }));

  const added = await runCli(['models', 'add', folder], { env });

  expect(added).toMatchObject({ code: 0, stdout: 'trace-2 2.0.0 is installed\n', stderr: '' });
  const listed = await runCli(['models', 'list', '--json'], { env });
  expect(JSON.parse(listed.stdout)).toMatchObject({
    models: expect.arrayContaining([expect.objectContaining({ id: 'trace-2', version: '2.0.0' })]),
  });
  expect(await runCli(['models', 'verify', 'trace-2'], { env })).toMatchObject({ code: 0 });
  const asked = await runCli(['analyze', picture, '--model', 'trace-2', '--json'], { env });
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('"trace-2"') });
});

test('the manifest stands for its folder, and the setting names another place', async () => {
  const { folder, dataDir, env } = await stage();
  const modelsDir = join(dataDir, 'elsewhere');

  const added = await runCli(['models', 'add', join(folder, 'manifest.json'), '--json'], {
    env: { ...env, FORENSICS_MODELS_DIR: modelsDir },
  });

  expect(JSON.parse(added.stdout)).toMatchObject({ model: { id: 'trace-2' }, folder: modelsDir });
  expect(readdirSync(modelsDir)).toEqual(['trace-2']);
  expect(existsSync(join(dataDir, 'models'))).toBe(false);
});

test('a model is not replaced unless that was asked for, and then as a whole', async () => {
  const { model, folder, dataDir, env } = await stage();
  await runCli(['models', 'add', folder], { env });
  model.editManifest((manifest) => Object.assign(manifest, { version: '2.1.0' }));
  const versionThere = () =>
    /"version":"([^"]+)"/.exec(
      readFileSync(join(dataDir, 'models/trace-2/manifest.json'), 'utf8'),
    )?.[1];

  const refused = await runCli(['models', 'add', folder], { env });
  const before = versionThere();
  const replaced = await runCli(['models', 'add', folder, '--replace'], { env });

  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('--replace') });
  expect(before).toBe('2.0.0');
  expect(replaced.code).toBe(0);
  expect(versionThere()).toBe('2.1.0');
});

test.for<[string, number, (model: ReturnType<typeof copyModel>) => void]>([
  ['a changed file', 7, ({ pathOf }) => writeFileSync(pathOf('head.onnx'), 'changed')],
  ['an impossible manifest', 7, ({ editManifest }) => editManifest((it) => (it['dropout'] = 1))],
  [
    'a network that does not answer as promised',
    7,
    // The head expects votes that the manifest says there are none of.
    ({ editManifest }) => editManifest((manifest) => (manifest['votes'] = null)),
  ],
])('%s is refused and leaves nothing behind', async ([, code, damage]) => {
  const { model, folder, dataDir, env } = await stage();
  damage(model);

  const refused = await runCli(['models', 'add', folder], { env });

  expect(refused).toMatchObject({ code, stdout: '' });
  expect(refused.stderr).toMatch(/^forensics: [^\n]+\n$/);
  const modelsDir = join(dataDir, 'models');
  expect(existsSync(modelsDir) ? readdirSync(modelsDir) : []).toEqual([]);
});

test('what is no model is named', async () => {
  const { dataDir, env } = await stage();

  expect(await runCli(['models', 'add', join(dataDir, 'none')], { env })).toMatchObject({
    code: 4,
  });
  expect(await runCli(['models', 'add', dataDir], { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('manifest.json'),
  });
});
