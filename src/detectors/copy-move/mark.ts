/** Marks both regions of a pair on a map of the whole picture. */

import type { CellMap, Size } from '../regions.ts';
import { type Affine, invertAffine, moved } from './affine.ts';
import type { WorkingPicture } from './features.ts';
import { gridPx } from './match-field.ts';
import type { Region } from './regions.ts';
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

export type Marks = ReturnType<typeof markPair>;

/** A map with the same value everywhere, and with cells no smaller than those of the match field. */
export function evenMap({ working }: CopySearch, { width, height }: Size, value: number): CellMap {
  const cellPx = Math.max(minCellPx, Math.ceil(gridPx * working.scale));
  const columns = Math.ceil(width / cellPx);
  const rows = Math.ceil(height / cellPx);
  return { cellPx, columns, rows, values: new Float32Array(columns * rows).fill(value) };
}

/**
 * One map for each region of the pair, because it is unknown which one is the copy: `probability`, that the pair is a copy,
 * only in the cells of the region.
 */
export function markPair(search: CopySearch, pair: Pair, size: Size, probability: number) {
  const cells = growExtent(pair.region, search.working, search.columns);
  const mark = (motion: Affine) => {
    const map = evenMap(search, size, 0);
    for (const cell of coveredCells(search, cells, motion, map)) map.values[cell] = probability;
    return map;
  };
  const still = { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 };
  return { here: mark(still), there: mark(pair.region.affine) };
}

/** For each map cell, looks up the field cell that `motion` moves there, so that an enlarged copy has no holes. */
function coveredCells(search: CopySearch, cells: Int32Array, motion: Affine, map: CellMap) {
  // The map cells that contain the transformed centres of the field cells.
  const passed = Array.from(cells, (cell) => {
    const [x, y] = [(cell % search.columns) + 0.5, Math.floor(cell / search.columns) + 0.5];
    const [column, row] = moved(motion, x * gridPx, y * gridPx).map((to) =>
      Math.floor((to * search.working.scale) / map.cellPx),
    );
    return { column: clamped(column!, map.columns), row: clamped(row!, map.rows) };
  });
  let [left, top, right, bottom] = [map.columns, map.rows, 0, 0];
  for (const { column, row } of passed) {
    left = Math.min(left, column);
    top = Math.min(top, row);
    right = Math.max(right, column);
    bottom = Math.max(bottom, row);
  }
  const isFilled = fillTest(search, new Set(cells), invertAffine(motion), map.cellPx);
  const filled: number[] = [];
  const [lastRow, lastColumn] = [
    clamped(bottom + margin, map.rows),
    clamped(right + margin, map.columns),
  ];
  for (let row = clamped(top - margin, map.rows); row <= lastRow; row++) {
    for (let column = clamped(left - margin, map.columns); column <= lastColumn; column++) {
      if (isFilled(column, row)) filled.push(row * map.columns + column);
    }
  }
  // A region that is too thin to fill half of any cell marks those that it passes through.
  return filled.length > 0 ? filled : passed.map(({ column, row }) => row * map.columns + column);
}

/** Rounds to the nearest index below `count`. */
function clamped(at: number, count: number): number {
  return Math.min(count - 1, Math.max(0, at));
}

/** Whether most sample points of a map cell come from cells of the field that are `inside` the region. */
function fillTest(
  { columns, working: { scale } }: CopySearch,
  inside: ReadonlySet<number>,
  back: Affine,
  cellPx: number,
) {
  return (column: number, row: number): boolean => {
    let count = 0;
    for (const down of samplePoints) {
      for (const along of samplePoints) {
        const at = [((column + along) * cellPx) / scale, ((row + down) * cellPx) / scale] as const;
        const [x, y] = moved(back, ...at);
        const cell = Math.floor(y / gridPx) * columns + Math.floor(x / gridPx);
        if (x >= 0 && x < columns * gridPx && inside.has(cell)) count++;
      }
    }
    return count > halfOfSamplePoints;
  };
}

export function mergeMaps(maps: readonly CellMap[], ground: CellMap): CellMap {
  const values = ground.values.slice();
  for (const map of maps) {
    for (let at = 0; at < values.length; at++) values[at] = Math.max(values[at]!, map.values[at]!);
  }
  return { ...ground, values };
}

/** Maximum growth in cells: the radius of a descriptor plus the radius of the window in the plane. */
const maxGrowth = 6;
/** A neighbouring cell is added if its difference is at most this many times the mean difference inside the region. */
const maxTimes = 2;
/** Difference in grey levels that is always allowed, because of grain and compression. */
const minLimit = 3;
/** Radius in pixels of the squares over which differences are averaged. */
const windowPx = 2;

/** The region's cells, and the surrounding cells that match about as well under the same transform. */
function growExtent(region: Region, picture: WorkingPicture, columns: number): Int32Array {
  const differenceAt = differing(region, picture, columns);
  const inside = region.cells.reduce((sum, cell) => sum + differenceAt(cell), 0);
  const limit = Math.max(minLimit, (maxTimes * inside) / region.cells.length);
  const taken = new Set(region.cells);
  let edge: readonly number[] = [...region.cells];
  for (let round = 0; round < maxGrowth; round++) {
    const next: number[] = [];
    for (const cell of edge) {
      for (const step of [1, -1, columns, -columns]) {
        if (taken.has(cell + step) || differenceAt(cell + step) > limit) continue;
        taken.add(cell + step);
        next.push(cell + step);
      }
    }
    edge = next;
  }
  return Int32Array.from(taken);
}

/** Difference in grey levels between the surroundings of a cell and its destination; infinite outside the picture. */
function differing({ affine }: Region, { width, height, luma }: WorkingPicture, columns: number) {
  const { a, b, c, d, e, f } = affine;
  return (cell: number): number => {
    const left = (cell % columns) * gridPx;
    const top = Math.floor(cell / columns) * gridPx;
    let sum = 0;
    for (let y = top - windowPx; y <= top + windowPx; y++) {
      for (let x = left - windowPx; x <= left + windowPx; x++) {
        const u = Math.round(a * x + b * y + c);
        const v = Math.round(d * x + e * y + f);
        const isInside =
          Math.min(x, y, u, v) >= 0 && Math.max(x, u) < width && Math.max(y, v) < height;
        if (!isInside) return Infinity;
        sum += Math.abs(luma[y * width + x]! - luma[v * width + u]!);
      }
    }
    return sum / (2 * windowPx + 1) ** 2;
  };
}
