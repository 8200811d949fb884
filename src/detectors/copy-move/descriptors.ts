/**
 * Describes the surroundings of each pixel in numbers that are invariant under rotation and mirroring: means, standard
 * deviations, gradients and curvatures after Gaussian blurs of several widths.
 */

import type { Size } from '../../image/pixels.ts';
import { boxMean } from '../blocks.ts';
import type { WorkingPicture } from './features.ts';

/** Descriptor components per pixel. */
export const descriptorLength = 16;
/** Radius of the widest blur; pixels closer to the edge have no descriptor. */
export const reachPx = 8;

type Mean =
  | keyof ReturnType<typeof gaussianBlurs>
  | `${'small' | 'large'}${'Blue' | 'Red'}`
  | 'smallSpread'
  | 'spread';

export type Surroundings = ReturnType<typeof describeSurroundings>;

/**
 * Gradients and curvatures are scaled to about the response, in grey levels, to a step that crosses
 * a disc of 3, 5 or 8 pixels. Brightness may have been changed along with the copy, so the mean
 * itself counts less than differences between means.
 *
 * @param descriptors - all 0; filled and returned: `descriptorLength` numbers per pixel, with about 2 to 16 units per grey
 *   level; 0 within `reachPx` of the edge.
 * @returns also `spread`, the standard deviation of luma in the square of radius `reachPx`.
 */
export function describeSurroundings(
  picture: WorkingPicture,
  descriptors: Int16Array = new Int16Array(picture.luma.length * descriptorLength),
) {
  const { width, height, luma } = picture;
  const between = new Float32Array(luma.length);
  const blurs = gaussianBlurs(luma, width, between);
  const squares = luma.map((value) => value * value);
  const smallSpread = standardDeviations(
    boxMean(luma, width, 2, between),
    boxMean(squares, width, 2),
  );
  const spread = standardDeviations(
    boxMean(luma, width, reachPx - 1, between),
    boxMean(squares, width, reachPx - 1),
  );
  const [smallBlue, largeBlue] = colourMeans(picture.blue, width);
  const [smallRed, largeRed] = colourMeans(picture.red, width);
  const means = { ...blurs, smallSpread, spread, smallBlue, smallRed, largeBlue, largeRed };
  for (let y = reachPx; y < height - reachPx; y++) {
    describeRow(means, width, y * width + reachPx, (y + 1) * width - reachPx, descriptors);
  }
  return { descriptors, spread };
}

/** A separate function, because V8 leaves its fast code at the end of every row of nested loops that run only once. */
function describeRow(
  means: Readonly<Record<Mean, Float32Array>>,
  width: number,
  from: number,
  end: number,
  descriptors: Int16Array,
): void {
  const { dot, small, middle, large, smallSpread, spread } = means;
  const { smallBlue, smallRed, largeBlue, largeRed } = means;
  for (let at = from, out = from * descriptorLength; at < end; at++, out += descriptorLength) {
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
    descriptors[out + 9] = 33 * curvature(middle, at, width, 2);
    descriptors[out + 10] = 32 * slope(large, at, width, 2);
    descriptors[out + 11] = 85 * curvature(large, at, width, 3);
    descriptors[out + 12] = 2 * spread[at]!;
    descriptors[out + 13] = 4 * largeBlue[at]!;
    descriptors[out + 14] = 4 * largeRed[at]!;
  }
}

/** Repeated box blurs approximate a Gaussian, which is isotropic. @param between - temporary space; overwritten. */
function gaussianBlurs(values: Float32Array, width: number, between: Float32Array) {
  const twice = (from: Float32Array, radius: number) =>
    boxMean(boxMean(from, width, radius, between), width, radius);
  const dot = boxMean(values, width, 1);
  const small = twice(dot, 1);
  const middle = twice(small, 2);
  const large = twice(middle, 2);
  return { dot, small, middle, large };
}

function colourMeans(values: Float32Array, width: number) {
  const small = boxMean(values, width, 2);
  return [small, boxMean(small, width, 4)] as const;
}

/** @param ofSquares - means of the squares; overwritten and returned. */
function standardDeviations(means: Float32Array, ofSquares: Float32Array): Float32Array {
  for (let at = 0; at < means.length; at++) {
    ofSquares[at] = Math.sqrt(Math.max(0, ofSquares[at]! - means[at]! * means[at]!));
  }
  return ofSquares;
}

