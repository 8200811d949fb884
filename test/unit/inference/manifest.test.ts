import { describe, expect, test } from 'vitest';
import { parseAnyManifest, parseStatistics } from '../../../src/contract/manifest.ts';
import { packagedText, withValue } from './model-folder.ts';
import { refusal } from '../../fixtures/refusal.ts';

const broken = refusal('model_integrity');

test("the packaged model's manifest and statistics are read", () => {
  const manifest = parseManifest(packagedText('trace-3/manifest.json'));
  const { embedding } = parseStatistics(packagedText('trace-3/statistics.json'));

  expect(manifest.input.cellPx).toBe(32);
  expect(embedding.whitening).toHaveLength(embedding.dimension ** 2);
});

test('other thresholds make a different model, although the weights are the same', () => {
  const packaged = parseManifest(packagedText('trace-3/manifest.json'));
  const eager = parseManifest(withValue('trace-3/manifest.json', 'thresholds.traceMin.relaxed', 0));

  expect(Object.keys(packaged.files)).toContain('manifest.json');
  expect(eager.files['model.onnx']).toEqual(packaged.files['model.onnx']);
  expect(eager.files['manifest.json']).not.toEqual(packaged.files['manifest.json']);
});

test('names fixed by the program may be left out', () => {
  const text = withValue('trace-3/manifest.json', 'outputs', undefined);

  expect(parseManifest(text).id).toBe('trace-3');
});

test('the packaged model ships with the error rates of each condition', () => {
  const { measured } = parseManifest(packagedText('trace-3/manifest.json'));

  const conditions = ['as is', 'jpeg 75', 'half', 'half, jpeg 80'];
  expect(measured.map(({ condition }) => condition)).toEqual(conditions);
});

test('a model with a second network is rejected, naming the release that runs it', () => {
  expect(() => parseManifest(withValue('trace-3/manifest.json', 'votes', { haloPx: 96 }))).toThrow(
    /votes\.onnx.*forensics 0\.1\.0/,
  );
});

describe('a manifest is refused', () => {
  test.each([
    ['id', '../other'],
    ['id', ''],
    ['type', 'video'],
    ['created', 'yesterday'],
    ['files', []],
    ['files.model.onnx.sha256', 'abc'],
    ['files.model.onnx.bytes', -1],
    ['files', { '../secret': { sha256: 'a'.repeat(64), bytes: 1 } }],
    ['input.cellPx', 0],
    ['input.cellPx', 1.5],
    ['input.patchesRead', '16'],
    ['dropout.rate', 1],
    ['dropout.passes', 1e9],
    ['calibration.fake.scale', -1],
    ['calibration.decision', null],
    ['thresholds.fakeMin.default', 0.4],
    ['compressedRegime', { from: 0.5, fakeMin: { pedantic: 0.5, default: 0.9, relaxed: 0.9 } }],
    ['compressedRegime', { from: 2, fakeMin: { pedantic: 0.9, default: 0.9, relaxed: 0.9 } }],
    ['smallRegime', { below: 0, fakeMin: { pedantic: 0.9, default: 0.9, relaxed: 0.9 } }],
    ['smallRegime', { below: 1, fakeMin: { pedantic: 0.8, default: 0.9, relaxed: 0.9 } }],
    ['sizeRegime', { perHalving: -1, below: 2_000_000, downTo: 50_000 }],
    ['sizeRegime', { perHalving: 0.4, below: 2_000_000 }],
    ['sizeRegime', { perHalving: 0.4, realPerHalving: -1, below: 2_000_000, downTo: 50_000 }],
    ['generatorSizes.0.ratio', 50],
    ['generatorSizes.0.sizes', ['1408 x 768']],
    ['generatorSizes.0.sources', { generated: { found: 1, of: 2 } }],
    ['views', null],
    ['views.mostPixels', 1e8],
    ['views.weights.whole', 0.5],
    ['thresholds.realMax.default', 0.6],
    ['input.name', 'image'],
    ['input.layout', 'NCHW'],
    ['input.dtype', 'float32'],
    ['outputs.head', ['logits']],
    ['outputs.logits', ['fake', 'real', 'compression']],
    ['measured', {}],
    ['measured.0.auc', 1.2],
    ['measured.0.strategies.default.realCalledFake', '2%'],
  ])('with %s = %j', (path, value) => {
    expect(() => parseManifest(withValue('trace-3/manifest.json', path, value))).toThrow(broken);
  });

  test('with strategies out of order, because decided pictures would no longer be nested', () => {
    const limits = { pedantic: 0.7, default: 0.8, relaxed: 0.6 };
    const text = withValue('trace-3/manifest.json', 'thresholds.fakeMin', limits);

    expect(() => parseManifest(text)).toThrow(/fakeMin is not decreasing from pedantic to relaxed/);
  });

  test.each(['', '[]', 'null', '{', '{}'])('if it is %j', (text) => {
    expect(() => parseManifest(text)).toThrow(expect.objectContaining({ code: 'model_integrity' }));
  });
});

