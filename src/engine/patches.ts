/**
 * Where patches lie in a picture, and which of them speak for it.
 *
 * Sizes and numbers stand in the manifest, because a model is fitted under them: for trace-1 patches of 128 px that overlap
 * by half, as training cuts them, and the 16 most textured. Fewer said less (AUC on the calibration split .760 of all up to 16,
 * .754 of 8, .746 of 4, .709 of one; models/training/EXPERIMENTS.md, 4); more were not tried. Crops of 256 px hold only 9,
 * and 9 drawn out of 16 say as much (.851 against .852 on val; 32). The number also bounds what head and second arm
 * cost at full size, however large the picture is. Where the most textured ones lie close together, the rest of a large picture
 * does not speak: that was not measured, because the crops are small.
 */

import type { Planes } from '../image/pixels.ts';
import type { ModelManifest } from '../inference/model.ts';
import {
  type CellPosition,
  coveringGrid,
  type Grid,
  insideGrid,
  patchStarts,
  windowOf,
} from './grid.ts';
import { cellTextures, mostTextured } from './texture.ts';

export interface PatchPlan {
  /** Cells that cover the picture. */
  readonly grid: Grid;
  /** Size of a patch in cells; smaller than the model's where the picture is. */
  readonly window: Grid;
  readonly all: readonly CellPosition[];
  /** Those that speak for the picture, most textured first. */
  readonly read: readonly CellPosition[];
}

export function planPatches(picture: Planes, input: ModelManifest['input']): PatchPlan {
  const { cellPx, patchCells, patchesRead } = input;
  const grid = coveringGrid(picture.facts, cellPx);
  const window = windowOf(grid, patchCells);
  const all = patchPlaces(insideGrid(picture.facts, cellPx), grid, input);
  const textures = cellTextures(picture, grid, cellPx);
  return {
    grid,
    window,
    all,
    read: mostTextured(all, textures, { grid, window, count: patchesRead }),
  };
}

/** Patches lie inside the picture as a whole; a picture too small for that is read as far as it goes. */
function patchPlaces(
  inside: Grid,
  covering: Grid,
  { patchCells, patchStrideCells }: ModelManifest['input'],
): readonly CellPosition[] {
  const along = (whole: number, covered: number) =>
    patchStarts(whole < patchCells ? covered : whole, patchCells, patchStrideCells);
  const columns = along(inside.columns, covering.columns);
  return along(inside.rows, covering.rows).flatMap((row) =>
    columns.map((column) => ({ column, row })),
  );
}
