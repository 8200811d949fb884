/** Divides a picture into cells: the trace network's features of each cell, and windows of cells by their texture. */

import { cutPixels, type Pixels, type Planes, type Size } from '../image/pixels.ts';
import type { ModelManifest } from '../contract/manifest.ts';
import type { TraceModel } from '../inference/networks.ts';

export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** Features of the cells: `values[channel * columns * rows + row * columns + column]`. */
export interface FeatureGrid extends Grid {
  readonly channels: number;
  readonly values: Float32Array;
}

/** The grid of cells that covers a picture; the last column and row may extend past the edge. */
export function coveringGrid(size: Size, cellPx: number): Grid {
  return { columns: Math.ceil(size.width / cellPx), rows: Math.ceil(size.height / cellPx) };
}

/** The grid of those cells that lie entirely inside a picture; at least one in each direction. */
export function insideGrid(size: Size, cellPx: number): Grid {
  return {
    columns: Math.max(1, Math.floor(size.width / cellPx)),
    rows: Math.max(1, Math.floor(size.height / cellPx)),
  };
}

/** The features of every cell. The network reads the whole picture at once, so the caller must limit its size. */
export async function readFeatureGrid(
  picture: Pick<Planes, 'rgb' | 'facts'>,
  model: TraceModel,
): Promise<FeatureGrid> {
  const { cellPx } = model.manifest.input;
  const grid = coveringGrid(picture.facts, cellPx);
  const rgb = padToCells(picture, cellPx);
  const values = await model.readFeatures(rgb, grid.columns * cellPx, grid.rows * cellPx);
  return { ...grid, channels: values.length / (grid.columns * grid.rows), values };
}

/** Pads the RGB to whole cells by repeating the pixels at the edge; if no padding is needed, returns the same array. */
export function padToCells(
  { rgb, facts }: { readonly rgb: Uint8Array; readonly facts: Size },
  cellPx: number,
): Uint8Array {
  const { columns, rows } = coveringGrid(facts, cellPx);
  const [width, height] = [columns * cellPx, rows * cellPx];
  if (width === facts.width && height === facts.height) return rgb;
  const padded = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 3 * Math.min(y, facts.height - 1) * facts.width;
    const to = 3 * y * width;
    padded.set(rgb.subarray(from, from + 3 * facts.width), to);
    for (let at = to + 3 * facts.width; at < to + 3 * width; at++) padded[at] = padded[at - 3]!;
  }
  return padded;
}

export function meanFeatures({ channels, columns, rows, values }: FeatureGrid): Float32Array {
  const cells = columns * rows;
  return Float32Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let cell = 0; cell < cells; cell++) sum += values[channel * cells + cell]!;
    return sum / cells;
  });
}

export type WindowMeans = ReturnType<typeof meanWindows>;

/**
 * Mean features over a window of cells, at every position where the window fits. Box filter with running sums, so that
 * the time does not depend on the window size.
 *
 * @returns `columns` and `rows`: number of positions; `means[(row * columns + column) * channels + channel]`: one row for
 *   each window, as the head expects.
 */
export function meanWindows({ channels, columns, rows, values }: FeatureGrid, window: Grid) {
  const cells = columns * rows;
  const positions = { columns: columns - window.columns + 1, rows: rows - window.rows + 1 };
  const means = new Float32Array(positions.columns * positions.rows * channels);
  for (let channel = 0; channel < channels; channel++) {
    const plane = values.subarray(channel * cells, (channel + 1) * cells);
    slideWindow(plane, columns, window, { means: means.subarray(channel), step: channels });
  }
  return { ...positions, channels, means };
}

/** Writes means `step` apart. The sums are doubles, so that adding and subtracting leaves no error in a float32. */
function slideWindow(
  plane: Float32Array,
  columns: number,
  window: Grid,
  { means, step }: { readonly means: Float32Array; readonly step: number },
): void {
  // For each column, the sum over the rows of the window, which slides down.
  const sums = new Float64Array(columns);
  const weight = 1 / (window.columns * window.rows);
  for (let at = 0, to = 0; at < plane.length; at += columns) {
    const leaves = at - window.rows * columns;
    for (let x = 0; x < columns; x++) {
      sums[x]! += plane[at + x]! - (leaves < 0 ? 0 : plane[leaves + x]!);
    }
    if (at < (window.rows - 1) * columns) continue;
    let sum = 0;
    for (let x = 0; x < columns; x++) {
      sum += sums[x]! - (x < window.columns ? 0 : sums[x - window.columns]!);
      if (x < window.columns - 1) continue;
      means[to] = sum * weight;
      to += step;
    }
  }
}

// Patches and other windows. For the picture's score, the most textured ones are selected, because flat regions contain
// no traces. Sizes and counts come from the manifest, because the model was fitted with them.

/** First cell of a window. */
export interface CellPosition {
  readonly column: number;
  readonly row: number;
}

export type PatchPlan = ReturnType<typeof planPatches>;

export function planPatches(picture: Planes, input: ModelManifest['input']) {
  const { cellPx, patchCells, patchStrideCells, patchesRead } = input;
  const grid = coveringGrid(picture.facts, cellPx);
  // Smaller than in the manifest if the picture is smaller.
  const [columns, rows] = [Math.min(patchCells, grid.columns), Math.min(patchCells, grid.rows)];
  const window = { columns, rows };
  // Patches lie entirely inside the picture, unless it is too small for that: then one patch covers all of it.
  const all = placeWindows(insideGrid(picture.facts, cellPx), window, patchStrideCells);
  return {
    grid,
    window,
    all,
    read: mostTextured(picture, all, { cellPx, window, count: patchesRead }),
  };
}

/** One every `stride` cells, and one that ends at the edge, so that every border cell is read; row by row. */
function placeWindows(inside: Grid, window: Grid, stride: number): readonly CellPosition[] {
  const along = (length: number, side: number) => {
    const last = Math.max(0, length - side);
    return [...Array.from({ length: Math.ceil(last / stride) }, (_, n) => n * stride), last];
  };
  const columns = along(inside.columns, window.columns);
  return along(inside.rows, window.rows).flatMap((row) =>
    columns.map((column) => ({ column, row })),
  );
}

interface Windows {
  readonly cellPx: number;
  /** In cells. */
  readonly window: Grid;
  readonly stride: number;
  readonly count: number;
}

/** The most textured windows inside the picture, the most textured first. */
export function texturedWindows(picture: Planes, how: Windows): readonly CellPosition[] {
  const inside = insideGrid(picture.facts, how.cellPx);
  return mostTextured(picture, placeWindows(inside, how.window, how.stride), how);
}

/** The square of `sidePx` pixels that begins at this cell, or the part of it inside the picture. */
export function cutSquare(
  picture: Planes,
  { column, row }: CellPosition,
  cellPx: number,
  sidePx: number,
): Pixels {
  const [left, top] = [column * cellPx, row * cellPx];
  const width = Math.min(sidePx, picture.facts.width - left);
  const height = Math.min(sidePx, picture.facts.height - top);
  return cutPixels(picture, { left, top, width, height });
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
function mostTextured(
  picture: Planes,
  positions: readonly CellPosition[],
  { cellPx, window, count }: Omit<Windows, 'stride'>,
): readonly CellPosition[] {
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
