/** A picture in halved and quartered size: each number is the mean of a square of pixels. */

import type { Picture } from '../../image/picture.ts';

/** What is left over at the right and lower edge belongs to no square. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Row-major. */
  readonly values: Float32Array;
}

export interface HalvedPicture {
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
