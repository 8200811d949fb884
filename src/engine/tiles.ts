/**
 * Runs a branch of the model over a picture of any size in tiles, so that memory stays bounded. A tile is its core plus a
 * halo as wide as the branch's receptive field; the halo's outputs are discarded, so no seams show.
 */

import type { Planes } from '../image/pixels.ts';
import type { ReadCells } from '../inference/networks.ts';
import { coveringGrid, type FeatureGrid, type Grid } from './patches.ts';

/** In cells. `outer` is the network's input, `core` the part of its output that is used. */
interface Tile {
  readonly core: CellBox;
  readonly outer: CellBox;
}

interface CellBox {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
}

type Coloured = Pick<Planes, 'rgb' | 'facts'>;

/** How a branch of the model receives pixels. */
export interface Branch {
  readonly read: ReadCells;
  readonly cellPx: number;
  /** How far beyond a cell it looks. */
  readonly haloPx: number;
}

/**
 * Max cells of a tile, halo included: 1.3 megapixels at 16 px. One tile then holds a one-megapixel picture (no work is
 * done twice) and costs the trace network about 190 MB.
 */
export const maxTileCells = 5120;

/** @returns the branch's output for all cells that cover the picture; edge pixels are repeated to fill the last cells. */
export async function readFeatureGrid(
  picture: Coloured,
  { read, cellPx, haloPx }: Branch,
  tileCells = maxTileCells,
): Promise<FeatureGrid> {
  const grid = coveringGrid(picture.facts, cellPx);
  let features: FeatureGrid | null = null;
  for (const tile of planTiles(grid, Math.ceil(haloPx / cellPx), tileCells)) {
    const { columns, rows } = tile.outer;
    const rgb = cutTile(picture, tile.outer, cellPx);
    const answer = await read(rgb, columns * cellPx, rows * cellPx);
    const channels = answer.length / (columns * rows);
    if (columns === grid.columns && rows === grid.rows)
      return { ...grid, channels, values: answer };
    features ??= emptyFeatures(grid, channels);
    keepCore(features, tile, answer);
  }
  if (!features) throw new RangeError('A picture without cells cannot be read.');
  return features;
}

/**
 * Equal parts in both directions, as few as the limit allows.
 *
 * @param haloCells - cells shown on each side of a core, fewer where the picture ends.
 */
export function planTiles(grid: Grid, haloCells: number, tileCells: number): readonly Tile[] {
  if (grid.columns * grid.rows <= tileCells) {
    const whole = { column: 0, row: 0, ...grid };
    return [{ core: whole, outer: whole }];
  }
  const side = Math.max(1, Math.floor(Math.sqrt(tileCells)) - 2 * haloCells);
  const columns = spans(grid.columns, side);
  return spans(grid.rows, side).flatMap((vertical) =>
    columns.map((horizontal) => {
      const core = {
        column: horizontal.start,
        row: vertical.start,
        columns: horizontal.length,
        rows: vertical.length,
      };
      return { core, outer: grown(core, haloCells, grid) };
    }),
  );
}

function spans(length: number, most: number): { start: number; length: number }[] {
  const count = Math.ceil(length / most);
  return Array.from({ length: count }, (_, index) => {
    const start = Math.floor((index * length) / count);
    return { start, length: Math.floor(((index + 1) * length) / count) - start };
  });
}

export function grown(core: CellBox, halo: number, grid: Grid): CellBox {
  const column = Math.max(0, core.column - halo);
  const row = Math.max(0, core.row - halo);
  return {
    column,
    row,
    columns: Math.min(grid.columns, core.column + core.columns + halo) - column,
    rows: Math.min(grid.rows, core.row + core.rows + halo) - row,
  };
}

/** Pixels of a box of cells, edge pixels repeated; the picture's own array when the box is all of it. */
export function cutTile({ rgb, facts }: Coloured, box: CellBox, cellPx: number): Uint8Array {
  const width = box.columns * cellPx;
  const height = box.rows * cellPx;
  if (width === facts.width && height === facts.height) return rgb;

  const left = box.column * cellPx;
  const top = box.row * cellPx;
  const inside = Math.min(width, facts.width - left);
  const tile = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 3 * (Math.min(top + y, facts.height - 1) * facts.width + left);
    const to = 3 * y * width;
    tile.set(rgb.subarray(from, from + 3 * inside), to);
    for (let at = to + 3 * inside; at < to + 3 * width; at++) tile[at] = tile[at - 3]!;
  }
  return tile;
}

function emptyFeatures(grid: Grid, channels: number): FeatureGrid {
  return { ...grid, channels, values: new Float32Array(channels * grid.columns * grid.rows) };
}

function keepCore(features: FeatureGrid, { core, outer }: Tile, answer: Float32Array): void {
  const { channels, columns, rows, values } = features;
  for (let channel = 0; channel < channels; channel++) {
    for (let y = 0; y < core.rows; y++) {
      const inTile = (channel * outer.rows + core.row - outer.row + y) * outer.columns;
      const from = inTile + core.column - outer.column;
      const to = (channel * rows + core.row + y) * columns + core.column;
      values.set(answer.subarray(from, from + core.columns), to);
    }
  }
}
