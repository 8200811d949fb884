import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { addModel } from '../../../src/app/add-model.ts';
import { installedModelsDir, modelsFolder } from '../../../src/data-folder/data-folder.ts';
import { createRegistry } from '../../../src/inference/registry.ts';
import { copyModel, type ModelFolder } from '../inference/model-folder.ts';

// A trial run starts a child process that loads the model.
vi.setConfig({ testTimeout: 90_000 });

/** A copy of the packaged model under another name, and a place to install it. */
let model: ModelFolder;
let from: string;
let into: string;

beforeEach(() => {
  model = copyModel();
  model.editManifest((manifest) => Object.assign(manifest, { id: 'trace-2', version: '2.0.0' }));
  from = join(model.modelsDir, 'model');
  into = join(mkdtempSync(join(tmpdir(), 'forensics-add-')), 'models');
});

test('a model that was added is opened by its id and not the default, however new; its card comes along, and nothing else', async () => {
  model.editManifest((manifest) => Object.assign(manifest, { created: '2999-01-01' }));
  rmSync(model.pathOf('golden.json'));
  writeFileSync(model.pathOf('CARD.md'), 'what it was trained on');
  writeFileSync(model.pathOf('notes.txt'), 'of nobody’s concern');

  const added = await addModel({ from, into, isReplacing: false });

  expect(added).toMatchObject({ manifest: { id: 'trace-2' }, defaultId: 'trace-1' });
  const { manifest } = await createRegistry({ extra: into }).open('trace-2');
  expect(readdirSync(into)).toEqual(['trace-2']);
  expect(readdirSync(join(into, 'trace-2'))).toEqual(
    ['CARD.md', ...Object.keys(manifest.files)].toSorted(),
  );
});

test('the place of a packaged model is not taken unless that was asked for', async () => {
  model.editManifest((manifest) => Object.assign(manifest, { id: 'trace-1' }));

  await expect(addModel({ from, into, isReplacing: false })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('--replace'),
  });

  expect(existsSync(into)).toBe(false);
});

test('a model never takes the place of a packaged one of the other kind', async () => {
  model.editManifest((manifest) => Object.assign(manifest, { id: 'locate-1' }));

  await expect(addModel({ from, into, isReplacing: true })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('an id of its own'),
  });
});

test('a localisation model is run before it is installed, also where a newer one is there', async () => {
  const locator = copyModel('locate-1');
  const older = { id: 'locate-0', version: '0.1.0', created: '2020-01-01' };
  locator.editManifest((manifest) => Object.assign(manifest, older));
  const adding = { from: join(locator.modelsDir, 'model'), into, isReplacing: false };

  expect(await addModel(adding)).toMatchObject({
    manifest: { id: 'locate-0', type: 'localisation' },
    defaultId: 'locate-1',
  });

  expect((await createRegistry({ extra: into }).openLocator('locate-0')).manifest.version).toBe(
    '0.1.0',
  );
  expect((await createRegistry({ extra: into }).findLocator()).id).toBe('locate-1');
});

test('a localisation model whose maps are not those of its manifest is refused', async () => {
  const locator = copyModel('locate-1');
  locator.editManifest((manifest) =>
    Object.assign(manifest, {
      id: 'locate-0',
      created: '2020-01-01',
      input: { cellPx: 8, maxPixels: 1e6 },
    }),
  );
  const adding = { from: join(locator.modelsDir, 'model'), into, isReplacing: false };

  await expect(addModel(adding)).rejects.toMatchObject({ code: 'model_integrity' });

  expect(readdirSync(into)).toEqual([]);
});

test('a model is not replaced unless that was asked for, and then as a whole', async () => {
  await addModel({ from, into, isReplacing: false });
  model.editManifest((manifest) => Object.assign(manifest, { version: '2.1.0' }));
  const versionThere = async () => (await createRegistry({ extra: into }).find('trace-2')).version;

  await expect(addModel({ from, into, isReplacing: false })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('--replace'),
  });
  const before = await versionThere();
  await addModel({ from, into, isReplacing: true });

  expect(before).toBe('2.0.0');
  expect(await versionThere()).toBe('2.1.0');
  expect(readdirSync(into)).toEqual(['trace-2']);
});

test.for<[string, string, (damaged: ModelFolder) => void]>([
  [
    'a changed file',
    'get it anew from whoever made it',
    ({ pathOf }) => writeFileSync(pathOf('head.onnx'), 'changed'),
  ],
  [
    'an impossible manifest',
    'dropout is not an object',
    ({ editManifest }) => editManifest((it) => (it['dropout'] = 1)),
  ],
  [
    'a network that does not answer as promised',
    'does not answer a picture',
    // The head expects votes that the manifest says there are none of.
    ({ editManifest }) => editManifest((it) => (it['votes'] = null)),
  ],
  [
    'a network that looks further than its manifest says',
    'enlarge input.haloPx',
    ({ editManifest }) => editManifest((it) => Object.assign(Object(it['input']), { haloPx: 0 })),
  ],
  [
    'a second arm that looks further than its manifest says',
    'enlarge votes.haloPx',
    ({ editManifest }) => editManifest((it) => (it['votes'] = { haloPx: 64 })),
  ],
])('%s is refused and leaves nothing behind', async ([, reason, damage]) => {
  damage(model);

  await expect(addModel({ from, into, isReplacing: false })).rejects.toMatchObject({
    code: 'model_integrity',
    message: expect.stringContaining(reason),
  });

  expect(existsSync(into) ? readdirSync(into) : []).toEqual([]);
});

test('installed models lie in the data folder once there is one, unless the setting names a place', () => {
  const dataDir = join(into, '..');

  expect(modelsFolder({ dataDir, modelsDir: null })).toBeNull();
  expect(installedModelsDir({ dataDir, modelsDir: null })).toBe(into);
  expect(modelsFolder({ dataDir, modelsDir: '/elsewhere' })).toBe('/elsewhere');
});
