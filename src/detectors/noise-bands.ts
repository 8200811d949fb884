/** The fine structure of a small square, parted by direction. */

import type { Picture } from '../image/picture.ts';

export interface Bands {
  /** Mean magnitude of what changes both ways, from left to right, and from top to bottom; grey levels. */
  readonly diagonal: number;
  readonly across: number;
  readonly along: number;
  /** Logarithm of mean magnitude over root mean square of the diagonal band: low where a few values stand out. */
  readonly peakedness: number;
  /** Share of the diagonal band below `none`. */
  readonly emptyShare: number;
}

/** The filter takes in so many values more than it gives. */
export const overhang = 3;
/** Of the largest square that is asked for. */
const widest = 8;

const low = new Float32Array(widest * (widest + overhang));
const high = new Float32Array(widest * (widest + overhang));
const softly = 0.05;

export interface Square {
  /** Row-major, `width` values a row. */
  readonly values: Float32Array;
  readonly width: number;
  /** Index of its first value; `side + overhang` rows and columns are read. */
  readonly start: number;
  /** 1..8. */
  readonly side: number;
}

/**
 * @see Daubechies, "Ten Lectures on Wavelets" (1992), 8.3.4: the spline pair of four taps, without decimation. Its high
 * pass answers 0 to every parabola, so that shading is not taken for noise.
 */
export function bandsOf(square: Square, none: number): Bands {
  const { side } = square;
  split(square);
  let [diagonal, across, along, squares, empty] = [0, 0, 0, 0, 0];
  for (let at = 0; at < side * side; at++) {
    const below = at + side;
    const far = below + side;
    const farthest = far + side;
    const d = (3 * (high[below]! - high[far]!) - high[at]! + high[farthest]!) / 4;
    const h = (3 * (high[below]! + high[far]!) + high[at]! + high[farthest]!) / 8;
    const v = (3 * (low[below]! - low[far]!) - low[at]! + low[farthest]!) / 4;
    const size = Math.abs(d);
    diagonal += size;
    squares += d * d;
    across += Math.abs(h);
    along += Math.abs(v);
    empty += Number(size < none);
  }
  const count = side * side;
  diagonal /= count;
  return {
    diagonal,
    across: across / count,
    along: along / count,
    peakedness: Math.log((diagonal + softly) / (Math.sqrt(squares / count) + softly)),
    emptyShare: empty / count,
  };
}

/** `diagonal` of `bandsOf` alone. */
export function diagonalOf(square: Square): number {
  const { side } = square;
  differ(square);
  let diagonal = 0;
  for (let at = 0; at < side * side; at++) {
    const below = at + side;
    const far = below + side;
    diagonal += Math.abs(3 * (high[below]! - high[far]!) - high[at]! + high[far + side]!);
  }
  return diagonal / (4 * side * side);
}

/** Mean of all values that are read, those at the border included. */
export function meanOf({ values, width, start, side }: Square): number {
  const taken = side + overhang;
  let sum = 0;
  for (let row = start; row < start + taken * width; row += width) {
    for (let at = row; at < row + taken; at++) sum += values[at]!;
  }
  return sum / (taken * taken);
}

/** Fills `high`, `side` values a row: what changes from left to right. */
function differ({ values, width, start, side }: Square): void {
  for (let y = 0, to = 0, row = start; y < side + overhang; y++, row += width) {
    let v0 = values[row]!;
    let v1 = values[row + 1]!;
    let v2 = values[row + 2]!;
    for (let at = row + overhang; at < row + overhang + side; at++, to++) {
      const v3 = values[at]!;
      high[to] = (3 * (v1 - v2) - v0 + v3) / 4;
      v0 = v1;
      v1 = v2;
      v2 = v3;
    }
  }
}

/** Fills `high` as `differ` does, and `low` in the same way with what does not change. */
function split({ values, width, start, side }: Square): void {
  for (let y = 0, to = 0, row = start; y < side + overhang; y++, row += width) {
    let v0 = values[row]!;
    let v1 = values[row + 1]!;
    let v2 = values[row + 2]!;
    for (let at = row + overhang; at < row + overhang + side; at++, to++) {
      const v3 = values[at]!;
      high[to] = (3 * (v1 - v2) - v0 + v3) / 4;
      low[to] = (v0 + 3 * (v1 + v2) + v3) / 8;
      v0 = v1;
      v1 = v2;
      v2 = v3;
    }
  }
}

/** What is left over at the right and lower edge belongs to no square. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Row-major. */
  readonly values: Float32Array;
}

interface HalvedPicture {
  readonly luma: Plane;
  /** Cb and Cr of ITU-R BT.601. */
  readonly blue: Plane;
  readonly red: Plane;
}

export function halvePicture({ facts, luma, rgb }: Picture): HalvedPicture {
  const { width, height } = facts;
  const [blue, red] = [createHalf({ width, height }), createHalf({ width, height })];
  const line = 3 * width;
  for (let y = 0, to = 0; y < blue.height; y++) {
    for (let at = 2 * y * line; at < 2 * y * line + 6 * blue.width; at += 6, to++) {
      const below = at + line;
      const r = rgb[at]! + rgb[at + 3]! + rgb[below]! + rgb[below + 3]!;
      const g = rgb[at + 1]! + rgb[at + 4]! + rgb[below + 1]! + rgb[below + 4]!;
      const b = rgb[at + 2]! + rgb[at + 5]! + rgb[below + 2]! + rgb[below + 5]!;
      blue.values[to] = 0.25 * (-0.169 * r - 0.331 * g + 0.5 * b);
      red.values[to] = 0.25 * (0.5 * r - 0.419 * g - 0.081 * b);
    }
  }
  return { luma: halve({ width, height, values: luma }), blue, red };
}

type Size = Pick<Plane, 'width' | 'height'>;

export function halve({
  width,
  height,
  values,
}: Size & { readonly values: Float32Array | Uint8Array }): Plane {
  const half = createHalf({ width, height });
  for (let y = 0, to = 0; y < half.height; y++) {
    for (let at = 2 * y * width; at < 2 * y * width + 2 * half.width; at += 2, to++) {
      const below = at + width;
      half.values[to] =
        0.25 * (values[at]! + values[at + 1]! + values[below]! + values[below + 1]!);
    }
  }
  return half;
}

function createHalf(size: Size) {
  const [width, height] = [size.width >> 1, size.height >> 1];
  return { width, height, values: new Float32Array(width * height) };
}
