/** Finds where a match field is locally planar, grows connected regions there, and fits a transform to each. */

import { type Affine, fitAffine, moved, type Moves } from './affine.ts';
import { gridPx, type MatchField } from './match-field.ts';

export interface Region {
  /** Indices of the region's cells in the match field. */
  readonly cells: Int32Array;
  /** Transform from the region's pixels to the pixels that they match. */
  readonly affine: Affine;
}

export type Point = readonly [x: number, y: number];

/** The centre of these cells, in pixels. */
export function centre(cells: Int32Array, columns: number): Point {
  let [x, y] = [0, 0];
  for (const cell of cells) {
    x += (cell % columns) * gridPx;
    y += Math.floor(cell / columns) * gridPx;
  }
  return [x / cells.length, y / cells.length];
}

interface RegionParts {
  readonly field: MatchField;
  /** Standard deviation of luma around each pixel. */
  readonly spread: Float32Array;
  readonly width: number;
  readonly minCells: number;
}

/** Radius in cells of the window to which a plane is fitted; the window is 9 px wide. */
const windowCells = 2;
/** Maximum root mean square distance between the matches in a window and the fitted plane. */
const maxResidualPx = 1.5;
/** Minimum standard deviation in grey levels, because smoother areas match by chance. */
const minSpread = 3;
/** Maximum difference between the offsets of neighbouring cells in the same region. */
const joinPx = 4;
const maxOffsetPx = 3;
const nowhere = -1e6;

/** Returns the regions sorted by size, largest first. */
export function findRegions(parts: RegionParts): readonly Region[] {
  const smooth = smoothTargets(parts);
  const open = planeCells(smooth, parts);
  const regions: Region[] = [];
  for (let cell = 0; cell < open.length; cell++) {
    if (open[cell] === 0) continue;
    const cells = grow(cell, open, smooth, parts.field.columns);
    if (cells.length < parts.minCells) continue;
    const affine = fitAffine(countMoves(cells, smooth, parts.field.columns), maxOffsetPx);
    if (affine !== null) regions.push({ cells, affine });
  }
  return regions.toSorted((one, other) => other.cells.length - one.cells.length);
}

type Targets = Readonly<Record<'x' | 'y', Float32Array>>;

/** Median-filters the matches, which removes outliers but preserves the edges of regions. */
function smoothTargets({ field, width }: RegionParts): Targets {
  const { target, columns } = field;
  const along = (toPlace: (match: number) => number, ownPlace: (cell: number) => number) => {
    const offsets = target.map((match, cell) =>
      match < 0 ? nowhere : toPlace(match) - ownPlace(cell),
    );
    const smooth = medians(offsets, columns);
    return new Float32Array(
      target.map((match, cell) => (match < 0 ? nowhere : smooth[cell]! + ownPlace(cell))),
    );
  };
  return {
    x: along(
      (match) => match % width,
      (cell) => (cell % columns) * gridPx,
    ),
    y: along(
      (match) => Math.floor(match / width),
      (cell) => Math.floor(cell / columns) * gridPx,
    ),
  };
}

/**
 * Median of each cell and its eight neighbours. Once the three rows of three are sorted, it is the
 * median of the largest minimum, the middle median and the smallest maximum. Each row is sorted
 * only once. Cells at the edge are never matched, so their values are arbitrary.
 */
function medians(values: Int32Array, columns: number): Int32Array {
  const [low, middle, high] = [values.slice(), values.slice(), values.slice()];
  for (let at = 1; at < values.length - 1; at++) {
    const one = values[at - 1]!;
    const two = values[at]!;
    const three = values[at + 1]!;
    low[at] = Math.min(Math.min(one, two), three);
    middle[at] = medianOfThree(one, two, three);
    high[at] = Math.max(Math.max(one, two), three);
  }
  const found = values.slice();
  for (let at = columns; at < values.length - columns; at++) {
    const above = at - columns;
    const below = at + columns;
    found[at] = medianOfThree(
      Math.max(Math.max(low[above]!, low[at]!), low[below]!),
      medianOfThree(middle[above]!, middle[at]!, middle[below]!),
      Math.min(Math.min(high[above]!, high[at]!), high[below]!),
    );
  }
  return found;
}

