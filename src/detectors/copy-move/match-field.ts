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
  minSpread,
  reachPx,
  rowBits,
  sortByKey,
  type Surroundings,
} from './descriptors.ts';
import { type MatchKernel, openMatchKernel } from './match-kernel.ts';

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
  const cells = askingCells(parts, columns);
  const kernel = openMatchKernel({ ...parts, cells: columns * rows });
  const search = { ...parts, columns, cells, ...kernel };
  startAlike(search);
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
  /** Cells that are matched. */
  readonly cells: Int32Array;
}

/** Offers each cell some of the pixels with about the same description. */
function startAlike(search: Search): void {
  const { width, random, columns, cells, offered, offer } = search;
  const { keys, starts, members } = sortByKey(search);
  for (let n = 0; n < cells.length; n++) {
    const cell = cells[n]!;
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
}

/** Forth and back over the picture, so that a good match spreads to all sides. */
function improve(search: Search): void {
  const { matches, cells, columns, random, width, height, offered, offer } = search;
  for (let round = 0; round < rounds; round++) {
    const step = round % 2 === 0 ? 1 : -1;
    for (let n = 0; n < cells.length; n++) {
      const cell = cells[step === 1 ? n : cells.length - 1 - n]!;
      const x = (cell % columns) * gridPx;
      const y = Math.floor(cell / columns) * gridPx;
      const pixel = y * width + x;
      let count = 0;
      // What the neighbours behind found: moved along, and continued as the two behind change.
      for (let side = 0; side < 4; side++) {
        const across = side === 1 ? 0 : side === 3 ? -step : step;
        const down = side === 0 ? 0 : step;
        const back = 2 * (down * columns + across);
        const behind = matches[2 * cell - back]!;
        if (behind < 0) continue;
        const along = down * gridPx * rowStep + across * gridPx;
        offered[count++] = behind + along;
        const further = matches[2 * cell - 2 * back]!;
        if (further >= 0 && behind - further !== along) offered[count++] = 2 * behind - further;
      }
      // Anywhere in the picture, then ever closer to the best so far.
      const anyX = Math.floor(random() * width);
      offered[count++] = Math.floor(random() * height) * rowStep + anyX;
      if (offer(cell, pixel, x, y, count, 0) < 0) continue;
      for (let near = 0; near < searchPx.length; near++) {
        const span = searchPx[near]!;
        const stepX = Math.floor((2 * random() - 1) * span + 0.5);
        offered[near] = Math.floor((2 * random() - 1) * span + 0.5) * rowStep + stepX;
      }
      offer(cell, pixel, x, y, searchPx.length, -1);
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
