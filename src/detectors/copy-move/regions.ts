/** From a field of matches to regions that moved as one: where the field is locally plane, grown together, and fitted. */

import { type Affine, fitAffine, moved, type Moves } from './affine.ts';
import { gridPx, type MatchField } from './match-field.ts';

export interface Region {
  /** Indices of its cells in the field. */
  readonly cells: Int32Array;
  /** Maps its pixels to those they match. */
  readonly affine: Affine;
}

interface RegionParts {
  readonly field: MatchField;
  /** Standard deviation of luma around each pixel. */
  readonly spread: Float32Array;
  readonly width: number;
  readonly minCells: number;
}

/** The plane is laid through cells so far to every side: 9 px across. */
const windowCells = 2;
/** Root mean square distance of the matches in a window from the plane through them. */
const maxBendPx = 1.5;
/** Grey levels, deviation: what is smoother matches by chance. */
const minSpread = 3;
/** Neighbours whose offsets differ by more belong to different regions. */
const joinPx = 4;
const maxOffsetPx = 3;
const nowhere = -1e6;

/** Largest first. */
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

interface Targets {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Where neighbours agree that each cell leads; strays go, edges of a region stay. */
function smoothTargets({ field, width }: RegionParts): Targets {
  const { target, columns, rows } = field;
  const alongX = new Int32Array(target.length).fill(nowhere);
  const alongY = new Int32Array(target.length).fill(nowhere);
  for (let row = 0, cell = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, cell++) {
      const match = target[cell]!;
      if (match < 0) continue;
      const matchColumn = match % width;
      alongX[cell] = matchColumn - column * gridPx;
      alongY[cell] = (match - matchColumn) / width - row * gridPx;
    }
  }
  const [smoothX, smoothY] = [medians(alongX, columns), medians(alongY, columns)];
  const x = new Float32Array(target.length).fill(nowhere);
  const y = new Float32Array(target.length).fill(nowhere);
  for (let row = 0, cell = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, cell++) {
      if (target[cell]! < 0) continue;
      x[cell] = smoothX[cell]! + column * gridPx;
      y[cell] = smoothY[cell]! + row * gridPx;
    }
  }
  return { x, y };
}

/**
 * Median of each cell and its eight neighbours. Of three sorted rows of three it is the median of the max of the minima, the
 * median of the medians and the min of the maxima; the rows are sorted once. Cells at the edge are never matched, so their
 * values are arbitrary.
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

/** Of whole numbers. */
function medianOfThree(one: number, two: number, three: number): number {
  return Math.max(Math.min(one, two), Math.min(Math.max(one, two), three));
}

/** Where a plane goes through the targets of a window. */
function planeCells({ x, y }: Targets, { field, spread, width }: RegionParts): Uint8Array {
  const { columns, rows } = field;
  const isPlane = new Uint8Array(columns * rows);
  const side = 2 * windowCells + 1;
  const limit = maxBendPx * maxBendPx * side * side;
  for (let row = windowCells; row < rows - windowCells; row++) {
    for (let column = windowCells; column < columns - windowCells; column++) {
      const cell = row * columns + column;
      if (spread[(row * width + column) * gridPx]! < minSpread) continue;
      const bent = bend(x, cell, columns);
      if (bent <= limit && bent + bend(y, cell, columns) <= limit) isPlane[cell] = 1;
    }
  }
  return isPlane;
}

/** Sum of squares about the plane. Computed about the middle's value, so that large coordinates cost no precision. */
function bend(values: Float32Array, cell: number, columns: number): number {
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

/** Closes the cells it adds. */
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
  return {
    x: Float32Array.from(cells, (cell) => (cell % columns) * gridPx),
    y: Float32Array.from(cells, (cell) => Math.floor(cell / columns) * gridPx),
    toX: Float32Array.from(cells, (cell) => targets.x[cell]!),
    toY: Float32Array.from(cells, (cell) => targets.y[cell]!),
  };
}

/** Same motion within so many pixels. */
const samePx = 6;

/** True when the two share most cells of the smaller one, and move it alike. */
export function isAgain(region: Region, known: KnownRegion, columns: number): boolean {
  const shared = region.cells.filter((cell) => known.has[cell] === 1);
  if (shared.length < Math.min(region.cells.length, known.cells.length) / 2) return false;
  const middle = shared[shared.length >> 1]!;
  const place = [(middle % columns) * gridPx, Math.floor(middle / columns) * gridPx] as const;
  const [x, y] = moved(region.affine, ...place);
  const [knownX, knownY] = moved(known.affine, ...place);
  return Math.hypot(x - knownX, y - knownY) <= samePx;
}

export interface KnownRegion extends Region {
  /** 1 for each cell of the field that is one of its own. */
  readonly has: Uint8Array;
}
