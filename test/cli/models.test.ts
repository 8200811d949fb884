import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scenePng } from '../fixtures/pictures.ts';
import { copyModel } from '../unit/inference/model-folder.ts';
import { emptyFolder, runCli } from './run-cli.ts';

/** A copy of the packaged model under another name, and an empty data folder. */
async function stage() {
  const model = copyModel();
  model.editManifest((manifest) => Object.assign(manifest, { id: 'trace-2', version: '2.0.0' }));
  const dataDir = await emptyFolder();
  const folder = join(model.modelsDir, 'model');
  return { model, folder, dataDir, env: { FORENSICS_DATA_DIR: dataDir } };
}

test('a model that was added examines pictures by its id', { timeout: 90_000 }, async () => {
  const { folder, dataDir, env } = await stage();
  const picture = join(dataDir, 'scene.png');
  writeFileSync(picture, await scenePng({ width: 200, height: 200, seed: 1 }));

  const added = await runCli(['models', 'add', folder], { env });
  const asked = await runCli(['analyze', picture, '--model', 'trace-2', '--json'], { env });

  const told =
    'trace-2 2.0.0 is installed; ask for it with --model trace-2, trace-1 stays the default\n';
  expect(added).toMatchObject({ code: 0, stdout: told, stderr: '' });
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('"trace-2"') });
});

test('the manifest stands for its folder, the setting names another place, and there it is listed and verified', {
  timeout: 90_000,
}, async () => {
  const { folder, dataDir, env } = await stage();
  const modelsDir = join(dataDir, 'elsewhere');
  const how = { env: { ...env, FORENSICS_MODELS_DIR: modelsDir } };

  const added = await runCli(['models', 'add', join(folder, 'manifest.json'), '--json'], how);

  expect(JSON.parse(added.stdout)).toMatchObject({
    model: { id: 'trace-2' },
    folder: modelsDir,
    default: 'trace-1',
  });
  expect(readdirSync(modelsDir)).toEqual(['trace-2']);
  expect(existsSync(join(dataDir, 'models'))).toBe(false);
  const listed = await runCli(['models', 'list'], how);
  expect(listed.stdout).toMatch(/^trace-2 +version 2\.0\.0 /m);
  const verified = await runCli(['models', 'verify', 'trace-2'], how);
  expect(verified.stdout).toContain('trace-2 2.0.0: every file is intact');
});

test('a model with the id of a packaged one is told to be a conflict, and with --replace that it is the default', {
  timeout: 90_000,
}, async () => {
  const { model, folder, env } = await stage();
  model.editManifest((manifest) => Object.assign(manifest, { id: 'trace-1' }));

  const refused = await runCli(['models', 'add', folder], { env });
  const added = await runCli(['models', 'add', folder, '--replace'], { env });

  expect(refused).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('--replace'),
  });
  expect(added).toMatchObject({
    code: 0,
    stdout: 'trace-1 2.0.0 is installed; it is the default now\n',
  });
});

test('models of both kinds are listed by kind and verified', async () => {
  const { env } = await stage();

  const told = await runCli(['models', 'list'], { env });
  const listed = JSON.parse((await runCli(['models', 'list', '--json'], { env })).stdout);
  const verified = await runCli(['models', 'verify', 'locate-1', '--json'], { env });

  expect(told.stdout).toMatch(
    /^trace-1 .* real or generated .*\nlocate-1 .* where it was changed /,
  );
  expect(listed).toMatchObject({
    models: [
      { id: 'trace-1', type: 'image' },
      { id: 'locate-1', type: 'localisation' },
    ],
  });
  expect(JSON.parse(verified.stdout)).toMatchObject({
    models: [{ id: 'locate-1', type: 'localisation' }],
    verified: true,
  });
});

test('a damaged model is refused in one line', async () => {
  const { model, folder, env } = await stage();
  writeFileSync(model.pathOf('head.onnx'), 'changed');

  const refused = await runCli(['models', 'add', folder], { env });

  expect(refused).toMatchObject({ code: 7, stdout: '' });
  expect(refused.stderr).toMatch(/^forensics: head\.onnx of model trace-2 [^\n]+\n$/);
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
