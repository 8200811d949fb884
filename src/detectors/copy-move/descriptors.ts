/**
 * What the surroundings of each pixel look like, in numbers that stay the same when the picture is turned or mirrored:
 * means, spreads and magnitudes of moments over discs.
 */

import type { WorkingPicture } from './working-picture.ts';

/** Numbers a pixel. */
export const descriptorLength = 16;
/** No disc reaches further; pixels closer to the edge have no descriptor. */
export const reachPx = 8;

export interface Surroundings {
  /** `descriptorLength` numbers a pixel, a grey level about 2 to 16; 0 within `reachPx` of the edge. */
  readonly descriptors: Int16Array;
  /** Standard deviation of luma in the largest disc. */
  readonly spread: Float32Array;
}

const radii = [1.5, 3, 5, 8] as const;

export function describeSurroundings(picture: WorkingPicture): Surroundings {
  const { width, height } = picture;
  const descriptors = new Int16Array(width * height * descriptorLength);
  const spread = new Float32Array(width * height);
  const sums = sumRows(picture);
  const discs = radii.map(discOf);
  const moments = discs.map(() => new Float64Array(9));
  for (let y = reachPx; y < height - reachPx; y++) {
    for (let x = reachPx; x < width - reachPx; x++) {
      for (let d = 0; d < discs.length; d++) readDisc(sums, discs[d]!, x, y, moments[d]!);
      const at = y * width + x;
      spread[at] = deviation(moments[3]!);
      write(moments, descriptors, at * descriptorLength);
    }
  }
  return { descriptors, spread };
}

interface Disc {
  /** For each row from `-reach` to `reach` how far it goes to either side. */
  readonly halves: Int32Array;
  readonly reach: number;
  readonly area: number;
}

function discOf(radius: number): Disc {
  const reach = Math.floor(radius);
  const halves = Int32Array.from({ length: 2 * reach + 1 }, (_, at) =>
    Math.floor(Math.sqrt(radius ** 2 - (at - reach) ** 2)),
  );
  return { halves, reach, area: halves.reduce((sum, half) => sum + 2 * half + 1, 0) };
}

/** Sums from the left edge up to, not including, each column: `width + 1` entries a row. */
type RowSums = Readonly<
  Record<'luma' | 'square' | 'byX' | 'byXx' | 'blue' | 'red', Float64Array>
> & {
  readonly width: number;
};

function sumRows({ width, height, luma, blue, red }: WorkingPicture): RowSums {
  const sum = (valueAt: (at: number, x: number) => number) => {
    const sums = new Float64Array((width + 1) * height);
    for (let y = 0; y < height; y++) {
      let so = 0;
      for (let x = 0; x < width; x++) {
        so += valueAt(y * width + x, x);
        sums[y * (width + 1) + x + 1] = so;
      }
    }
    return sums;
  };
  return {
    width: width + 1,
    luma: sum((at) => luma[at]!),
    square: sum((at) => luma[at]! * luma[at]!),
    byX: sum((at, x) => luma[at]! * x),
    byXx: sum((at, x) => luma[at]! * x * x),
    blue: sum((at) => blue[at]!),
    red: sum((at) => red[at]!),
  };
}

/** Means over the disc about (x, y): Y, Y squared, and Y by x, y, xx, yy, xy about its middle, B - Y, R - Y. */
function readDisc(sums: RowSums, disc: Disc, x: number, y: number, out: Float64Array): void {
  const { luma, square, byX, byXx, blue, red, width } = sums;
  const { halves, reach, area } = disc;
  let [s, sq, mx, my, xx, yy, xy, b, r] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let dy = -reach; dy <= reach; dy++) {
    const half = halves[dy + reach]!;
    const from = (y + dy) * width + x - half;
    const to = from + 2 * half + 1;
    const row = luma[to]! - luma[from]!;
    const rowX = byX[to]! - byX[from]! - x * row;
    s += row;
    sq += square[to]! - square[from]!;
    mx += rowX;
    my += dy * row;
    xx += byXx[to]! - byXx[from]! - 2 * x * rowX - x * x * row;
    yy += dy * dy * row;
    xy += dy * rowX;
    b += blue[to]! - blue[from]!;
    r += red[to]! - red[from]!;
  }
  out[0] = s / area;
  out[1] = sq / area;
  out[2] = mx / area;
  out[3] = my / area;
  out[4] = xx / area;
  out[5] = yy / area;
  out[6] = xy / area;
  out[7] = b / area;
  out[8] = r / area;
}

/**
 * Moments are scaled to about what a step through the disc gives in grey levels. Brightness may have been changed with
 * the copy, so the mean itself counts less than how the means differ.
 */
function write(moments: readonly Float64Array[], descriptors: Int16Array, out: number): void {
  const [dot, small, middle, large] = moments;
  descriptors[out] = 4 * (dot![0]! - large![0]!);
  descriptors[out + 1] = 4 * (small![0]! - large![0]!);
  descriptors[out + 2] = 4 * (middle![0]! - large![0]!);
  descriptors[out + 3] = 2 * large![0]!;
  descriptors[out + 4] = tilt(small!, 3);
  descriptors[out + 5] = 2 * deviation(small!);
  descriptors[out + 6] = 4 * small![7]!;
  descriptors[out + 7] = 4 * small![8]!;
  descriptors[out + 8] = tilt(middle!, 5);
  descriptors[out + 9] = stretch(middle!, 5);
  descriptors[out + 10] = tilt(large!, 8);
  descriptors[out + 11] = stretch(large!, 8);
  descriptors[out + 12] = 2 * deviation(large!);
  descriptors[out + 13] = 4 * large![7]!;
  descriptors[out + 14] = 4 * large![8]!;
}

function deviation(moments: Float64Array): number {
  return Math.sqrt(Math.max(0, moments[1]! - moments[0]! * moments[0]!));
}

/** Magnitude of the first complex moment. */
function tilt(moments: Float64Array, reach: number): number {
  const [x, y] = [moments[2]!, moments[3]!];
  return (16 / reach) * Math.sqrt(x * x + y * y);
}

/** Magnitude of the second. */
function stretch(moments: Float64Array, reach: number): number {
  const along = moments[4]! - moments[5]!;
  const across = 2 * moments[6]!;
  return (32 / (reach * reach)) * Math.sqrt(along * along + across * across);
}
