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
function smoothTargets({ field: { target, columns, rows }, width }: RegionParts): Targets {
  const x = new Float32Array(target.length).fill(nowhere);
  const y = new Float32Array(target.length).fill(nowhere);
  const nineX = new Float32Array(9);
  const nineY = new Float32Array(9);
  for (let row = 1; row < rows - 1; row++) {
    for (let column = 1; column < columns - 1; column++) {
      const cell = row * columns + column;
      if (target[cell]! < 0) continue;
      for (let n = 0; n < 9; n++) {
        const dx = (n % 3) - 1;
        const dy = Math.floor(n / 3) - 1;
        const match = target[cell + dy * columns + dx]!;
        const tx = match % width;
        nineX[n] = match < 0 ? nowhere : tx - dx * gridPx;
        nineY[n] = match < 0 ? nowhere : (match - tx) / width - dy * gridPx;
      }
      x[cell] = medianOf(nineX);
      y[cell] = medianOf(nineY);
    }
  }
  return { x, y };
}

/** Sorts them in place: nine numbers are too few for anything quicker. */
function medianOf(values: Float32Array): number {
  for (let i = 1; i < values.length; i++) {
    const value = values[i]!;
    let to = i;
    for (; to > 0 && values[to - 1]! > value; to--) values[to] = values[to - 1]!;
    values[to] = value;
  }
  return values[values.length >> 1]!;
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
export function isAgain(region: Region, known: Region, columns: number): boolean {
  const cells = new Set(known.cells);
  const shared = region.cells.filter((cell) => cells.has(cell));
  if (shared.length < Math.min(region.cells.length, known.cells.length) / 2) return false;
  const middle = shared[shared.length >> 1]!;
  const place = [(middle % columns) * gridPx, Math.floor(middle / columns) * gridPx] as const;
  const [x, y] = moved(region.affine, ...place);
  const [knownX, knownY] = moved(known.affine, ...place);
  return Math.hypot(x - knownX, y - knownY) <= samePx;
}
