/**
 * Where patches are in a picture, and which of them count for its score.
 *
 * Sizes and numbers are in the manifest, because a model is fitted under them: for trace-1 patches of 128 px that overlap
 * by half, as training cuts them, and the 16 most textured. Fewer were worse (AUC on the calibration split .760 of all up to 16,
 * .754 of 8, .746 of 4, .709 of one; models/training/EXPERIMENTS.md, 4); more were not tried. Crops of 256 px hold only 9,
 * and 9 drawn out of 16 do as well (.851 against .852 on val; 32). The number also bounds what head and second branch
 * cost at full size, however large the picture is. Where the most textured ones are close together, the rest of a large picture
 * does not count: that was not measured, because the crops are small.
 */

import type { Planes } from '../image/pixels.ts';
import type { ModelManifest } from '../inference/model.ts';
import { cellTextures, mostTextured } from './texture.ts';

export interface PatchPlan {
  /** Cells that cover the picture. */
  readonly grid: Grid;
  /** Size of a patch in cells; smaller than the model's where the picture is. */
  readonly window: Grid;
  readonly all: readonly CellPosition[];
  /** Those that count for the picture, most textured first. */
  readonly read: readonly CellPosition[];
}

export function planPatches(picture: Planes, input: ModelManifest['input']): PatchPlan {
  const { cellPx, patchCells, patchesRead } = input;
  const grid = coveringGrid(picture.facts, cellPx);
  const window = windowOf(grid, patchCells);
  const all = patchPositions(insideGrid(picture.facts, cellPx), grid, input);
  const textures = cellTextures(picture, grid, cellPx);
  return {
    grid,
    window,
    all,
    read: mostTextured(all, textures, { grid, window, count: patchesRead }),
  };
}

/** Patches are entirely inside the picture; one too small for that is covered as far as it goes. */
function patchPositions(
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

/** The grid of cells that the network scores. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** Features of each cell: `values[channel * columns * rows + row * columns + column]`. */
export interface FeatureGrid extends Grid {
  readonly channels: number;
  readonly values: Float32Array;
}

/** Where a window of cells begins; its size is `windowOf` of the grid. */
export interface CellPosition {
  readonly column: number;
  readonly row: number;
}

/** Cells that cover a picture; the last column and row may hang over the edge. */
export function coveringGrid(size: { width: number; height: number }, cellPx: number): Grid {
  return { columns: Math.ceil(size.width / cellPx), rows: Math.ceil(size.height / cellPx) };
}

/** Cells entirely inside a picture, at least one in each direction. */
export function insideGrid(size: { width: number; height: number }, cellPx: number): Grid {
  return {
    columns: Math.max(1, Math.floor(size.width / cellPx)),
    rows: Math.max(1, Math.floor(size.height / cellPx)),
  };
}

/** Columns and rows of a patch: `patchCells`, or what a smaller grid has. */
export function windowOf(grid: Grid, patchCells: number): Grid {
  return {
    columns: Math.min(patchCells, grid.columns),
    rows: Math.min(patchCells, grid.rows),
  };
}

/**
 * First cells of the patches along one side: every `stride`, and one more that ends at the edge, so that no cell of
 * the border is left unread.
 */
export function patchStarts(length: number, patchCells: number, stride: number): number[] {
  const last = Math.max(0, length - patchCells);
  const starts: number[] = [];
  for (let start = 0; start < last; start += stride) starts.push(start);
  return [...starts, last];
}

/** Means of features over a window of cells, at every position where the window fits. */
export interface WindowMeans {
  /** Positions of the window: `grid - window + 1` in each direction, row-major. */
  readonly columns: number;
  readonly rows: number;
  readonly channels: number;
  /** `means[(row * columns + column) * channels + channel]`: one row of numbers a window, as the head expects it. */
  readonly means: Float32Array;
}

/**
 * Box means by running sums: the cost does not depend on the window's size. Sums are kept in double precision, so that
 * adding and subtracting a value leaves no error that a float32 could show.
 */
export function meanWindows(features: FeatureGrid, window: Grid): WindowMeans {
  const { channels, columns, rows, values } = features;
  const acrossCount = columns - window.columns + 1;
  const downCount = rows - window.rows + 1;
  const means = new Float32Array(acrossCount * downCount * channels);
  // Sum of the window's rows in each column, for each channel: slides down with `row`.
  const columnSums = new Float64Array(channels * columns);
  const weight = 1 / (window.columns * window.rows);

  for (let row = 0; row < rows; row++) {
    const top = row - window.rows + 1;
    for (let channel = 0; channel < channels; channel++) {
      const plane = channel * rows * columns;
      const sums = channel * columns;
      for (let x = 0; x < columns; x++) {
        const leaving = top > 0 ? values[plane + (top - 1) * columns + x]! : 0;
        columnSums[sums + x]! += values[plane + row * columns + x]! - leaving;
      }
      if (top < 0) continue;

      let sum = 0;
      for (let x = 0; x < columns; x++) {
        const left = x - window.columns + 1;
        sum += columnSums[sums + x]! - (left > 0 ? columnSums[sums + left - 1]! : 0);
        if (left >= 0) means[(top * acrossCount + left) * channels + channel] = sum * weight;
      }
    }
  }
  return { columns: acrossCount, rows: downCount, channels, means };
}
