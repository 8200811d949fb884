import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../../../src/inference/registry.ts';
import { copyModel, type ModelFolder } from './model-folder.ts';
import { refusal } from '../../fixtures/refusal.ts';

function folder(id?: string): ModelFolder {
  const made = copyModel(id);
  onTestFinished(() => rmSync(made.modelsDir, { recursive: true, force: true }));
  return made;
}

/** A folder of one model, in whose file this bit has changed. */
function damaged(id: string, name: string): string {
  const { modelsDir, pathOf } = folder(id);
  const bytes = readFileSync(pathOf(name));
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(pathOf(name), bytes);
  return modelsDir;
}

/** The packaged model twice, once with these other values. */
function doubled(values: object): string {
  const { modelsDir, editManifest } = folder();
  cpSync(join(modelsDir, 'model'), join(modelsDir, 'another'), { recursive: true });
  editManifest((manifest) => Object.assign(manifest, values));
  return modelsDir;
}

/** A folder of models with one whose manifest has these other values. */
function changed(values: object, id?: string): string {
  const { modelsDir, editManifest } = folder(id);
  editManifest((manifest) => Object.assign(manifest, values));
  return modelsDir;
}

const later = { id: 'later', created: '2999-01-01' };

describe('the packaged model', () => {
  test('is found wherever the program was started from', async () => {
    const manifests = await createRegistry().list();

    expect(manifests.map(({ id }) => id)).toContain('trace-3');
  });

  test('opens with the bytes that its manifest describes', async () => {
    const { manifest, backbone, head } = await createRegistry().open('trace-3');

    expect(backbone.length).toBe(manifest.files['model.onnx']?.bytes);
    expect(head.length).toBe(manifest.files['head.onnx']?.bytes);
  });

  test('is suggested when an unknown model is requested', async () => {
    const open = createRegistry().open('../../etc/passwd');

    await expect(open).rejects.toEqual(refusal('model_not_found', 'trace-3'));
  });
});

describe('choosing', () => {
  test('the newest model of the package is the default', async () => {
    const registry = createRegistry({ packaged: doubled(later) });

    expect((await registry.find(null)).id).toBe('later');
    expect((await registry.list()).map(({ id }) => id)).toEqual(['later', 'trace-3']);
  });

  test('a model in the extra folder must be requested, however new it is', async () => {
    const registry = createRegistry({ extra: changed(later) });

    expect((await registry.find('later')).id).toBe('later');
    expect((await registry.find(null)).id).toBe('trace-3');
    expect((await registry.list()).map(({ id }) => id)).toEqual(['trace-3', 'later']);
  });

  test('a model in the extra folder replaces the packaged one of the same name', async () => {
    const older = { version: '99.0.0', created: '2001-01-01' };
    const registry = createRegistry({ extra: changed(older) });

    expect((await registry.find('trace-3')).version).toBe('99.0.0');
    expect((await registry.list()).map(({ version }) => version)).toContain('99.0.0');
  });

  test('of two folders with the same name the newer counts', async () => {
    const packaged = doubled({ version: '99.0.0', created: '2999-01-01' });

    const manifests = await createRegistry({ packaged }).list();

    expect(manifests.map(({ version }) => version)).toEqual(['99.0.0']);
  });

  test('a missing extra folder is an error, not an empty list', async () => {
    const list = createRegistry({ extra: join(folder().modelsDir, 'absent') }).list();

    await expect(list).rejects.toMatchObject({ code: 'model_not_found' });
  });

  test('a package without models says that it has to be reinstalled', async () => {
    const open = createRegistry({ packaged: join(folder().modelsDir, 'absent') }).open(null);

    await expect(open).rejects.toEqual(refusal('model_not_found', 'reinstall'));
  });
});