test.each([
  ['embedding.dimension', 31],
  ['embedding.mean', []],
  ['embedding.whitening', 'many'],
  ['distanceQuantiles', Array.from({ length: 101 }, (_, at) => -at)],
  ['pictureDistanceQuantiles', [1, 2, 3]],
  ['prototypes.realCompressed', [null]],
])('statistics are refused with %s = %j', (path, value) => {
  expect(() => parseStatistics(withValue('trace-3/statistics.json', path, value))).toThrow(broken);
});

function parseManifest(json: string) {
  const manifest = parseAnyManifest(json);
  if (manifest.type !== 'image') throw new TypeError('The manifest is not that of an image model.');
  return manifest;
}

function parseLocator(json: string) {
  const manifest = parseAnyManifest(json);
  if (manifest.type !== 'localisation') throw new TypeError('Not a localisation model.');
  return manifest;
}

const file = 'locate-1/manifest.json';

const counts = { changed: 30, photographs: 2 };
const calls = {
  condition: 'jpeg 75',
  changed: 150,
  photographs: 200,
  strategies: { pedantic: counts, default: counts, relaxed: counts },
};

test("the packaged locator's manifest is read, and its type identifies it", () => {
  const manifest = parseLocator(packagedText(file));

  expect(manifest.input.cellPx).toBe(4);
  expect(Object.keys(manifest.files)).toEqual(['locate.onnx', 'manifest.json']);
  expect(parseAnyManifest(packagedText('trace-3/manifest.json')).type).toBe('image');
});

test('the bar for cells follows the picture only as far as the manifest says', () => {
  const level = { middle: 0.2, strongest: 0.3, perDoubling: 0.1 };

  expect(levelIn(level)).toEqual(level);
  expect(levelIn(undefined)).toEqual({ middle: 0, strongest: 0, perDoubling: 0 });
  expect(levelIn({ middle: 0.2, strongest: 0.3 })).toMatchObject({ perDoubling: 0 });
});

test('measurements are read, and an unmeasured model has empty lists', () => {
  const scores = { f1Best: 0.5, f1Low: 0.45, f1High: 0.55, f1Half: 0.4, pixelAuc: 0.8 };
  const row = { set: 'splices', condition: 'as is', pictures: 40, ...scores };

  expect(parseLocator(withValue(file, 'measured', [row])).measured).toEqual([row]);
  const large = { ...calls, megapixels: { from: 4, below: null } };
  const called = [calls, large, { ...calls, megapixels: { from: 1.5, below: 4 } }];

  expect(parseLocator(withValue(file, 'called', called)).called).toEqual(called);
  expect(parseLocator(withValue(file, 'measured', undefined)).measured).toEqual([]);
  expect(parseLocator(withValue(file, 'called', undefined)).called).toEqual([]);
});

function levelIn(value: unknown) {
  return parseLocator(withValue(file, 'fusion.places.level', value)).fusion.places.level;
}

describe('the manifest of a localisation model is refused', () => {
  test.each([
    ['id', '../other'],
    ['type', 'sound'],
    ['created', 'yesterday'],
    ['files', []],
    ['input.cellPx', 3],
    ['input.cellPx', 0],
    ['input.maxPixels', 100],
    ['thresholds.manipulatedMin.default', 1.2],
    ['thresholds.suspectedMin', null],
    ['fusion', null],
    ['fusion.places.offset', '0'],
    ['fusion.places.level', 0.3],
    ['fusion.places.level', { middle: 0.3 }],
    ['fusion.places.level', { middle: 0.3, strongest: 1.1 }],
    ['fusion.places.weights', { Network: { weight: 1, rest: 0 } }],
    ['fusion.places.weights', { network: { weight: 1, rest: 2 } }],
    ['fusion.places.weights', { network: 1 }],
    ['fusion.picture.weights', { network: null }],
    ['measured', {}],
    ['measured', [{}]],
    ['called', [{ ...calls, strategies: {} }]],
    ['called', [{ ...calls, changed: 29 }]],
    ['called', [{ ...calls, megapixels: { from: 4, below: 1.5 } }]],
    ['called', [{ ...calls, megapixels: 4 }]],
    ['words.trees', [[1, 2]]],
    ['words.trees', [[[1, '2']]]],
    ['words.trees.0.0.0', 1e7],
  ])('with %s = %j', (path, value) => {
    expect(() => parseAnyManifest(withValue(file, path, value))).toThrow(broken);
  });

  test.each([
    ['manipulatedMin', { pedantic: 0.8, default: 0.9, relaxed: 0.9 }, 'not decreasing'],
    ['suspectedMin', { pedantic: 0.4, default: 0.3, relaxed: 0.5 }, 'not increasing'],
    ['suspectedMin', { pedantic: 0.2, default: 0.3, relaxed: 1 }, 'above manipulatedMin'],
  ])('with %s %j, because decided pictures would no longer be nested', (name, limits, why) => {
    expect(() => parseLocator(withValue(file, `thresholds.${name}`, limits))).toThrow(why);
  });
});
