/**
 * For each position on a grid, finds the most similar position elsewhere in the same picture: PatchMatch on
 * rotation-invariant descriptors, with predictors that follow rotated and scaled copies. It starts from positions with
 * a similar coarse description, so a few iterations are enough.
 *
 * @see Barnes et al., "PatchMatch", SIGGRAPH 2009; Korman and Avidan, "Coherency sensitive hashing", ICCV 2011;
 *   Cozzolino, Poggi, Verdoliva, "Efficient dense-field copy-move forgery detection", IEEE TIFS 10 (2015).
 */

import type { Size } from '../../image/pixels.ts';
import {
  columnMask,
  minSpread,
  reachPx,
  rowBits,
  sortByKey,
  type Surroundings,
} from './descriptors.ts';
import { type MatchKernel, openMatchKernel } from './match-kernel.ts';

/** Matches are sought for every second pixel in every second row, among all pixels. */
export const gridPx = 2;

export type MatchField = ReturnType<typeof matchField>;

interface FieldParts extends Surroundings, Size {
  /** Minimum displacement: a closer match belongs to the same object and is not a copy. */
  readonly minPx: number;
  /** Random numbers in [0, 1). */
  readonly random: () => number;
}

/** With how many pixels of the same key each cell is compared at first. */
const maxCandidates = 4;
const searchPx = [32, 8, 2] as const;
/** Difference between the packed positions of a pixel and the one below it. */
const rowStep = 1 << rowBits;

/**
 * @returns `columns` and `rows` of cells of `gridPx`; `target`: for each cell, in row-major order, the pixel that best
 *   matches the cell's first pixel; -1 if no match was sought, near the edge and in flat areas.
 */
export function matchField(parts: FieldParts) {
  const { width, height } = parts;
  const columns = Math.ceil(width / gridPx);
  const rows = Math.ceil(height / gridPx);
  const cells = cellsToMatch(parts, columns);
  const kernel = openMatchKernel({ ...parts, cells: columns * rows });
  const search = { ...parts, columns, cells, ...kernel };
  seedMatches(search);
  improve(search);
  const target = new Int32Array(columns * rows).fill(-1);
  for (const cell of cells) {
    const at = kernel.matches[2 * cell]!;
    if (at >= 0) target[cell] = (at >> rowBits) * width + (at & columnMask);
  }
  return { columns, rows, target };
}

interface Search extends FieldParts, MatchKernel {
  readonly columns: number;
  readonly cells: Int32Array;
}

/** Offers each cell some pixels whose descriptions are similar. */
function seedMatches(search: Search): void {
  const sorted = sortByKey(search);
  for (const cell of search.cells) seedCell(search, sorted, cell);
}

function seedCell(search: Search, sorted: ReturnType<typeof sortByKey>, cell: number): void {
  const { width, random, columns, offered, offer } = search;
  const { keys, starts, members } = sorted;
  const x = (cell % columns) * gridPx;
  const y = Math.floor(cell / columns) * gridPx;
  const key = keys[y * width + x]!;
  const first = starts[key]!;
  const alike = starts[key + 1]! - first;
  const count = Math.min(alike, maxCandidates);
  for (let at = 0; at < count; at++) {
    offered[at] = members[first + (alike <= count ? at : Math.floor(random() * alike))]!;
  }
  offer(cell, y * width + x, x, y, count, 0);
}

/** Sweeps the picture forwards, then backwards, so that good matches spread in every direction. */
function improve(search: Search): void {
  for (const cell of search.cells) improveCell(search, cell, 1);
  for (const cell of search.cells.toReversed()) improveCell(search, cell, -1);
}

function improveCell(search: Search, cell: number, step: 1 | -1): void {
  const { matches, columns, random, width, height, offered, offer } = search;
  const x = (cell % columns) * gridPx;
  const y = Math.floor(cell / columns) * gridPx;
  const pixel = y * width + x;
  let count = 0;
  // Matches of the neighbours already visited: shifted by one cell, and extrapolated from two of them.
  for (let side = 0; side < 4; side++) {
    const across = side === 1 ? 0 : side === 3 ? -step : step;
    const down = side === 0 ? 0 : step;
    const back = 2 * (down * columns + across);
    const previous = matches[2 * cell - back]!;
    if (previous < 0) continue;
    const along = down * gridPx * rowStep + across * gridPx;
    offered[count++] = previous + along;
    const further = matches[2 * cell - 2 * back]!;
    if (further >= 0 && previous - further !== along) offered[count++] = 2 * previous - further;
  }
  // Random search: first anywhere in the picture, then in ever smaller areas around the best match.
  const anyX = Math.floor(random() * width);
  offered[count++] = Math.floor(random() * height) * rowStep + anyX;
  if (offer(cell, pixel, x, y, count, 0) < 0) return;
  for (let near = 0; near < searchPx.length; near++) {
    const span = searchPx[near]!;
    const stepX = Math.floor((2 * random() - 1) * span + 0.5);
    offered[near] = Math.floor((2 * random() - 1) * span + 0.5) * rowStep + stepX;
  }
  offer(cell, pixel, x, y, searchPx.length, -1);
}

function cellsToMatch({ width, height, spread }: FieldParts, columns: number): Int32Array {
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
