import { beforeAll, expect, test } from 'vitest';
import { seamOf } from '../../../src/engine/tiles.ts';
import type { TraceModel } from '../../../src/inference/trace-model.ts';
import { loadPackagedModel, scenePicture } from './fixtures.ts';

let model: TraceModel;
beforeAll(async () => {
  model = await loadPackagedModel();
});

test('a part with the halo of the manifest is read as in the whole picture, by both arms', async () => {
  const picture = await scenePicture(640, 480);
  const { input, votes } = model.manifest;
  const { cellPx, haloPx } = input;

  const network = await seamOf(picture, { read: model.readFeatures, cellPx, haloPx });
  const second = await seamOf(picture, { read: model.readVotes!, cellPx, ...votes! });

  expect(network).toBeLessThan(1e-3);
  expect(second).toBeLessThan(1e-3);
});

test.each([
  ['no halo', 0, 0.3],
  ['a halo that is one cell too narrow', 16, 0.03],
])('%s tells the part from the whole', async (_, haloPx, least) => {
  const picture = await scenePicture(640, 480);

  const seam = await seamOf(picture, { read: model.readFeatures, cellPx: 16, haloPx });

  expect(seam).toBeGreaterThan(least);
});

/** In each cell the value of its upper left corner. */
async function readCorners(rgb: Uint8Array, width: number, height: number): Promise<Float32Array> {
  const columns = width / 16;
  return Float32Array.from({ length: columns * (height / 16) }, (_, cell) => {
    const [x, y] = [16 * (cell % columns), 16 * Math.floor(cell / columns)];
    return rgb[3 * (y * width + x)]! + 1;
  });
}

test('an arm that looks at its own cell alone needs no halo', async () => {
  const picture = await scenePicture(400, 300);

  expect(await seamOf(picture, { read: readCorners, cellPx: 16, haloPx: 0 })).toBe(0);
});