describe('the localisation model', () => {
  test('is found next to image models and opens with the bytes that its manifest describes', async () => {
    const registry = createRegistry();

    const { manifest, network } = await registry.openLocator();

    expect(manifest).toEqual(await registry.findLocator());
    expect(network.length).toBe(manifest.files['locate.onnx']?.bytes);
    expect((await registry.list()).map(({ type }) => type)).toEqual(['image']);
    expect((await registry.listAll()).map(({ id }) => id)).toEqual(['trace-3', 'locate-1']);
  });

  test('in an extra folder replaces the packaged one, or is requested by its id', async () => {
    const { modelsDir, editManifest } = folder('locate-1');
    editManifest((manifest) => Object.assign(manifest, { version: '99.0.0' }));
    const registry = createRegistry({ extra: modelsDir });

    expect((await registry.findLocator()).version).toBe('99.0.0');
    editManifest((manifest) => Object.assign(manifest, later));
    expect((await registry.findLocator('later')).version).toBe('99.0.0');
    expect((await registry.findLocator()).version).not.toBe('99.0.0');
  });

  test('is never returned as an image model, nor the other way round', async () => {
    const registry = createRegistry();

    await expect(registry.open('locate-1')).rejects.toMatchObject({ code: 'model_not_found' });
    await expect(registry.findLocator('trace-3')).rejects.toEqual(
      refusal('model_not_found', 'localisation model'),
    );
  });

  test('is required, because every examination needs it', async () => {
    const { modelsDir } = folder();
    const registry = createRegistry({ packaged: modelsDir });

    const missing = { code: 'model_not_found', message: expect.stringContaining('reinstall') };
    await expect(registry.openLocator()).rejects.toMatchObject(missing);
    await expect(registry.verify(null)).rejects.toMatchObject(missing);
  });
});

describe('verifying', () => {
  test('checks the models of both types, or the named one', async () => {
    const registry = createRegistry();

    const idsOf = async (id: string | null) => (await registry.verify(id)).map((it) => it.id);

    expect(await idsOf(null)).toEqual(['trace-3', 'locate-1']);
    expect(await idsOf('locate-1')).toEqual(['locate-1']);
  });

  test('finds one changed bit of a localisation model', async () => {
    const registry = createRegistry({ extra: damaged('locate-1', 'locate.onnx') });

    await expect(registry.verify('locate-1')).rejects.toEqual(
      refusal('model_integrity', 'locate.onnx of model locate-1'),
    );
  });
});

const shorten = ({ pathOf }: ModelFolder) => truncateSync(pathOf('model.onnx'), 1000);
const loseHead = ({ pathOf }: ModelFolder) => rmSync(pathOf('head.onnx'));
const listNothing = ({ editManifest }: ModelFolder) =>
  editManifest((manifest) => Object.assign(manifest, { files: {} }));

describe('a damaged model', () => {
  test.each(['model.onnx', 'head.onnx', 'transformer.onnx', 'statistics.json'])(
    'is refused by name when one bit of %s has changed',
    async (name) => {
      const registry = createRegistry({ packaged: damaged('trace-3', name) });

      await expect(registry.open(null)).rejects.toEqual(
        refusal('model_integrity', new RegExp(`^${name} of model trace-3 .*SHA-256.*reinstall`)),
      );
    },
  );

  test('says to copy an added model again, not to reinstall', async () => {
    const { modelsDir, pathOf, editManifest } = folder();
    editManifest((manifest) => Object.assign(manifest, { id: 'later' }));
    truncateSync(pathOf('model.onnx'), 1000);

    await expect(createRegistry({ extra: modelsDir }).open('later')).rejects.toEqual(
      refusal('model_integrity', /copy the folder of the model again\.$/),
    );
  });

  test.each<[string, (model: ModelFolder) => void, string]>([
    ['truncated', shorten, 'model.onnx of model trace-3 has 1000 bytes instead of'],
    ['missing', loseHead, 'head.onnx of model trace-3 cannot be read'],
    ['omitted from its manifest', listNothing, 'is not listed in its manifest'],
  ])('is refused when a file is %s', async (_, damage, message) => {
    const model = folder();
    damage(model);

    await expect(createRegistry({ packaged: model.modelsDir }).open(null)).rejects.toEqual(
      refusal('model_integrity', message),
    );
  });

  test('never causes a silent fallback, and does not hide other models', async () => {
    const { modelsDir, pathOf } = folder();
    writeFileSync(pathOf('manifest.json'), '{');
    const registry = createRegistry({ extra: modelsDir });

    await expect(registry.open(null)).rejects.toEqual(
      refusal('model_integrity', 'Model folder model'),
    );
    expect((await registry.find('trace-3')).id).toBe('trace-3');
  });
});
