import { describe, expect, test } from 'vitest';
import type { CellMap } from '../../../src/detectors/detector.ts';
import { noiseLevel } from '../../../src/detectors/noise-level.ts';
import { createRandom, gaussianTable } from '../../fixtures/noise.ts';
import { drawScene, fromScene, type Scene } from '../../fixtures/pictures.ts';
import { inputOf, worded } from './input.ts';

const size = { width: 480, height: 400 };
const box = { left: 272, top: 200, right: 400, bottom: 328 };

async function examine(scene: Scene, quality = 95) {
  return worded(noiseLevel.examine(await inputOf(fromScene(scene).jpeg({ quality }))));
}

async function sight(scene: Scene, quality?: number) {
  const answer = await examine(scene, quality);
  if (!('map' in answer)) throw new Error('skipped');
  return answer;
}

type Box = typeof box;

/** The scene with other values inside the box. */
function edited(
  scene: Scene,
  { left, top, right, bottom }: Box,
  value: (at: number) => number,
): Scene {
  const rgb = Uint8Array.from(scene.rgb, (before, at) => {
    const pixel = Math.floor(at / 3);
    const [x, y] = [pixel % scene.width, Math.floor(pixel / scene.width)];
    const isInside = x >= left && x < right && y >= top && y < bottom;
    return isInside ? Math.min(255, Math.max(0, Math.round(value(at)))) : before;
  });
  return { ...scene, rgb };
}

function withNoise(scene: Scene, where: Box, deviation: number): Scene {
  const noise = gaussianTable(createRandom(8));
  return edited(scene, where, (at) => scene.rgb[at]! + deviation * noise[(7 * at) & 65_535]!);
}

function meanOf({ cellPx, columns, values }: CellMap, isWanted: (x: number, y: number) => boolean) {
  const wanted = values.filter((_, at) =>
    isWanted((at % columns) * cellPx, Math.floor(at / columns) * cellPx),
  );
  return wanted.reduce((sum, value) => sum + value, 0) / wanted.length;
}

const isInside = (x: number, y: number) =>
  x >= box.left + 16 && x < box.right - 24 && y >= box.top + 16 && y < box.bottom - 24;
const isFar = (x: number, y: number) =>
  x < box.left - 40 || x >= box.right + 40 || y < box.top - 40 || y >= box.bottom + 40;

describe.each([11, 12, 13])('scene %i', (seed) => {
  const scene = drawScene({ ...size, seed });

  test.each([
    ['much more noise', withNoise(scene, box, 9)],
    ['some more noise', withNoise(scene, box, 5)],
  ])('a region with %s stands out, and its untouched twin does not', async (_, changed) => {
    const [found, twin] = [await sight(changed), await sight(scene)];

    const inside = meanOf(found.map, isInside);
    expect(inside).toBeGreaterThan(0.75);
    expect(meanOf(found.map, isFar)).toBeLessThan(0.45);
    expect(meanOf(twin.map, isInside)).toBeLessThan(inside - 0.2);
    expect(found.finding.measures['contrast']).toBeGreaterThan(twin.finding.measures['contrast']!);
  });

  test('the same file gives the same map', async () => {
    expect(await sight(scene)).toEqual(await sight(scene));
  });
});

test('a contrast that few photographs have is put into words with its place', async () => {
  const { finding } = await sight(withNoise(drawScene({ ...size, seed: 11 }), box, 9));

  expect(finding.statement.en).toContain('% of the picture');
  expect(finding.measures['regionShare']).toBeGreaterThan(0.02);
});

test('a region that is pure white says nothing', async () => {
  const { map } = await sight(edited(drawScene({ ...size, seed: 11 }), box, () => 255));

  expect(meanOf(map, isInside)).toBe(0.5);
});

test.each([
  ['is too small', drawScene({ width: 112, height: 112, seed: 1 })],
  ['is white', { ...size, rgb: new Uint8Array(3 * size.width * size.height).fill(255) }],
])('a picture that %s is skipped with a reason', async (_, scene) => {
  expect(await examine(scene)).toEqual({
    method: 'noise-level',
    reason: { en: expect.stringContaining('too small'), de: expect.stringContaining('zu klein') },
  });
});

test.each([
  ['is of one colour', () => 90, 95],
  ['is a smooth gradient', (at: number) => 60 + Math.floor(((at / 3) % size.width) / 4), 95],
  ['lost all its fine structure to compression', (at: number) => 90 + ((at * 7) % 5), 5],
])('a picture that %s is skipped with a reason', async (_, value, quality) => {
  const rgb = Uint8Array.from({ length: 3 * size.width * size.height }, (...[, at]) => value(at));

  expect(await examine({ ...size, rgb }, quality)).toEqual({
    method: 'noise-level',
    reason: {
      en: expect.stringContaining('Hardly any part'),
      de: expect.stringContaining('Kaum ein Teil'),
    },
  });
});
