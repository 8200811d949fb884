import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../../../src/inference/registry.ts';
import { copyModel, type ModelFolder } from './model-folder.ts';

function folder(): ModelFolder {
  const made = copyModel();
  onTestFinished(() => rmSync(made.modelsDir, { recursive: true, force: true }));
  return made;
}

describe('the packaged model', () => {
  test('is found from wherever the program was started', async () => {
    const manifests = await createRegistry().list();

    expect(manifests.map(({ id }) => id)).toContain('trace-1');
  });

  test('opens with the bytes that its manifest describes', async () => {
    const { manifest, backbone, head } = await createRegistry().open('trace-1');

    expect(backbone.length).toBe(manifest.files['model.onnx']?.bytes);
    expect(head.length).toBe(manifest.files['head.onnx']?.bytes);
  });

  test('is named when an unknown one is asked for, whatever the name', async () => {
    const open = createRegistry().open('../../etc/passwd');

    await expect(open).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('trace-1'),
    });
  });
});

describe('choosing', () => {
  test('the newest model is the default, and an extra folder adds to the packaged one', async () => {
    const { modelsDir, editManifest } = folder();
    editManifest((manifest) => Object.assign(manifest, { id: 'later', created: '2999-01-01' }));
    const registry = createRegistry({ extra: modelsDir });

    expect((await registry.find(null)).id).toBe('later');
    expect((await registry.list()).map(({ id }) => id)).toEqual(['later', 'trace-1']);
  });

  test('a model of the extra folder wins over the packaged one of the same name', async () => {
    const { modelsDir, editManifest } = folder();
    editManifest((manifest) => Object.assign(manifest, { version: '99.0.0' }));

    expect((await createRegistry({ extra: modelsDir }).find('trace-1')).version).toBe('99.0.0');
  });

  test('an extra folder that is not there is an error, not an empty list', async () => {
    const list = createRegistry({ extra: join(folder().modelsDir, 'absent') }).list();

    await expect(list).rejects.toMatchObject({ code: 'model_not_found' });
  });

  test('a package without models says that it has to be reinstalled', async () => {
    const open = createRegistry({ packaged: join(folder().modelsDir, 'absent') }).open(null);

    await expect(open).rejects.toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('reinstall'),
    });
  });
});

describe('a damaged model', () => {
  test.each(['model.onnx', 'head.onnx', 'statistics.json'])(
    'is refused by name when one bit of %s has changed',
    async (name) => {
      const { modelsDir, pathOf } = folder();
      const bytes = readFileSync(pathOf(name));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(pathOf(name), bytes);

      await expect(createRegistry({ packaged: modelsDir }).open(null)).rejects.toMatchObject({
        code: 'model_integrity',
        message: expect.stringMatching(
          new RegExp(`^${name} of model trace-1 .*SHA-256.*reinstall`),
        ),
      });
    },
  );

  test('is refused when a file was cut short', async () => {
    const { modelsDir, pathOf } = folder();
    truncateSync(pathOf('model.onnx'), 1000);

    await expect(createRegistry({ packaged: modelsDir }).open(null)).rejects.toMatchObject({
      code: 'model_integrity',
      message: expect.stringContaining('model.onnx of model trace-1 has 1000 bytes instead of'),
    });
  });

  test('is refused when a file is missing', async () => {
    const { modelsDir, pathOf } = folder();
    rmSync(pathOf('head.onnx'));

    await expect(createRegistry({ packaged: modelsDir }).open(null)).rejects.toMatchObject({
      code: 'model_integrity',
      message: expect.stringContaining('head.onnx of model trace-1 cannot be read'),
    });
  });

  test('is refused when its manifest leaves a needed file out', async () => {
    const { modelsDir, editManifest } = folder();
    editManifest((manifest) => {
      manifest['files'] = {};
    });

    await expect(createRegistry({ packaged: modelsDir }).open(null)).rejects.toMatchObject({
      code: 'model_integrity',
      message: expect.stringContaining('is not listed in its manifest'),
    });
  });

  test('is no reason to fall back to an older one in silence, but does not hide the others', async () => {
    const { modelsDir, pathOf } = folder();
    writeFileSync(pathOf('manifest.json'), '{');
    const registry = createRegistry({ extra: modelsDir });

    await expect(registry.open(null)).rejects.toMatchObject({
      code: 'model_integrity',
      message: expect.stringContaining('Model folder model'),
    });
    expect((await registry.find('trace-1')).id).toBe('trace-1');
  });
});
