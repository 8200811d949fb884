/** The picture, scaled to the size at which the search for copies runs. */

import type { Planes, Size } from '../../image/pixels.ts';
import { boxMean } from '../blocks.ts';

export type WorkingPicture = ReturnType<typeof workingPicture>;

/** Limits the time. Copies whose sides are less than a tenth as long as the picture's may then be missed. */
const maxPixels = 400_000;

/**
 * Scales the picture down if it is larger than `maxPixels`, and splits it into planes.
 *
 * @returns row-major samples: luma 0..255, and B - Y and R - Y, centred on 0 and scaled as in JFIF; `scale`, 1 or more: the
 *   pixels of the picture per pixel of these planes.
 */
export function workingPicture({ rgb, facts }: Pick<Planes, 'rgb' | 'facts'>) {
  const { width, height } = facts;
  const scale = Math.max(1, Math.sqrt((width * height) / maxPixels));
  const size = { width: Math.round(width / scale), height: Math.round(height / scale) };
  const pixels = size.width * size.height;
  const luma = new Float32Array(pixels);
  const blue = new Float32Array(pixels);
  const red = new Float32Array(pixels);
  const split = (row: Uint8Array | Float32Array, y: number) => {
    for (let from = 0, at = y * size.width; from < row.length; from += 3, at++) {
      const r = row[from]!;
      const g = row[from + 1]!;
      const b = row[from + 2]!;
      const grey = 0.299 * r + 0.587 * g + 0.114 * b;
      luma[at] = grey;
      blue[at] = 0.564 * (b - grey);
      red[at] = 0.713 * (r - grey);
    }
  };
  if (scale > 1) averageDown(rgb, { width, height }, size, split);
  else for (let y = 0; y < height; y++) split(rgb.subarray(3 * y * width, 3 * (y + 1) * width), y);
  return { ...size, scale, luma, blue, red };
}

/**
 * Area averaging: each output pixel is the mean of the area that it covers; partly covered pixels are weighted.
 *
 * @param take - receives the rows in order; each row is overwritten by the next.
 */
function averageDown(
  rgb: Uint8Array,
  from: Size,
  to: Size,
  take: (row: Float32Array, y: number) => void,
): void {
  const rowParts = splitIntoCells(from.height, to.height);
  const columnParts = splitIntoCells(from.width, to.width);
  const length = 3 * from.width;
  const line = new Float32Array(length);
  const small = new Float32Array(3 * to.width);
  for (let y = 0; y < from.height; y++) {
    const cell = rowParts.cell[y]!;
    const share = rowParts.share[y]!;
    const row = rgb.subarray(y * length, (y + 1) * length);
    addWeighted(line, row, share);
    const isLast = y === from.height - 1 || rowParts.cell[y + 1]! > cell;
    if (!isLast) continue;
    small.fill(0);
    narrow(line, columnParts, small);
    take(small, cell);
    line.fill(0);
    addWeighted(line, row, rowParts.whole - share);
  }
}

function addWeighted(line: Float32Array, row: Uint8Array, weight: number): void {
  for (let i = 0; i < line.length; i++) line[i]! += weight * row[i]!;
}

/**
 * For each sample: the first cell that it overlaps, and its contribution to that cell's mean; `whole` is the total
 * contribution of a sample, of which the part beyond `share` goes to the next cell.
 */
function splitIntoCells(from: number, to: number) {
  const whole = to / from;
  const cell = Int32Array.from({ length: from }, (_, at) => Math.floor(at * whole));
  const share = Float32Array.from({ length: from }, (_, at) => {
    const inFirst = cell[at]! + 1 - at * whole;
    return inFirst >= whole || cell[at] === to - 1 ? whole : inFirst;
  });
  return { cell, share, whole: Math.fround(whole) };
}

function narrow(
  line: Float32Array,
  { cell, share, whole }: ReturnType<typeof splitIntoCells>,
  row: Float32Array,
): void {
  for (let x = 0; x < cell.length; x++) {
    const to = 3 * cell[x]!;
    const part = share[x]!;
    const r = line[3 * x]!;
    const g = line[3 * x + 1]!;
    const b = line[3 * x + 2]!;
    row[to]! += part * r;
    row[to + 1]! += part * g;
    row[to + 2]! += part * b;
    if (part >= whole) continue;
    const rest = whole - part;
    row[to + 3]! += rest * r;
    row[to + 4]! += rest * g;
    row[to + 5]! += rest * b;
  }
}

export interface Plane extends Size {
  /** Row-major grey levels, centred on 0. */
  readonly values: Float32Array;
}

export type Details = ReturnType<typeof frequencyBands>;

/** Luma in three frequency bands. */
export function frequencyBands({ width, height, luma }: WorkingPicture) {
  const less = (from: Float32Array, mean: Float32Array): Plane => {
    const values = new Float32Array(from.length);
    for (let at = 0; at < from.length; at++) values[at] = from[at]! - mean[at]!;
    return { width, height, values };
  };
  const three = boxMean(luma, width, 1);
  return {
    /** Grain and the finest edges. */
    fine: less(luma, three),
    middle: less(luma, boxMean(luma, width, 3)),
    /** Shapes. */
    coarse: less(three, boxMean(luma, width, 8)),
  };
}

/** Bilinear interpolation; NaN outside the plane. */
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
