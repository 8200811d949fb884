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
  descriptorLength,
} from './descriptors.ts';

/** Matches are sought for every second pixel in every second row, among all pixels. */
export const gridPx = 2;

export interface MatchField {
  /** Number of cells of `gridPx` per row; arrays of cells are row-major. */
  readonly columns: number;
  readonly rows: number;
  /** Pixel that best matches the cell's first pixel; -1 if no match was sought, near the edge and in flat areas. */
  readonly target: Int32Array;
}

interface FieldParts extends Surroundings, Size {
  /** Minimum displacement: a closer match belongs to the same object and is not a copy. */
  readonly minPx: number;
  /** Random numbers in [0, 1). */
  readonly random: () => number;
}

const rounds = 2;
/** With how many pixels of the same key each cell is compared at first. */
const maxCandidates = 4;
const searchPx = [32, 8, 2] as const;
/** Difference between the packed positions of a pixel and the one below it. */
const rowStep = 1 << rowBits;

export function matchField(parts: FieldParts): MatchField {
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

/** Sweeps the picture forwards and backwards, so that good matches spread in every direction. */
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

interface MatchKernel {
  /** Two numbers per cell: its match (-1 if there is none yet) and the squared distance between the descriptors. */
  readonly matches: Int32Array;
  /** Input of `offer`: pixels as `row << rowBits | column`, or offsets from the current match. */
  readonly offered: Int32Array;
  /**
   * Makes the most similar candidate the cell's match if it is more similar than the current match.
   *
   * @param pixel - index of the cell's first pixel, which is at (x, y).
   * @param mask - 0: candidates are pixels; -1: candidates are offsets from the match that the cell has at that moment.
   * @returns the match.
   */
  readonly offer: (
    cell: number,
    pixel: number,
    x: number,
    y: number,
    count: number,
    mask: 0 | -1,
  ) => number;
}

interface Field extends Size {
  readonly descriptors: Int16Array;
  readonly cells: number;
  /** Pixels closer than this do not count as matches. */
  readonly minPx: number;
}

// The inner loop in WebAssembly, which computes sixteen 16-bit differences in four instructions. It uses only integers,
// so the result equals that of the same loop in JavaScript.

/** Memory layout in bytes, as in match-kernel.wat: the numbers below, the candidates, the descriptors, the matches. */
const widthAt = 0;
const innerWidthAt = 4;
const innerHeightAt = 8;
const minSquaredAt = 12;
const matchesAt = 16;
const offeredAt = 64;
const descriptorsAt = 256;
const descriptorBytes = 2 * descriptorLength;
const matchBytes = 8;

/** Kept between pictures, with at most 16 MB of memory. Handles one picture at a time. */
let kept: ReturnType<typeof instantiate> | null = null;

/** Zeroed space in the kernel's memory for descriptors; that of the previous picture must no longer be used. */
export function allocateDescriptors(pixels: number): Int16Array {
  kept ??= instantiate();
  const { memory } = kept;
  const missing =
    descriptorsAt + pixels * (descriptorBytes + matchBytes) - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return new Int16Array(memory.buffer, descriptorsAt, pixels * descriptorLength).fill(0);
}

/** @param descriptors - in the space returned by `allocateDescriptors`. */
export function openMatchKernel({ width, height, descriptors, cells, minPx }: Field): MatchKernel {
  if (kept?.memory.buffer !== descriptors.buffer) throw new RangeError('They lie elsewhere.');
  const { memory, run } = kept;
  const { buffer } = memory;
  const start = descriptorsAt + descriptors.byteLength;
  const numbers = new Int32Array(buffer, 0, offeredAt / 4);
  numbers[widthAt / 4] = width;
  numbers[innerWidthAt / 4] = width - 2 * reachPx;
  numbers[innerHeightAt / 4] = height - 2 * reachPx;
  numbers[minSquaredAt / 4] = Math.ceil(minPx * minPx);
  numbers[matchesAt / 4] = start;
  const matches = new Int32Array(buffer, start, 2 * cells);
  for (let at = 0; at < matches.length; at += 2) {
    matches[at] = -1;
    matches[at + 1] = 0x7fffffff;
  }
  return { matches, offered: new Int32Array(buffer, offeredAt, 16), offer: run };
}

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Provided by Node.js, but missing from the ECMAScript types. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => Memory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly room: { readonly memory: Memory } },
  ) => { readonly exports: { readonly run: MatchKernel['offer'] } };
};

const pageBytes = 65_536;

/** Instantiates the loop with its own memory, initially one page. */
function instantiate() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(Buffer.from(code, 'base64'));
  return { memory, run: new WebAssembly.Instance(module, { room: { memory } }).exports.run };
}

/** The compiled file match-kernel.wat, which is next to this one. */
const code = `
  AGFzbQEAAAABCwFgBn9/f39/fwF/AhABBHJvb20GbWVtb3J5AgABAwIBAAcHAQNydW4AAAreAgHbAgIJfwR7QQAoAhAgAEED
  dGohCCAIKAIAIQYgCCgCBCEHIAFBBXQhCyAL/QAEgAIhDyAL/QAEkAIhECAEQQJ0IQoCQANAIAkgCk4NAQJAIAkoAkAgBiAF
  cWohCyALIAZGDQAgC0H//wNxIQwgC0EQdSENIAxBCGtBACgCBE8gDUEIa0EAKAIIT3INACAMIAJrIAwgAmtsIA0gA2sgDSAD
  a2xqQQAoAgxIDQAgDUEAKAIAbCAMakEFdCELIA8gC/0ABIAC/ZEBIREgESAR/boBIBAgC/0ABJAC/ZEBIREgESAR/boB/a4B
  IRIgEiASIBL9DQgJCgsMDQ4PAAECAwQFBgf9rgEhEiASIBIgEv0NBAUGBwABAgMMDQ4PCAkKC/2uASESIBL9GwAhDiAOIAdO
  DQAgDiEHIA1BEHQgDHIhBgsgCUEEaiEJDAALCyAIIAY2AgAgCCAHNgIEIAYL
`;
