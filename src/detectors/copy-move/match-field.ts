/**
 * For positions on a grid, the most similar position elsewhere in the same picture: PatchMatch on descriptors that do not
 * change when turned, with predictors that follow turned and scaled copies. It starts from positions that share a rough
 * description, so that a few rounds suffice.
 *
 * @see Barnes et al., "PatchMatch", SIGGRAPH 2009; Korman and Avidan, "Coherency sensitive hashing", ICCV 2011; Cozzolino,
 *   Poggi, Verdoliva, "Efficient dense-field copy-move forgery detection", IEEE TIFS 10 (2015).
 */

import {
  columnMask,
  descriptorLength,
  minSpread,
  reachPx,
  rowBits,
  sortByKey,
  type Surroundings,
} from './descriptors.ts';

/** Every second pixel of every second row is matched; every pixel may be its match. */
export const gridPx = 2;

export interface MatchField {
  /** Cells of `gridPx`, row-major. */
  readonly columns: number;
  readonly rows: number;
  /** Pixel that the cell's first pixel matches best; -1 where none was searched: near the edge and in flat areas. */
  readonly target: Int32Array;
}

interface FieldParts extends Surroundings {
  readonly width: number;
  readonly height: number;
  /** Matches nearer than this are of the same object, not of a copy. */
  readonly minPx: number;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
}

const rounds = 2;
/** Pixels of the same key that each cell is compared with first. */
const maxCandidates = 4;
const searchPx = [32, 8, 2] as const;

export function matchField(parts: FieldParts): MatchField {
  const { width, height } = parts;
  const columns = Math.ceil(width / gridPx);
  const rows = Math.ceil(height / gridPx);
  const best = new Int32Array(columns * rows).fill(-1);
  const cells = askingCells(parts, columns);
  const search = { ...parts, columns, best, cells, offer: offering(parts, best) };
  startAlike(search);
  improve(search);
  const target = best.map((at) => (at < 0 ? -1 : (at >> rowBits) * width + (at & columnMask)));
  return { columns, rows, target };
}

interface Search extends FieldParts {
  readonly columns: number;
  /** Of each cell the best match so far, as `row << rowBits | column`; -1 before the first. */
  readonly best: Int32Array;
  /** Cells that are matched. */
  readonly cells: Int32Array;
  readonly offer: Offer;
}

/** Offers a cell, whose first pixel is (x, y), the pixel (tx, ty). */
type Offer = (cell: number, x: number, y: number, tx: number, ty: number) => void;

/** Stores the offered pixel as the cell's match when it is more similar than the previous one. */
function offering(parts: FieldParts, best: Int32Array): Offer {
  const { descriptors, width, height, minPx } = parts;
  const cost = new Int32Array(best.length).fill(0x7fffffff);
  const [right, bottom] = [width - reachPx, height - reachPx];
  const minSquaredPx = minPx * minPx;
  return (cell, x, y, tx, ty) => {
    if (tx < reachPx || ty < reachPx || tx >= right || ty >= bottom) return;
    const other = (ty << rowBits) | tx;
    if (other === best[cell]!) return;
    if ((tx - x) * (tx - x) + (ty - y) * (ty - y) < minSquaredPx) return;
    const limit = cost[cell]!;
    // All sums stay below 2 ** 30, so whole numbers of 32 bits hold them.
    let sum = 0;
    let b = (ty * width + tx) * descriptorLength;
    const first = (y * width + x) * descriptorLength;
    for (let a = first; a < first + descriptorLength; a += 4, b += 4) {
      const d0 = descriptors[a]! - descriptors[b]!;
      const d1 = descriptors[a + 1]! - descriptors[b + 1]!;
      const d2 = descriptors[a + 2]! - descriptors[b + 2]!;
      const d3 = descriptors[a + 3]! - descriptors[b + 3]!;
      sum =
        (sum + Math.imul(d0, d0) + Math.imul(d1, d1) + Math.imul(d2, d2) + Math.imul(d3, d3)) | 0;
      if (sum >= limit) return;
    }
    cost[cell] = sum;
    best[cell] = other;
  };
}

/** Offers each cell some of the pixels with about the same description. */
function startAlike(search: Search): void {
  const { width, random, columns, cells, offer } = search;
  const { keys, starts, members } = sortByKey(search);
  for (const cell of cells) {
    const x = (cell % columns) * gridPx;
    const y = Math.floor(cell / columns) * gridPx;
    const key = keys[y * width + x]!;
    const first = starts[key]!;
    const count = starts[key + 1]! - first;
    for (let n = 0; n < Math.min(count, maxCandidates); n++) {
      const pick = count <= maxCandidates ? n : Math.floor(random() * count);
      const at = members[first + pick]!;
      offer(cell, x, y, at & columnMask, at >> rowBits);
    }
  }
}

/** Forth and back over the picture, so that a good match spreads to all sides. */
function improve({ best, cells, columns, offer, random, width, height }: Search): void {
  for (let round = 0; round < rounds; round++) {
    const step = round % 2 === 0 ? 1 : -1;
    for (let n = 0; n < cells.length; n++) {
      const cell = cells[step === 1 ? n : cells.length - 1 - n]!;
      const x = (cell % columns) * gridPx;
      const y = Math.floor(cell / columns) * gridPx;
      propagate(cell, x, y, step, 0);
      propagate(cell, x, y, 0, step);
      propagate(cell, x, y, step, step);
      propagate(cell, x, y, -step, step);
      wander(cell, x, y);
    }
  }

  /** Offers what the neighbour behind found: moved along, and continued as the two behind it change. */
  function propagate(cell: number, x: number, y: number, sx: number, sy: number): void {
    const back = sy * columns + sx;
    const behind = best[cell - back]!;
    if (behind < 0) return;
    const tx = behind & columnMask;
    const ty = behind >> rowBits;
    const stepX = sx * gridPx;
    const stepY = sy * gridPx;
    offer(cell, x, y, tx + stepX, ty + stepY);
    const further = best[cell - 2 * back]!;
    if (further < 0) return;
    const onX = tx - (further & columnMask);
    const onY = ty - (further >> rowBits);
    if (onX !== stepX || onY !== stepY) offer(cell, x, y, tx + onX, ty + onY);
  }

  /** Anywhere in the picture, then ever closer to the best so far. */
  function wander(cell: number, x: number, y: number): void {
    offer(cell, x, y, Math.floor(random() * width), Math.floor(random() * height));
    for (const span of searchPx) {
      const at = best[cell]!;
      if (at < 0) return;
      const nearX = (at & columnMask) + Math.floor((2 * random() - 1) * span + 0.5);
      const nearY = (at >> rowBits) + Math.floor((2 * random() - 1) * span + 0.5);
      offer(cell, x, y, nearX, nearY);
    }
  }
}

function askingCells({ width, height, spread }: FieldParts, columns: number): Int32Array {
  const cells: number[] = [];
  const low = Math.ceil(reachPx / gridPx);
  for (let row = low; row * gridPx < height - reachPx; row++) {
    for (let column = low; column * gridPx < width - reachPx; column++) {
      if (spread[(row * width + column) * gridPx]! < minSpread) continue;
      cells.push(row * columns + column);
    }
  }
  return Int32Array.from(cells);
}
