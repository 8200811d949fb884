import { expect, test } from 'vitest';
import { findMainGrid } from '../../../src/detectors/main-grid.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { createRandom } from '../../fixtures/noise.ts';
import { drawScene, fromScene, type Scene } from '../../fixtures/pictures.ts';
import { resaved } from './histories.ts';

const size = { width: 384, height: 288 };

async function lumaPlane(scene: Scene) {
  const { facts, luma } = await decodePicture(await fromScene(scene).png().toBuffer());
  return { width: facts.width, height: facts.height, luma };
}

function cropped({ width, height, rgb }: Scene, left: number, top: number): Scene {
  const [across, down] = [width - left, height - top];
  const cut = Uint8Array.from({ length: 3 * across * down }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % across, Math.floor(at / 3 / across)];
    return rgb[3 * ((y + top) * width + x + left) + (at % 3)]!;
  });
  return { width: across, height: down, rgb: cut };
}

test.each([
  [0, 0, { left: 0, top: 0 }],
  [3, 6, { left: 5, top: 2 }],
])('cropped by (%i, %i) after a JPEG save, a picture shows its grid', async (x, y, origin) => {
  const saved = await resaved(drawScene({ ...size, seed: 7 }), 75);

  const grid = findMainGrid(await lumaPlane(cropped(saved, x, y)));

  expect(grid).toMatchObject(origin);
  expect(grid.logFalseAlarms).toBeLessThan(-3);
});

test('evenly spread squares of a large picture find the same grid', async () => {
  const saved = await resaved(drawScene({ width: 1200, height: 900, seed: 7 }), 75);

  const grid = findMainGrid(await lumaPlane(cropped(saved, 5, 1)));

  expect(grid).toMatchObject({ left: 3, top: 7 });
  expect(grid.logFalseAlarms).toBeLessThan(-3);
});

test.each([1, 2, 3, 4])('no grid is found in noise (%i)', async (seed) => {
  const random = createRandom(seed);
  const rgb = Uint8Array.from({ length: 3 * 512 * 448 }, () => 100 + 40 * random());

  const { logFalseAlarms } = findMainGrid(await lumaPlane({ width: 512, height: 448, rgb }));

  expect(logFalseAlarms).toBeGreaterThan(-3);
});

test.each([
  ['a picture that was never a JPEG', drawScene({ ...size, seed: 8 })],
  ['a picture of one colour', { ...size, rgb: new Uint8Array(3 * 384 * 288).fill(90) }],
])('%s shows no grid', async (_, scene) => {
  const { logFalseAlarms } = findMainGrid(await lumaPlane(scene));

  expect(logFalseAlarms).toBeGreaterThan(-3);
});
