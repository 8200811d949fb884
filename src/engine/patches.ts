/**
 * Lays out patches over a picture, and selects those for its score: the most textured ones, because flat regions
 * contain no traces. Sizes and counts come from the manifest, because the model was fitted with them.
 */

import type { Planes } from '../image/pixels.ts';
import type { ModelManifest } from '../inference/manifest.ts';
import { coveringGrid, type Grid, insideGrid } from './feature-grid.ts';

/** First cell of a window. */
export interface CellPosition {
  readonly column: number;
  readonly row: number;
}

export interface PatchPlan {
  /** The grid of cells that covers the picture. */
  readonly grid: Grid;
  /** Patch size in cells; smaller than in the manifest if the picture is smaller. */
  readonly window: Grid;
  readonly all: readonly CellPosition[];
  /** The patches that contribute to the picture's score, the most textured first. */
  readonly read: readonly CellPosition[];
}

export function planPatches(picture: Planes, input: ModelManifest['input']): PatchPlan {
  const { cellPx, patchCells, patchStrideCells, patchesRead } = input;
  const grid = coveringGrid(picture.facts, cellPx);
  const inside = insideGrid(picture.facts, cellPx);
  const [columns, rows] = [Math.min(patchCells, grid.columns), Math.min(patchCells, grid.rows)];
  const window = { columns, rows };
  // Patches lie entirely inside the picture, unless it is too small for that: then one patch covers all of it.
  const starts = (whole: number, covered: number) =>
    patchStarts(whole < patchCells ? covered : whole, patchCells, patchStrideCells);
  const all = crossed(starts(inside.columns, grid.columns), starts(inside.rows, grid.rows));
  const read = mostTextured(picture, all, { cellPx, window, count: patchesRead });
  return { grid, window, all, read };
}

/** The positions at every combination of these columns and rows, row by row. */
export function crossed(
  columns: readonly number[],
  rows: readonly number[],
): readonly CellPosition[] {
  return rows.flatMap((row) => columns.map((column) => ({ column, row })));
}

/** One every `stride` cells, and one that ends at the edge, so that every border cell is read. */
export function patchStarts(length: number, patchCells: number, stride: number): number[] {
  const last = Math.max(0, length - patchCells);
  const starts: number[] = [];
  for (let start = 0; start < last; start += stride) starts.push(start);
  return [...starts, last];
}

/** Limits what one pixel adds, in grey levels, so that a single hard edge does not make a patch count as textured. */
const maxPerPixel = 32;

/**
 * For each cell, the sum over its pixels of |luma - right neighbour| + |luma - lower neighbour|, at most 32 per pixel.
 * Neighbours and pixels outside the picture add nothing.
 */
export function cellTextures(
  picture: Pick<Planes, 'luma' | 'facts'>,
  grid: Grid,
  cellPx: number,
): Float64Array {
  const { luma } = picture;
  const { width, height } = picture.facts;
  const textures = new Float64Array(grid.columns * grid.rows);
  for (let y = 0; y < height; y++) {
    const row = luma.subarray(y * width, (y + 1) * width);
    const below = y + 1 < height ? luma.subarray((y + 1) * width, (y + 2) * width) : row;
    const cells = Math.floor(y / cellPx) * grid.columns;
    addRow(row, below, cellPx, textures.subarray(cells, cells + grid.columns));
  }
  return textures;
}

function addRow(row: Uint8Array, below: Uint8Array, cellPx: number, textures: Float64Array): void {
  const lastColumn = row.length - 1;
  for (let column = 0; column < textures.length; column++) {
    const end = Math.min((column + 1) * cellPx, row.length);
    let sum = 0;
    for (let x = column * cellPx; x < end; x++) {
      const here = row[x]!;
      const right = row[x < lastColumn ? x + 1 : x]!;
      const change = Math.abs(here - right) + Math.abs(here - below[x]!);
      sum += change < maxPerPixel ? change : maxPerPixel;
    }
    textures[column]! += sum;
  }
}

/** The windows with the highest sums of `cellTextures`, in descending order; of equal ones, the upper, then the left. */
export function mostTextured(
  picture: Planes,
  positions: readonly CellPosition[],
  how: { readonly cellPx: number; readonly window: Grid; readonly count: number },
): readonly CellPosition[] {
  const { cellPx, window, count } = how;
  const grid = coveringGrid(picture.facts, cellPx);
  const textures = cellTextures(picture, grid, cellPx);
  const textureAt = ({ column, row }: CellPosition) => {
    let sum = 0;
    for (let y = row; y < row + window.rows; y++) {
      for (let x = column; x < column + window.columns; x++) sum += textures[y * grid.columns + x]!;
    }
    return sum;
  };
  return positions
    .map((position) => ({ position, texture: textureAt(position) }))
    .toSorted(
      (one, other) =>
        other.texture - one.texture ||
        one.position.row - other.position.row ||
        one.position.column - other.position.column,
    )
    .slice(0, count)
    .map(({ position }) => position);
}
