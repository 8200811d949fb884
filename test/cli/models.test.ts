import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scenePng } from '../fixtures/pictures.ts';
import { copyModel } from '../unit/inference/model-folder.ts';
import { emptyFolder, runCli } from './run-cli.ts';

/** A copy of the packaged model under another name, in the data folder. */
async function stage() {
  const model = copyModel();
  model.editManifest((manifest) => Object.assign(manifest, { id: 'acme-trace', version: '2.0.0' }));
  const dataDir = await emptyFolder();
  const modelsDir = join(dataDir, 'models');
  cpSync(model.modelsDir, modelsDir, { recursive: true });
  return { dataDir, modelsDir, env: { FORENSICS_DATA_DIR: dataDir } };
}

test('a folder in the models folder is listed, verified and used by its id', {
  timeout: 90_000,
}, async () => {
  const { dataDir, env } = await stage();
  const picture = join(dataDir, 'scene.png');
  writeFileSync(picture, await scenePng({ width: 130, height: 130, seed: 1 }));

  const listed = await runCli(['models', 'list'], { env });
  const verified = await runCli(['models', 'verify', 'acme-trace'], { env });
  const analyzed = await runCli(['analyze', picture, '--model', 'acme-trace', '--json'], { env });

  expect(listed.stdout).toMatch(/^trace-3 [^]*^acme-trace +version 2\.0\.0 /m);
  expect(verified.stdout).toContain('acme-trace 2.0.0: every file is intact');
  expect(analyzed).toMatchObject({ code: 0, stdout: expect.stringContaining('"acme-trace"') });
});

test('the setting modelsDir names another folder', async () => {
  const { modelsDir } = await stage();

  const env = { FORENSICS_MODELS_DIR: modelsDir, FORENSICS_DATA_DIR: await emptyFolder() };
  const listed = await runCli(['models', 'list'], { env });

  expect(listed.stdout).toMatch(/^acme-trace /m);
});

test('models of both types are listed and verified', async () => {
  const env = { FORENSICS_DATA_DIR: await emptyFolder() };

  const told = await runCli(['models', 'list'], { env });
  const listed = JSON.parse((await runCli(['models', 'list', '--json'], { env })).stdout);
  const verified = await runCli(['models', 'verify', 'locate-1', '--json'], { env });

  expect(told.stdout).toMatch(
    /^trace-3 .* real or generated .*\nlocate-1 .* where it was changed /,
  );
  expect(listed).toMatchObject({
    models: [
      { id: 'trace-3', type: 'image' },
      { id: 'locate-1', type: 'localisation' },
    ],
  });
  expect(JSON.parse(verified.stdout)).toMatchObject({
    models: [{ id: 'locate-1', type: 'localisation' }],
    verified: true,
  });
});
