import { beforeAll, expect, test } from 'vitest';
import { readEnsembleScores } from '../../../src/engine/ensemble.ts';
import { planPatches } from '../../../src/engine/patches.ts';
import { readFeatureGrid } from '../../../src/engine/tiles.ts';
import { halvePixels, type Planes, toPlanes } from '../../../src/image/pixels.ts';
import type { TraceModel } from '../../../src/inference/networks.ts';
import { loadPackagedModel, scenePicture } from './fixtures.ts';

let model: TraceModel;
beforeAll(async () => {
  model = await loadPackagedModel('trace-1');
});

/** Second source: all cells at once, and the cell in the middle of each patch. */
async function votesOfAllCells(picture: Planes): Promise<number[][]> {
  const { input, votes } = model.manifest;
  const branch = { read: model.readEnsemble!, cellPx: input.cellPx, haloPx: votes!.haloPx };
  const grid = await readFeatureGrid(picture, branch);
  return planPatches(picture, input).read.map(({ column, row }) =>
    Array.from({ length: grid.channels }, (_, channel) => {
      const at =
        Math.min(row + 4, grid.rows - 1) * grid.columns + Math.min(column + 4, grid.columns - 1);
      return grid.values[channel * grid.rows * grid.columns + at]!;
    }),
  );
}

async function votesOf(picture: Planes) {
  return (await readEnsembleScores(picture, planPatches(picture, model.manifest.input), model))!;
}

test('a large picture, read patch by patch, has the votes of all its cells, those of both sizes added up', async () => {
  const picture = await scenePicture(1100, 790);

  const { ofPatches, members } = await votesOf(picture);

  const full = await votesOfAllCells(picture);
  const half = await votesOfAllCells(toPlanes(halvePixels(picture)));
  const halfMean = half[0]!.map(
    (_, at) => half.reduce((sum, row) => sum + row[at]!, 0) / half.length,
  );
  full.forEach((row, patch) => {
    row.forEach((vote, at) => {
      expect(ofPatches[patch * members + at]).toBeCloseTo(vote + halfMean[at]!, 3);
    });
  });
});

test('a picture whose half holds no patch is asked at full size alone', async () => {
  const picture = await scenePicture(255, 400);

  const { ofPatches } = await votesOf(picture);

  expect([...ofPatches]).toEqual((await votesOfAllCells(picture)).flat());
});

test('the place of a patch has the vote of half size on the region around it, for both sizes', async () => {
  const picture = await scenePicture(512, 512);
  const half = toPlanes(halvePixels(picture));

  const { ofPosition: ofPlace } = await votesOf(picture);

  const { input, votes } = model.manifest;
  const branch = { read: model.readEnsemble!, cellPx: input.cellPx, haloPx: votes!.haloPx };
  const grid = await readFeatureGrid(half, branch);
  const around = grid.values[7 * grid.columns + 8];
  expect(ofPlace({ column: 12, row: 10 })[0]).toBe(2 * around!);
});
