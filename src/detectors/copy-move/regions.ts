/** From a field of matches to regions that moved as one: where the field is locally plane, grown together, and fitted. */

import { type Affine, fitAffine, moved, type Moves } from './affine.ts';
import { gridPx, type MatchField } from './match-field.ts';

export interface Region {
  /** Indices of its cells in the field. */
  readonly cells: Int32Array;
  /** Takes its pixels to those they match. */
  readonly affine: Affine;
}

export interface RegionParts {
  readonly field: MatchField;
  /** Standard deviation of luma around each pixel. */
  readonly spread: Float32Array;
  readonly width: number;
  readonly leastCells: number;
}

/** The plane is laid through cells so far to every side: 9 px across. */
const windowCells = 2;
/** Root mean square distance of the matches in a window from the plane through them. */
const mostBendPx = 1.5;
/** Grey levels, deviation: what is smoother matches by chance. */
const leastSpread = 3;
/** Neighbours whose offsets differ by more belong to different regions. */
const joinPx = 4;
const mostOffPx = 3;
const nowhere = -1e6;

/** Largest first. */
export function findRegions(parts: RegionParts): readonly Region[] {
  const smooth = smoothTargets(parts);
  const open = planeCells(smooth, parts);
  const regions: Region[] = [];
  for (let cell = 0; cell < open.length; cell++) {
    if (open[cell] === 0) continue;
    const cells = grow(cell, open, smooth, parts.field.columns);
    if (cells.length < parts.leastCells) continue;
    const affine = fitAffine(movesOf(cells, smooth, parts.field.columns), mostOffPx);
    if (affine !== null) regions.push({ cells, affine });
  }
  return regions.toSorted((one, other) => other.cells.length - one.cells.length);
}

interface Targets {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Median of the offsets of nine neighbours, each part alone: single strays go, edges of a region stay. */
function smoothTargets({ field, width }: RegionParts): Targets {
  const { columns, rows } = field;
  const targets = targetsOf(field, width);
  const x = new Float32Array(columns * rows).fill(nowhere);
  const y = new Float32Array(columns * rows).fill(nowhere);
  const nine = new Float32Array(9);
  for (let row = 1; row < rows - 1; row++) {
    for (let column = 1; column < columns - 1; column++) {
      const cell = row * columns + column;
      if (field.target[cell]! < 0) continue;
      for (let n = 0; n < 9; n++) {
        nine[n] = targets.x[cell + downOf[n]! * columns + alongOf[n]!]! - alongOf[n]! * gridPx;
      }
      x[cell] = medianOf(nine);
      for (let n = 0; n < 9; n++) {
        nine[n] = targets.y[cell + downOf[n]! * columns + alongOf[n]!]! - downOf[n]! * gridPx;
      }
      y[cell] = medianOf(nine);
    }
  }
  return { x, y };
}

const alongOf = Int8Array.of(-1, 0, 1, -1, 0, 1, -1, 0, 1);
const downOf = Int8Array.of(-1, -1, -1, 0, 0, 0, 1, 1, 1);

function targetsOf({ target }: MatchField, width: number): Targets {
  const x = new Float32Array(target.length).fill(nowhere);
  const y = new Float32Array(target.length).fill(nowhere);
  for (let cell = 0; cell < target.length; cell++) {
    const match = target[cell]!;
    if (match < 0) continue;
    x[cell] = match % width;
    y[cell] = (match - x[cell]!) / width;
  }
  return { x, y };
}

/** Pairs of places to be put in order, one after the other: Devillard, "Fast median search", 1998. */
const exchanges = Uint8Array.from(
  [
    [1, 2, 4, 5, 7, 8, 0, 1, 3, 4, 6, 7, 1, 2, 4, 5, 7, 8, 0, 3],
    [5, 8, 4, 7, 3, 6, 1, 4, 2, 5, 4, 7, 4, 2, 6, 4, 4, 2],
  ].flat(),
);

/** Of nine; leaves them in another order. */
function medianOf(values: Float32Array): number {
  for (let n = 0; n < exchanges.length; n += 2) {
    const low = values[exchanges[n]!]!;
    const high = values[exchanges[n + 1]!]!;
    values[exchanges[n]!] = Math.min(low, high);
    values[exchanges[n + 1]!] = Math.max(low, high);
  }
  return values[4]!;
}

/** Where a plane goes through the targets of a window. */
function planeCells({ x, y }: Targets, { field, spread, width }: RegionParts): Uint8Array {
  const { columns, rows } = field;
  const isPlane = new Uint8Array(columns * rows);
  const side = 2 * windowCells + 1;
  const limit = mostBendPx * mostBendPx * side * side;
  for (let row = windowCells; row < rows - windowCells; row++) {
    for (let column = windowCells; column < columns - windowCells; column++) {
      const cell = row * columns + column;
      if (spread[(row * width + column) * gridPx]! < leastSpread) continue;
      const bent = bend(x, cell, columns);
      if (bent <= limit && bent + bend(y, cell, columns) <= limit) isPlane[cell] = 1;
    }
  }
  return isPlane;
}

/** Sum of squares about the plane. Taken about the middle's value, so that large coordinates cost no precision. */
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

/** Closes the cells it takes. */
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

function movesOf(cells: Int32Array, targets: Targets, columns: number): Moves {
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
