import { expect, test } from 'vitest';
import { type Affine, invertAffine, moved } from '../../../src/detectors/copy-move/affine.ts';
import { isRepetitive, likelyPairs, type Pair } from '../../../src/detectors/copy-move/score.ts';
import { workingPicture } from '../../../src/detectors/copy-move/features.ts';
import { markPair } from '../../../src/detectors/copy-move/mark.ts';
import { createRandom } from '../../fixtures/noise.ts';
import type { Scene } from '../../fixtures/pictures.ts';

function work({ width, height, rgb }: Scene) {
  return workingPicture({ rgb, facts: { width, height } });
}

function affine(a: number, d: number): Affine {
  return { a, b: -d, c: 40, d, e: a, f: -25 };
}

const likeness = { share: 0.02, fine: 0.9, middle: 0.95, mutual: 0.8, onward: 0, shear: 0 };

/** 200 by 200 pixels of noise in which the given cells of two pixels recur where `move` takes them. */
function noisePair(cells: readonly number[], move: Affine) {
  const scene = { width: 200, height: 200, rgb: new Uint8Array(3 * 200 * 200) };
  const random = createRandom(6);
  scene.rgb.forEach((_, at) => {
    scene.rgb[at] = 255 * random();
  });
  const noise = scene.rgb.slice();
  const back = invertAffine(move);
  for (let pixel = 0; pixel < 200 * 200; pixel++) {
    const [x, y] = moved(back, pixel % 200, Math.floor(pixel / 200)).map(Math.round);
    if (!cells.includes(Math.floor(y! / 2) * 100 + Math.floor(x! / 2))) continue;
    const from = 3 * (y! * 200 + x!);
    scene.rgb.set(noise.subarray(from, from + 3), 3 * pixel);
  }
  const pair: Pair = {
    region: { cells: Int32Array.from(cells), affine: move },
    likeness: { ...likeness, scale: 1, isMirrored: false, isReflection: false },
  };
  const search = { working: work(scene), columns: 100, comparedShare: 1, pairs: [pair] };
  return { search, pair };
}

function block(columns: number, rows: number): readonly number[] {
  return Array.from(
    { length: columns * rows },
    (_, at) => (4 + Math.floor(at / columns)) * 100 + 4 + (at % columns),
  );
}

test('a copy three times as large is marked without holes and not beyond', () => {
  const enlarged: Affine = { a: 3, b: 0, c: 60, d: 0, e: 3, f: 60 };

  const { search, pair } = noisePair(block(8, 8), enlarged);
  const { here, there } = markPair(search, pair, search.working, 0.9);

  const marked = (at: number) => there.values[at]! > 0;
  const square = there.values.map((_, at) => {
    const [x, y] = [(at % 50) * 4 + 2, Math.floor(at / 50) * 4 + 2];
    return Math.min(x, y) > 84 && Math.max(x, y) < 132 ? 1 : 0;
  });
  expect([...there.values.keys()].filter((at) => marked(at) !== (square[at] === 1))).toEqual([]);
  expect(here.values.filter((value) => value > 0)).toHaveLength(16);
});

test('regions too thin for any map cell are still marked', () => {
  const { search, pair } = noisePair(block(20, 1), affine(0.4, 0));
  const { here, there } = markPair(search, pair, search.working, 0.9);

  expect(Math.max(...here.values)).toBeCloseTo(0.9, 6);
  expect(Math.max(...there.values)).toBeCloseTo(0.9, 6);
});

test('many equally likely pairs count for less than one alone', () => {
  const { pair } = noisePair(block(8, 8), affine(1, 0));

  const [alone] = likelyPairs([pair]);
  const rows = likelyPairs(Array.from({ length: 9 }, () => pair));

  expect(alone?.probability).toBeGreaterThan(0.95);
  expect(rows).toHaveLength(9);
  expect(rows[0]?.probability).toBeCloseTo(5 / 6, 6);
});

test('next to a clear copy, mere look-alikes are left out', () => {
  const { pair } = noisePair(block(8, 8), affine(1, 0));
  const faint = { ...pair, likeness: { ...pair.likeness, mutual: 0, fine: 0.2, middle: 0.3 } };

  expect(likelyPairs([faint, pair]).map((likely) => likely.pair)).toEqual([pair]);
});

test('a repetitive picture is recognised by how many of its regions look alike', () => {
  const { pair } = noisePair(block(8, 8), affine(1, 0));
  const alike = { ...pair, likeness: { ...pair.likeness, fine: 0.8, middle: 0.95 } };
  const other = { ...pair, likeness: { ...pair.likeness, middle: 0.6 } };

  expect(isRepetitive(Array.from({ length: 20 }, () => alike))).toBe(true);
  expect(isRepetitive([...Array.from({ length: 19 }, () => alike), other])).toBe(false);
});

test('an upside-down match straight below is a reflection, not a copy', () => {
  const { pair } = noisePair(block(8, 8), affine(1, 0));
  const reflection = { ...pair, likeness: { ...pair.likeness, isReflection: true } };

  expect(likelyPairs([reflection])[0]?.probability).toBeLessThan(0.5);
});

test('regions whose matches hardly lead back, as in a black background, are no copies', () => {
  const { pair } = noisePair(block(8, 8), affine(1, 0));
  const background = { ...pair, likeness: { ...pair.likeness, mutual: 0.002, share: 0.4 } };

  expect(likelyPairs([background])[0]?.probability).toBeLessThan(0.5);
});
