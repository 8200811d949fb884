import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { analyze } from '../../../src/index.ts';
import { scenePng } from '../../fixtures/pictures.ts';
import { copyModel } from '../inference/model-folder.ts';

test('added models of both types are used if their folder and ids are given', async () => {
  const [trace, locate] = [copyModel(), copyModel('locate-1')];
  const { modelsDir } = trace;
  onTestFinished(() =>
    [trace, locate].forEach((it) => rmSync(it.modelsDir, { recursive: true, force: true })),
  );
  trace.editManifest((manifest) => Object.assign(manifest, { id: 'acme-trace' }));
  locate.editManifest((manifest) => Object.assign(manifest, { id: 'locate-2' }));
  cpSync(join(locate.modelsDir, 'model'), join(modelsDir, 'locate'), { recursive: true });
  const picture = await scenePng({ width: 130, height: 130, seed: 1 });
  const named = { model: 'acme-trace', locator: 'locate-2' };

  const { examination } = await analyze(picture, { ...named, modelsDir });

  expect(examination.model.id).toBe('acme-trace');
  expect(examination.locator?.id).toBe('locate-2');
  await expect(analyze(picture, named)).rejects.toMatchObject({ code: 'model_not_found' });
});
