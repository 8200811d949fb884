/**
 * How many DCT coefficients are zero in the 8 by 8 block that begins at each pixel. JPEG sets many to zero in its own
 * blocks, so the count is high where a block of the picture's grid begins, and low one pixel beside it.
 */

import type { StoredPlane } from '../stored.ts';

const side = 8;
const overhang = side - 1;

/** A coefficient of the orthonormal transform counts as zero below this. @see ZERO (IPOL 2021), section 2. */
const zeroBelow = 0.5;

export interface ZeroCounter {
  /**
   * Counts 0..64 of the blocks that begin in the square whose upper left pixel is (left, top), row by row, valid until
   * the next call. A block whose rows or whose columns are all alike counts 0: its zeros come from no compression.
   * Where a block would reach beyond the picture, the count means nothing.
   */
  count(plane: StoredPlane, left: number, top: number): Uint8Array;
}

/** @param reach - side in pixels of the squares; room is made once, and the loops allocate nothing. */
export function createZeroCounter(reach: number): ZeroCounter {
  const wide = reach + overhang;
  const pixels = new Float64Array(wide * wide);
  const across = new Float64Array(side * wide * reach);
  const line = new Float64Array(side * reach);
  const counts = new Uint8Array(reach * reach);
  const runs = { columns: new Uint8Array(wide), rows: new Uint8Array(wide) };
  return {
    count: (plane, left, top) => {
      copySquare(plane, { left, top, wide }, pixels);
      for (let y = 0; y < wide; y++) {
        transformEights({ from: pixels, start: y * wide, step: 1, into: line });
        for (let u = 0; u < side; u++) {
          across.set(line.subarray(u * reach, (u + 1) * reach), (u * wide + y) * reach);
        }
      }
      counts.fill(0);
      for (let u = 0; u < side; u++) {
        for (let y = 0; y < reach; y++) {
          transformEights({ from: across, start: (u * wide + y) * reach, step: reach, into: line });
          addZeros(line, u, counts.subarray(y * reach, (y + 1) * reach));
        }
      }
      dropStriped(pixels, runs, counts);
      return counts;
    },
  };
}

interface Square {
  readonly left: number;
  readonly top: number;
  readonly wide: number;
}

/** The last pixels are repeated beyond the picture's edge. */
function copySquare({ luma, width, height }: StoredPlane, square: Square, into: Float64Array) {
  const { left, top, wide } = square;
  for (let y = 0; y < wide; y++) {
    const line = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < wide; x++) into[y * wide + x] = luma[line + Math.min(left + x, width - 1)]!;
  }
}

/*
 * The eight-point transform by Arai, Agui and Nakajima (1988), five multiplications. Its outputs are too large by a
 * factor that depends on the frequency alone, so the limit for zero is multiplied by it instead of dividing them.
 */
const c4 = Math.SQRT1_2;
const c6 = Math.cos((6 * Math.PI) / 16);
const c2MinusC6 = Math.cos((2 * Math.PI) / 16) - c6;
const c2PlusC6 = Math.cos((2 * Math.PI) / 16) + c6;
const excess = Float64Array.from({ length: side }, (_, u) =>
  u === 0 ? Math.sqrt(8) : 4 * Math.cos((u * Math.PI) / 16),
);

interface Eights {
  readonly from: Float64Array;
  readonly start: number;
  readonly step: number;
  /** One line of outputs for each frequency. */
  readonly into: Float64Array;
}

/** Transforms the eight numbers `step` apart that begin at each place of a line. */
function transformEights({ from, start, step, into }: Eights): void {
  const length = into.length >> 3;
  for (let x = 0; x < length; x++) {
    const at = start + x;
    const v0 = from[at]!;
    const v1 = from[at + step]!;
    const v2 = from[at + 2 * step]!;
    const v3 = from[at + 3 * step]!;
    const v4 = from[at + 4 * step]!;
    const v5 = from[at + 5 * step]!;
    const v6 = from[at + 6 * step]!;
    const v7 = from[at + 7 * step]!;
    const d0 = v0 - v7;
    const d1 = v1 - v6;
    const d2 = v2 - v5;
    const s0 = v0 + v7;
    const s1 = v1 + v6;
    const s2 = v2 + v5;
    const s3 = v3 + v4;
    const low = s0 + s3;
    const high = s1 + s2;
    const edge = s0 - s3;
    const turned = (s1 - s2 + edge) * c4;
    const inner = v3 - v4 + d2;
    const outer = d1 + d0;
    const shared = (inner - outer) * c6;
    const near = c2MinusC6 * inner + shared;
    const far = c2PlusC6 * outer + shared;
    const middle = (d2 + d1) * c4;
    into[x] = low + high;
    into[x + length] = d0 + middle + far;
    into[x + 2 * length] = edge + turned;
    into[x + 3 * length] = d0 - middle - near;
    into[x + 4 * length] = low - high;
    into[x + 5 * length] = d0 - middle + near;
    into[x + 6 * length] = edge - turned;
    into[x + 7 * length] = d0 + middle - far;
  }
}

/** @param line - transforms down the columns of what horizontal frequency `u` holds. */
function addZeros(line: Float64Array, u: number, counts: Uint8Array): void {
  const length = counts.length;
  for (let v = 0; v < side; v++) {
    const limit = zeroBelow * excess[u]! * excess[v]!;
    for (let x = 0; x < length; x++) {
      if (Math.abs(line[v * length + x]!) < limit) counts[x]!++;
    }
  }
}

interface Runs {
  readonly columns: Uint8Array;
  readonly rows: Uint8Array;
}

/** From the last pixel back, how many equal ones follow to the right and below; blocks of such runs count 0. */
function dropStriped(pixels: Float64Array, { columns, rows }: Runs, counts: Uint8Array): void {
  const wide = columns.length;
  const reach = wide - overhang;
  columns.fill(0);
  rows.fill(0);
  for (let y = wide - 1; y >= 0; y--) {
    let right = 0;
    let besides = 0;
    for (let x = wide - 1; x >= 0; x--) {
      const at = y * wide + x;
      right = x < wide - 1 && pixels[at] === pixels[at + 1] ? Math.min(right + 1, side) : 1;
      rows[x] = right === side ? Math.min(rows[x]! + 1, side) : 0;
      const isSame = y < wide - 1 && pixels[at] === pixels[at + wide];
      columns[x] = isSame ? Math.min(columns[x]! + 1, side) : 1;
      besides = columns[x] === side ? Math.min(besides + 1, side) : 0;
      const isStriped = rows[x] === side || besides === side;
      if (isStriped && x < reach && y < reach) counts[y * reach + x] = 0;
    }
  }
}