/** Gradient magnitude, in grey levels per pixel. */
function slope(values: Float32Array, at: number, width: number, step: number): number {
  const x = values[at + step]! - values[at - step]!;
  const y = values[at + step * width]! - values[at - step * width]!;
  return Math.sqrt(x * x + y * y) / (2 * step);
}

/** Difference of the second derivatives along the directions of maximum and minimum curvature. */
function curvature(values: Float32Array, at: number, width: number, step: number): number {
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

/** Number of bits for the column in a packed pixel position, with the row above them; unpacking needs no division. */
export const rowBits = 16;
export const columnMask = 0xffff;
/** Minimum standard deviation, in grey levels: anything smoother would match everything. */
export const minSpread = 1.5;

/** The least correlated of the most informative descriptor components, each with its number of equal-frequency bins. */
const digits = [
  { slot: 3, parts: 8 },
  { slot: 10, parts: 8 },
  { slot: 6, parts: 8 },
  { slot: 11, parts: 8 },
  { slot: 4, parts: 4 },
  { slot: 12, parts: 4 },
] as const;
const slots = Int32Array.from(digits, ({ slot }) => slot);
const keyCount = digits.reduce((product, { parts }) => product * parts, 1);
/** One in this many pixels is sampled to estimate the distribution of a component. */
const sampledEvery = 61;

/**
 * A counting sort of the pixels. @returns `keys`: the key of each pixel, -1 if it is too smooth to describe; `members`:
 * the pixels by key, packed as `row << rowBits | column`; `starts`: the first member of each key, and the end.
 */
export function sortByKey(parts: Surroundings & Size) {
  const { descriptors, spread, width, height } = parts;
  const tables = quantileTables(parts);
  const keys = new Int32Array(width * height).fill(-1);
  const counts = new Int32Array(keyCount + 1);
  for (let y = reachPx; y < height - reachPx; y++) {
    for (let at = y * width + reachPx; at < (y + 1) * width - reachPx; at++) {
      if (spread[at]! < minSpread) continue;
      const key = keyOf(descriptors, at * descriptorLength, tables);
      keys[at] = key;
      counts[key + 1]!++;
    }
  }
  for (let key = 0; key < keyCount; key++) counts[key + 1]! += counts[key]!;
  return { keys, starts: counts, members: gather(keys, counts, width) };
}

function keyOf(descriptors: Int16Array, from: number, tables: Uint16Array): number {
  let key = 0;
  for (let n = 0, middle = tableMiddle; n < slots.length; n++, middle += tableLength) {
    key += tables[middle + descriptors[from + slots[n]!]!]!;
  }
  return key;
}

function gather(keys: Int32Array, starts: Int32Array, width: number): Int32Array {
  const next = starts.slice();
  const members = new Int32Array(starts[keyCount]!);
  for (let at = 0, x = 0, y = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key >= 0) members[next[key]!++] = (y << rowBits) | x;
    x = x === width - 1 ? 0 : x + 1;
    if (x === 0) y++;
  }
  return members;
}

const tableMiddle = 0x8000;
const tableLength = 2 * tableMiddle;

/**
 * One lookup table per digit. It maps the value of a component, counted from the minimum of an Int16, to an
 * equal-frequency bin, multiplied by the number of keys that the remaining digits distinguish.
 */
function quantileTables({ descriptors, spread }: Surroundings): Uint16Array {
  const tables = new Uint16Array(digits.length * tableLength);
  let stride = keyCount;
  digits.forEach(({ slot, parts }, n) => {
    stride /= parts;
    const sampled: number[] = [];
    for (let at = 0; at < spread.length; at += sampledEvery) {
      if (spread[at]! >= minSpread) sampled.push(descriptors[at * descriptorLength + slot]!);
    }
    const sorted = Int16Array.from(sampled).toSorted();
    const table = tables.subarray(n * tableLength, (n + 1) * tableLength);
    for (let part = 1; part < parts; part++) {
      const edge = sorted[Math.floor((part * sorted.length) / parts)] ?? 0;
      table.fill(part * stride, edge + tableMiddle);
    }
  });
  return tables;
}
