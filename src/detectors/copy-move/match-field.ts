/**
 * For places on a grid the place that looks most like each elsewhere in the same picture: PatchMatch on descriptors that
 * do not change when turned, with predictors that follow turned and scaled copies.
 *
 * @see Barnes et al., "PatchMatch", SIGGRAPH 2009; Cozzolino, Poggi, Verdoliva, "Efficient dense-field copy-move forgery
 *   detection", IEEE TIFS 10 (2015).
 */

import { descriptorLength, reachPx, type Surroundings } from './descriptors.ts';

/** Every second pixel of every second row asks; every pixel may answer. */
export const gridPx = 2;

export interface MatchField {
  /** Cells of `gridPx`, row-major. */
  readonly columns: number;
  readonly rows: number;
  /** Pixel that the cell's first pixel matches best; -1 where nobody asked: near the edge and where nothing is to see. */
  readonly target: Int32Array;
}

export interface FieldParts extends Surroundings {
  readonly width: number;
  readonly height: number;
  /** Matches nearer than this are of the same object, not of a copy. */
  readonly leastPx: number;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

const rounds = 5;
const searchPx = [32, 8, 2] as const;
/** Grey levels, deviation: below this anything matches anything. */
const leastSpread = 1.5;

export function matchField(parts: FieldParts): MatchField {
  const { width, height, random } = parts;
  const columns = Math.ceil(width / gridPx);
  const rows = Math.ceil(height / gridPx);
  const target = new Int32Array(columns * rows).fill(-1);
  const cells = askingCells(parts, columns);
  const offer = offering(parts, target);
  for (let round = 0; round < rounds; round++) {
    const step = round % 2 === 0 ? 1 : -1;
    for (let n = 0; n < cells.length; n++) {
      const cell = cells[step === 1 ? n : cells.length - 1 - n]!;
      for (const [sx, sy] of [
        [step, 0],
        [0, step],
        [step, step],
        [-step, step],
      ] as const) {
        propagate(cell, sx, sy);
      }
      wander(cell);
    }
  }
  return { columns, rows, target };

  /** Offers what the neighbour behind found: moved along, and continued as the two behind it change. */
  function propagate(cell: number, sx: number, sy: number): void {
    const back = sy * columns + sx;
    const behind = target[cell - back]!;
    if (behind < 0) return;
    const tx = behind % width;
    const ty = (behind - tx) / width;
    offer(cell, tx + sx * gridPx, ty + sy * gridPx);
    const further = target[cell - 2 * back]!;
    if (further < 0) return;
    const vx = further % width;
    offer(cell, 2 * tx - vx, 2 * ty - (further - vx) / width);
  }

  /** Anywhere in the picture, then ever closer to the best so far. */
  function wander(cell: number): void {
    offer(cell, Math.floor(random() * width), Math.floor(random() * height));
    for (const span of searchPx) {
      const best = target[cell]!;
      if (best < 0) return;
      const x = best % width;
      const nearX = x + Math.floor((2 * random() - 1) * span + 0.5);
      const nearY = (best - x) / width + Math.floor((2 * random() - 1) * span + 0.5);
      offer(cell, nearX, nearY);
    }
  }
}

function askingCells({ width, height, spread }: FieldParts, columns: number): Int32Array {
  const cells: number[] = [];
  const low = Math.ceil(reachPx / gridPx);
  for (let row = low; row * gridPx < height - reachPx; row++) {
    for (let column = low; column * gridPx < width - reachPx; column++) {
      if (spread[(row * width + column) * gridPx]! < leastSpread) continue;
      cells.push(row * columns + column);
    }
  }
  return Int32Array.from(cells);
}

/** Keeps the offered pixel as the cell's target when it looks more like it than the one before. */
function offering({ descriptors, width, height, leastPx }: FieldParts, target: Int32Array) {
  const columns = Math.ceil(width / gridPx);
  const cost = new Int32Array(target.length).fill(0x7fffffff);
  const right = width - reachPx;
  const bottom = height - reachPx;
  const leastSquare = leastPx * leastPx;
  return (cell: number, tx: number, ty: number): void => {
    if (tx < reachPx || ty < reachPx || tx >= right || ty >= bottom) return;
    const column = cell % columns;
    const x = column * gridPx;
    const y = ((cell - column) / columns) * gridPx;
    if ((tx - x) * (tx - x) + (ty - y) * (ty - y) < leastSquare) return;
    const other = ty * width + tx;
    if (other === target[cell]) return;
    const limit = cost[cell]!;
    let sum = 0;
    let b = other * descriptorLength;
    const first = (y * width + x) * descriptorLength;
    for (let a = first; a < first + descriptorLength; a += 4, b += 4) {
      const d0 = descriptors[a]! - descriptors[b]!;
      const d1 = descriptors[a + 1]! - descriptors[b + 1]!;
      const d2 = descriptors[a + 2]! - descriptors[b + 2]!;
      const d3 = descriptors[a + 3]! - descriptors[b + 3]!;
      sum += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
      if (sum >= limit) return;
    }
    cost[cell] = sum;
    target[cell] = other;
  };
}
