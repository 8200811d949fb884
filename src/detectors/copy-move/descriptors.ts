/**
 * What the surroundings of each pixel look like, in numbers that stay the same when the picture is turned or mirrored:
 * means, spreads, slopes and bends under bells of several widths.
 */

import { boxMean } from '../box-mean.ts';
import type { WorkingPicture } from './working-picture.ts';

/** Numbers a pixel. */
export const descriptorLength = 16;
/** Half of the widest bell reaches no further; pixels closer to the edge have no descriptor. */
export const reachPx = 8;

export interface Surroundings {
  /** `descriptorLength` numbers a pixel, a grey level about 2 to 16; 0 within `reachPx` of the edge. */
  readonly descriptors: Int16Array;
  /** Standard deviation of luma in the square that reaches as far. */
  readonly spread: Float32Array;
}

/**
 * Slopes and bends are scaled to about what a step through a disc of 3, 5 or 8 pixels gives in grey levels. Brightness may
 * have been changed with the copy, so the mean itself counts less than how the means differ.
 */
export function describeSurroundings(picture: WorkingPicture): Surroundings {
  const { width, height, luma } = picture;
  const bells = bellsOf(luma, width);
  const smallSpread = deviationsOf(luma, width, 2);
  const spread = deviationsOf(luma, width, reachPx - 1);
  const [smallBlue, largeBlue] = tintsOf(picture.blue, width);
  const [smallRed, largeRed] = tintsOf(picture.red, width);
  const { dot, small, middle, large } = bells;
  const descriptors = new Int16Array(width * height * descriptorLength);
  for (let y = reachPx; y < height - reachPx; y++) {
    for (let x = reachPx; x < width - reachPx; x++) {
      const at = y * width + x;
      const out = at * descriptorLength;
      const ground = large[at]!;
      descriptors[out] = 4 * (dot[at]! - ground);
      descriptors[out + 1] = 4 * (small[at]! - ground);
      descriptors[out + 2] = 4 * (middle[at]! - ground);
      descriptors[out + 3] = 2 * ground;
      descriptors[out + 4] = 12 * slope(small, at, width, 1);
      descriptors[out + 5] = 2 * smallSpread[at]!;
      descriptors[out + 6] = 4 * smallBlue[at]!;
      descriptors[out + 7] = 4 * smallRed[at]!;
      descriptors[out + 8] = 20 * slope(middle, at, width, 1);
      descriptors[out + 9] = 33 * bend(middle, at, width, 2);
      descriptors[out + 10] = 32 * slope(large, at, width, 2);
      descriptors[out + 11] = 85 * bend(large, at, width, 3);
      descriptors[out + 12] = 2 * spread[at]!;
      descriptors[out + 13] = 4 * largeBlue[at]!;
      descriptors[out + 14] = 4 * largeRed[at]!;
    }
  }
  return { descriptors, spread };
}

/** Boxes over boxes come close to bells, which look the same from all sides. */
function bellsOf(values: Float32Array, width: number) {
  const dot = boxMean(values, width, 1);
  const small = twice(dot, width, 1);
  const middle = twice(small, width, 2);
  const large = twice(middle, width, 2);
  return { dot, small, middle, large };
}

function twice(values: Float32Array, width: number, radius: number): Float32Array {
  return boxMean(boxMean(values, width, radius), width, radius);
}

function tintsOf(values: Float32Array, width: number) {
  const small = boxMean(values, width, 2);
  return [small, boxMean(small, width, 4)] as const;
}

/** Standard deviation in the square about each pixel. */
function deviationsOf(values: Float32Array, width: number, radius: number): Float32Array {
  const means = boxMean(values, width, radius);
  const deviations = boxMean(squaresOf(values), width, radius);
  for (let at = 0; at < means.length; at++) {
    deviations[at] = Math.sqrt(Math.max(0, deviations[at]! - means[at]! * means[at]!));
  }
  return deviations;
}

function squaresOf(values: Float32Array): Float32Array {
  const squares = new Float32Array(values.length);
  for (let at = 0; at < values.length; at++) squares[at] = values[at]! * values[at]!;
  return squares;
}

/** Grey levels a pixel along the steepest way. */
function slope(values: Float32Array, at: number, width: number, step: number): number {
  const x = values[at + step]! - values[at - step]!;
  const y = values[at + step * width]! - values[at - step * width]!;
  return Math.sqrt(x * x + y * y) / (2 * step);
}

/** By how much the second slopes along the ways of most and of least bending differ. */
function bend(values: Float32Array, at: number, width: number, step: number): number {
  const down = step * width;
  const along = values[at + step]! + values[at - step]! - values[at + down]! - values[at - down]!;
  const across =
    (values[at + down + step]! +
      values[at - down - step]! -
      values[at + down - step]! -
      values[at - down + step]!) /
    2;
  return Math.sqrt(along * along + across * across) / (step * step);
}
