import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Branch,
  maxTileCells,
  planTiles,
  readFeatureGrid,
} from '../../../src/engine/tiles.ts';
import type { TraceModel } from '../../../src/inference/networks.ts';
import { loadPackagedModel, scenePicture } from './fixtures.ts';

describe('the plan', () => {
  test.each([
    [256, 256, maxTileCells],
    [250, 188, maxTileCells],
    [256, 5, 300],
    [31, 17, 100],
    [7, 7, 10],
  ])('of %i x %i cells keeps every cell once and shows its halo', (columns, rows, limit) => {
    const halo = 2;
    const seen = new Uint8Array(columns * rows);

    for (const { core, outer } of planTiles({ columns, rows }, halo, limit)) {
      for (let y = core.row; y < core.row + core.rows; y++) {
        for (let x = core.column; x < core.column + core.columns; x++) seen[y * columns + x]!++;
      }
      expect(outer.column).toBe(Math.max(0, core.column - halo));
      expect(outer.row).toBe(Math.max(0, core.row - halo));
      expect(outer.column + outer.columns).toBe(
        Math.min(columns, core.column + core.columns + halo),
      );
      expect(outer.row + outer.rows).toBe(Math.min(rows, core.row + core.rows + halo));
    }

    expect(seen.every((times) => times === 1)).toBe(true);
  });

  test('stays within its limit where the halo leaves room', () => {
    const tiles = planTiles({ columns: 256, rows: 256 }, 2, maxTileCells);

    for (const { outer } of tiles) expect(outer.columns * outer.rows).toBeLessThan(maxTileCells);
  });

  test('of a one-megapixel picture is one tile, so that no work is done twice', () => {
    expect(planTiles({ columns: 64, rows: 64 }, 2, maxTileCells)).toHaveLength(1);
  });
});

describe('the features', () => {
  let model: TraceModel;
  let network: Branch;
  let votes: Branch;
  beforeAll(async () => {
    model = await loadPackagedModel('trace-1');
    const { input, votes: second } = model.manifest;
    network = { read: model.readFeatures, cellPx: input.cellPx, haloPx: input.haloPx };
    votes = { read: model.readEnsemble!, cellPx: input.cellPx, haloPx: second!.haloPx };
  });

  test('of tiles joined equal those of one run, in both branches: the seams do not show', async () => {
    const picture = await scenePicture(420, 300);

    for (const branch of [network, votes]) {
      const whole = await readFeatureGrid(picture, branch);
      const joined = await readFeatureGrid(picture, branch, 500);

      // A float32 sum in another order differs by about 1e-5 of its size; a wrong halo by more than a tenth.
      expect(largestDifference(whole.values, joined.values)).toBeLessThan(1e-3);
    }
  });

  test('of a picture that ends inside a cell equal those of its edge repeated', async () => {
    const cut = await scenePicture(150, 133);
    const [width, height] = [160, 144];
    const rgb = new Uint8Array(3 * width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const from = 3 * (Math.min(y, 132) * 150 + Math.min(x, 149));
        rgb.set(cut.rgb.subarray(from, from + 3), 3 * (y * width + x));
      }
    }

    const read = await readFeatureGrid(cut, network);

    expect(read.values).toEqual(await model.readFeatures(rgb, width, height));
  });

  test('leave the picture as it was', async () => {
    const picture = await scenePicture(128, 128);
    const before = picture.rgb.slice();

    await readFeatureGrid(picture, network);

    expect(picture.rgb).toEqual(before);
  });
});

/** Largest difference, as a share of the largest value. */
function largestDifference(one: Float32Array, other: Float32Array): number {
  const largest = one.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const apart = one.reduce((most, value, at) => Math.max(most, Math.abs(value - other[at]!)), 0);
  return apart / largest;
}
