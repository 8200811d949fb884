/** Marks both regions of a pair on a map of the whole picture. */

import type { CellMap, Size } from '../regions.ts';
import { type Affine, invertAffine, moved } from './affine.ts';
import type { WorkingPicture } from './features.ts';
import { growExtent } from './extent.ts';
import { gridPx } from './match-field.ts';
import type { Pair } from './score.ts';

/** What was found in one picture; lengths are in pixels of `working`. */
export interface CopySearch {
  readonly working: WorkingPicture;
  /** Cells of `gridPx` per row. */
  readonly columns: number;
  /** Share 0..1 of the picture that has enough texture to be compared. */
  readonly comparedShare: number;
  readonly pairs: readonly Pair[];
}

/** Side in pixels of the picture; matches are not accurate enough for smaller cells. */
const minCellPx = 4;
/** Sample points, as shares of a cell's side. A cell belongs to a region that contains most of its points. */
const samplePoints = [1 / 6, 3 / 6, 5 / 6] as const;
const halfOfSamplePoints = (samplePoints.length * samplePoints.length) / 2;
/** How many map cells an enlarged and rotated field cell can extend beyond the map cell that contains its centre. */
const margin = 2;

/** One map for each region of a pair; which region is the copy is unknown. */
export interface Marks {
  readonly here: CellMap;
  readonly there: CellMap;
}

/** A map with the same value everywhere, and with cells no smaller than those of the match field. */
export function evenMap({ working }: CopySearch, { width, height }: Size, value: number): CellMap {
  const cellPx = Math.max(minCellPx, Math.ceil(gridPx * working.scale));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  return { cellPx, columns, rows, values: new Float32Array(columns * rows).fill(value) };
}

/** Writes `probability`, that the pair is a copy, only to the cells of the two regions. */
export function markPair(search: CopySearch, pair: Pair, size: Size, probability: number): Marks {
  const cells = growExtent(pair.region, search.working, search.columns);
  const inside = new Set(cells);
  const mark = (motion: Affine) => {
    const map = evenMap(search, size, 0);
    const region = { search, cells, inside, motion, back: invertAffine(motion) };
    for (const cell of coveredCells(region, map)) map.values[cell] = probability;
    return map;
  };
  const still = { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 };
  return { here: mark(still), there: mark(pair.region.affine) };
}

/** Cells of the field, and the transform to apply to them. */
interface MovedCells {
  readonly search: CopySearch;
  readonly cells: Int32Array;
  readonly inside: ReadonlySet<number>;
  readonly motion: Affine;
  readonly back: Affine;
}

/** For each map cell, looks up the field cell it comes from, so that an enlarged copy has no holes. */
function coveredCells(region: MovedCells, map: CellMap): readonly number[] {
  const filled: number[] = [];
  const { left, top, right, bottom } = boundingBox(region, map);
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      if (isFilled(region, map, column, row)) filled.push(row * map.columns + column);
    }
  }
  if (filled.length > 0) return filled;
  // The region is too thin to fill half of any cell, so this returns the cells that it passes through.
  return Array.from(region.cells, (cell) => {
    const { column, row } = cellAt(region, map, cell);
    return row * map.columns + column;
  });
}

/** Bounding box of the region in columns and rows of the map, clipped to the map. */
function boundingBox(region: MovedCells, map: CellMap) {
  const box = { left: Infinity, top: Infinity, right: 0, bottom: 0 };
  for (const cell of region.cells) {
    const { column, row } = cellAt(region, map, cell);
    box.left = Math.min(box.left, column - margin);
    box.top = Math.min(box.top, row - margin);
    box.right = Math.max(box.right, column + margin);
    box.bottom = Math.max(box.bottom, row + margin);
  }
  return {
    left: clamped(box.left, map.columns),
    top: clamped(box.top, map.rows),
    right: clamped(box.right, map.columns),
    bottom: clamped(box.bottom, map.rows),
  };
}

/** The map cell that contains the transformed centre of a field cell. */
function cellAt({ search, motion }: MovedCells, { cellPx, columns, rows }: CellMap, cell: number) {
  const [x, y] = [(cell % search.columns) + 0.5, Math.floor(cell / search.columns) + 0.5];
  const [toX, toY] = moved(motion, x * gridPx, y * gridPx);
  const { scale } = search.working;
  return {
    column: clamped(Math.floor((toX * scale) / cellPx), columns),
    row: clamped(Math.floor((toY * scale) / cellPx), rows),
  };
}

/** Rounds to the nearest index below `count`. */
function clamped(at: number, count: number): number {
  return Math.min(count - 1, Math.max(0, at));
}

function isFilled(region: MovedCells, { cellPx }: CellMap, column: number, row: number): boolean {
  const { search, inside, back } = region;
  const width = search.columns * gridPx;
  const { scale } = search.working;
  let count = 0;
  for (const down of samplePoints) {
    for (const along of samplePoints) {
      const at = [((column + along) * cellPx) / scale, ((row + down) * cellPx) / scale] as const;
      const [x, y] = moved(back, ...at);
      const cell = Math.floor(y / gridPx) * search.columns + Math.floor(x / gridPx);
      if (x >= 0 && x < width && inside.has(cell)) count++;
    }
  }
  return count > halfOfSamplePoints;
}

export function mergeMaps(maps: readonly CellMap[], ground: CellMap): CellMap {
  const values = ground.values.slice();
  for (const map of maps) {
    for (let at = 0; at < values.length; at++) values[at] = Math.max(values[at]!, map.values[at]!);
  }
  return { ...ground, values };
}
