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
/** From a pixel to the one below it. */
const rowStep = 1 << rowBits;

export function matchField(parts: FieldParts): MatchField {
  const { width, height } = parts;
  const columns = Math.ceil(width / gridPx);
  const rows = Math.ceil(height / gridPx);
  const best = new Int32Array(columns * rows).fill(-1);
  const cells = askingCells(parts, columns);
  const cost = new Int32Array(best.length).fill(0x7fffffff);
  const search = { ...parts, columns, cells, best, cost };
  startAlike(search);
  improve(search);
  const target = best.map((at) => (at < 0 ? -1 : (at >> rowBits) * width + (at & columnMask)));
  return { columns, rows, target };
}

interface Search extends FieldParts {
  readonly columns: number;
  /** Cells that are matched. */
  readonly cells: Int32Array;
  /** Of each cell the best match so far, as `row << rowBits | column`; -1 before the first. */
  readonly best: Int32Array;
  /** Squared distance of each cell's descriptor from its match's. */
  readonly cost: Int32Array;
}

/** Offers each cell some of the pixels with about the same description. */
function startAlike(search: Search): void {
  const { width, random, columns, cells } = search;
  const { keys, starts, members } = sortByKey(search);
  const offered = new Int32Array(maxCandidates);
  for (let n = 0; n < cells.length; n++) {
    const cell = cells[n]!;
    const column = cell % columns;
    const key = keys[((cell - column) / columns) * gridPx * width + column * gridPx]!;
    const first = starts[key]!;
    const count = starts[key + 1]! - first;
    for (let at = 0; at < Math.min(count, maxCandidates); at++) {
      const pick = count <= maxCandidates ? at : Math.floor(random() * count);
      offered[at] = members[first + pick]!;
    }
    offer(search, cell, offered, Math.min(count, maxCandidates), 0);
  }
}

/** Forth and back over the picture, so that a good match spreads to all sides. */
function improve(search: Search): void {
  const { best, cells, columns, random, width, height } = search;
  const offered = new Int32Array(9);
  for (let round = 0; round < rounds; round++) {
    const step = round % 2 === 0 ? 1 : -1;
    for (let n = 0; n < cells.length; n++) {
      const cell = cells[step === 1 ? n : cells.length - 1 - n]!;
      let count = 0;
      for (let side = 0; side < 4; side++) {
        // What the neighbour behind found: moved along, and continued as the two behind it change.
        const sx = side === 1 ? 0 : side === 3 ? -step : step;
        const sy = side === 0 ? 0 : step;
        const back = sy * columns + sx;
        const behind = best[cell - back]!;
        if (behind < 0) continue;
        const along = sy * gridPx * rowStep + sx * gridPx;
        offered[count++] = behind + along;
        const further = best[cell - 2 * back]!;
        if (further >= 0 && behind - further !== along) offered[count++] = 2 * behind - further;
      }
      // Anywhere in the picture.
      const anyX = Math.floor(random() * width);
      offered[count++] = Math.floor(random() * height) * rowStep + anyX;
      offer(search, cell, offered, count, searchPx.length);
    }
  }
}

/**
 * Stores the most similar of the offered pixels as the cell's match where it beats the one so far; then looks around that match,
 * ever closer, `near` times.
 */
function offer(
  search: Search,
  cell: number,
  offered: Int32Array,
  count: number,
  near: number,
): void {
  const { descriptors, width, height, columns, minPx, best, cost, random } = search;
  const [right, bottom] = [width - reachPx, height - reachPx];
  const minSquaredPx = minPx * minPx;
  const column = cell % columns;
  const x = column * gridPx;
  const y = ((cell - column) / columns) * gridPx;
  const own = (y * width + x) * descriptorLength;
  // Read once for all that is offered.
  const a0 = descriptors[own]!;
  const a1 = descriptors[own + 1]!;
  const a2 = descriptors[own + 2]!;
  const a3 = descriptors[own + 3]!;
  const a4 = descriptors[own + 4]!;
  const a5 = descriptors[own + 5]!;
  const a6 = descriptors[own + 6]!;
  const a7 = descriptors[own + 7]!;
  const a8 = descriptors[own + 8]!;
  const a9 = descriptors[own + 9]!;
  const a10 = descriptors[own + 10]!;
  const a11 = descriptors[own + 11]!;
  const a12 = descriptors[own + 12]!;
  const a13 = descriptors[own + 13]!;
  const a14 = descriptors[own + 14]!;
  let match = best[cell]!;
  let least = cost[cell]!;
  for (let n = 0; n < count + near; n++) {
    let other = n < count ? offered[n]! : match;
    if (n >= count) {
      if (match < 0) break;
      const span = searchPx[n - count]!;
      other += Math.floor((2 * random() - 1) * span + 0.5);
      other += Math.floor((2 * random() - 1) * span + 0.5) * rowStep;
    }
    if (other === match) continue;
    const tx = other & columnMask;
    const ty = other >> rowBits;
    if (tx < reachPx || ty < reachPx || tx >= right || ty >= bottom) continue;
    if ((tx - x) * (tx - x) + (ty - y) * (ty - y) < minSquaredPx) continue;
    const b = (ty * width + tx) * descriptorLength;
    // Four of five matches are ruled out by these eight. All sums stay below 2 ** 30, so 32 bits hold them.
    const d0 = a0 - descriptors[b]!;
    const d1 = a1 - descriptors[b + 1]!;
    const d3 = a3 - descriptors[b + 3]!;
    const d4 = a4 - descriptors[b + 4]!;
    const d8 = a8 - descriptors[b + 8]!;
    const d9 = a9 - descriptors[b + 9]!;
    const d10 = a10 - descriptors[b + 10]!;
    const d11 = a11 - descriptors[b + 11]!;
    let sum = (Math.imul(d3, d3) + Math.imul(d10, d10) + Math.imul(d8, d8) + Math.imul(d4, d4)) | 0;
    sum =
      (sum + Math.imul(d0, d0) + Math.imul(d1, d1) + Math.imul(d9, d9) + Math.imul(d11, d11)) | 0;
    if (sum >= least) continue;
    const d2 = a2 - descriptors[b + 2]!;
    const d5 = a5 - descriptors[b + 5]!;
    const d6 = a6 - descriptors[b + 6]!;
    const d7 = a7 - descriptors[b + 7]!;
    const d12 = a12 - descriptors[b + 12]!;
    const d13 = a13 - descriptors[b + 13]!;
    const d14 = a14 - descriptors[b + 14]!;
    sum =
      (sum + Math.imul(d6, d6) + Math.imul(d7, d7) + Math.imul(d13, d13) + Math.imul(d14, d14)) | 0;
    sum = (sum + Math.imul(d2, d2) + Math.imul(d5, d5) + Math.imul(d12, d12)) | 0;
    if (sum >= least) continue;
    least = sum;
    match = other;
  }
  best[cell] = match;
  cost[cell] = least;
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
