import { describe, expect, test } from 'vitest';
import { packagedText, withValue } from './model-folder.ts';
import { parseAnyManifest } from '../../../src/inference/manifest.ts';

const file = 'locate-1/manifest.json';

const counts = { changed: 30, photographs: 2 };
const calls = {
  condition: 'jpeg 75',
  changed: 150,
  photographs: 200,
  strategies: { pedantic: counts, default: counts, relaxed: counts },
};

test("the packaged model's manifest is read, and its type identifies it", () => {
  const manifest = parseManifest(packagedText(file));

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
  const row = {
    set: 'splices',
    condition: 'as is',
    pictures: 40,
    f1Best: 0.5,
    f1Low: 0.45,
    f1High: 0.55,
    f1Half: 0.4,
    pixelAuc: 0.8,
  };

  expect(parseManifest(withValue(file, 'measured', [row])).measured).toEqual([row]);
  const large = { ...calls, megapixels: { from: 4, below: null } };
  const called = [calls, large, { ...calls, megapixels: { from: 1.5, below: 4 } }];

  expect(parseManifest(withValue(file, 'called', called)).called).toEqual(called);
  expect(parseManifest(withValue(file, 'measured', undefined)).measured).toEqual([]);
  expect(parseManifest(withValue(file, 'called', undefined)).called).toEqual([]);
});

function parseManifest(json: string) {
  const manifest = parseAnyManifest(json);
  if (manifest.type !== 'localisation') throw new TypeError('Not a localisation model.');
  return manifest;
}

function levelIn(value: unknown) {
  return parseManifest(withValue(file, 'fusion.places.level', value)).fusion.places.level;
}

describe('a manifest is refused', () => {
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
  ])('with %s = %j', (path, value) => {
    expect(() => parseAnyManifest(withValue(file, path, value))).toThrow(
      expect.objectContaining({ code: 'model_integrity' }),
    );
  });

  test.each([
    ['manipulatedMin', { pedantic: 0.8, default: 0.9, relaxed: 0.9 }, 'not decreasing'],
    ['suspectedMin', { pedantic: 0.4, default: 0.3, relaxed: 0.5 }, 'not increasing'],
    ['suspectedMin', { pedantic: 0.2, default: 0.3, relaxed: 1 }, 'above manipulatedMin'],
  ])('with %s %j, because decided pictures would no longer be nested', (name, limits, why) => {
    expect(() => parseManifest(withValue(file, `thresholds.${name}`, limits))).toThrow(why);
  });
});
