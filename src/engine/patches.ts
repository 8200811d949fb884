/** Where patches lie in a picture, and which of them speak for it. */

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
