/** Luma at several finenesses, without what is coarser. */

import { boxMean } from '../box-mean.ts';
import type { WorkingPicture } from './working-picture.ts';

export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Row-major, grey levels about 0. */
  readonly values: Float32Array;
}

export interface Details {
  /** Without the mean of 3 by 3 pixels: grain, and the finest edges. */
  readonly fine: Plane;
  /** Without the mean of 7 by 7. */
  readonly middle: Plane;
  /** Mean of 3 by 3 without the mean of 17 by 17: shapes. */
  readonly coarse: Plane;
}

export function detailsOf({ width, height, luma }: WorkingPicture): Details {
  const less = (from: Float32Array, mean: Float32Array): Plane => {
    const values = new Float32Array(from.length);
    for (let at = 0; at < from.length; at++) values[at] = from[at]! - mean[at]!;
    return { width, height, values };
  };
  const three = boxMean(luma, width, 1);
  return {
    fine: less(luma, three),
    middle: less(luma, boxMean(luma, width, 3)),
    coarse: less(three, boxMean(luma, width, 8)),
  };
}

/** Between pixels by straight lines; not a number outside. */
export function valueAt({ width, height, values }: Plane, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) return NaN;
  const at = top * width + left;
  const upper = values[at]! + (x - left) * (values[at + 1]! - values[at]!);
  const below = at + width;
  const lower = values[below]! + (x - left) * (values[below + 1]! - values[below]!);
  return upper + (y - top) * (lower - upper);
}