function medianOfThree(one: number, two: number, three: number): number {
  return Math.max(Math.min(one, two), Math.min(Math.max(one, two), three));
}

/** Marks the cells in whose window the matches lie on a plane. */
function planeCells({ x, y }: Targets, { field, spread, width }: RegionParts): Uint8Array {
  const { columns, rows } = field;
  const isPlane = new Uint8Array(columns * rows);
  const side = 2 * windowCells + 1;
  const limit = maxResidualPx * maxResidualPx * side * side;
  for (let row = windowCells; row < rows - windowCells; row++) {
    for (let column = windowCells; column < columns - windowCells; column++) {
      const cell = row * columns + column;
      if (spread[(row * width + column) * gridPx]! < minSpread) continue;
      const deviation = planeResidual(x, cell, columns);
      if (deviation <= limit && deviation + planeResidual(y, cell, columns) <= limit)
        isPlane[cell] = 1;
    }
  }
  return isPlane;
}

/** Residual sum of squares, relative to the centre value, so that large coordinates do not reduce precision. */
function planeResidual(values: Float32Array, cell: number, columns: number): number {
  const side = 2 * windowCells + 1;
  const middle = values[cell]!;
  let [sum, squares, byX, byY] = [0, 0, 0, 0];
  for (let dy = -windowCells; dy <= windowCells; dy++) {
    for (let dx = -windowCells; dx <= windowCells; dx++) {
      const value = values[cell + dy * columns + dx]! - middle;
      sum += value;
      squares += value * value;
      byX += dx * value;
      byY += dy * value;
    }
  }
  const second = (side * side * windowCells * (windowCells + 1)) / 3;
  return squares - (sum * sum) / (side * side) - (byX * byX + byY * byY) / second;
}

/** Grows a region from `first`, and closes the cells that it adds. */
function grow(first: number, open: Uint8Array, { x, y }: Targets, columns: number): Int32Array {
  const cells = [first];
  open[first] = 0;
  for (let n = 0; n < cells.length; n++) {
    const cell = cells[n]!;
    for (const step of [1, -1, columns, -columns]) {
      const next = cell + step;
      if (open[next] !== 1) continue;
      if (Math.abs(x[next]! - x[cell]!) > joinPx || Math.abs(y[next]! - y[cell]!) > joinPx)
        continue;
      open[next] = 0;
      cells.push(next);
    }
  }
  return Int32Array.from(cells);
}

function countMoves(cells: Int32Array, targets: Targets, columns: number): Moves {
  const ofEach = (valueOf: (cell: number) => number) =>
    new Float32Array(cells.length).map((_, n) => valueOf(cells[n]!));
  return {
    x: ofEach((cell) => (cell % columns) * gridPx),
    y: ofEach((cell) => Math.floor(cell / columns) * gridPx),
    toX: ofEach((cell) => targets.x[cell]!),
    toY: ofEach((cell) => targets.y[cell]!),
  };
}

/** Two transforms count as the same if they differ by at most this many pixels. */
const samePx = 6;

/** Whether two regions share most cells of the smaller one, and move these cells to the same place. */
export function isDuplicate(region: Region, known: KnownRegion, columns: number): boolean {
  const shared = region.cells.filter((cell) => known.has[cell] === 1);
  if (shared.length < Math.min(region.cells.length, known.cells.length) / 2) return false;
  const middle = shared[shared.length >> 1]!;
  const place = [(middle % columns) * gridPx, Math.floor(middle / columns) * gridPx] as const;
  const [x, y] = moved(region.affine, ...place);
  const [knownX, knownY] = moved(known.affine, ...place);
  return Math.hypot(x - knownX, y - knownY) <= samePx;
}

export interface KnownRegion extends Region {
  /** 1 for each cell of the field that belongs to the region. */
  readonly has: Uint8Array;
}
