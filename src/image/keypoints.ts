/**
 * Finds keypoints: prominent spots of a picture, each with a key that describes its surroundings. A copy that was
 * cropped, scaled, mirrored, re-saved or written on has many of them in the same arrangement, which `align` looks for.
 *
 * Spots are extrema of differences of Gaussians (Lowe, "Distinctive image features from scale-invariant keypoints",
 * International Journal of Computer Vision 60, 2004). A key consists of the signs of the lowest frequencies around
 * the spot, like a perceptual hash of a whole picture. Copies are assumed to be upright, so rotation is not handled.
 */

import type { Picture } from './picture.ts';
import { type Size, scaledSize } from './pixels.ts';

export interface Keypoint {
  /** 32-bit unsigned integer. */
  readonly key: number;
  /** Numbers of the two bits of the key that are most likely to differ in a copy. */
  readonly weakBits: readonly [number, number];
  /** Position, as shares of the picture's longer side, 0..1. */
  readonly x: number;
  readonly y: number;
  /** Radius of the spot, as a share of the picture's longer side. */
  readonly size: number;
}

/** The data by which a picture can be recognised, with its upright size. */
export interface Fingerprint extends Size {
  /** At most 200, most prominent first. */
  readonly keypoints: readonly Keypoint[];
}

interface Plane extends Size {
  /** Luma 0..255, or a difference of luma values. */
  readonly values: Float32Array;
}

/** Larger pictures are scaled down to this size first. */
const maxPixels = 240_000;
const maxKeypoints = 200;
const octaves = 4;
/** Number of blur levels per octave, and width of the first level in pixels. */
const levels = 3;
const firstSigma = 1.6;
/** In grey levels; fainter spots are lost when the picture is saved again. */
const minContrast = 1;
/** Limit for `(a + b)^2 / ab` of the principal curvatures; above it, a spot can slide along an edge. */
const maxEdge = 12;
/** Half the side of the square that is described, as a multiple of the blur width. */
const describedRadius = 5;

export async function findFingerprint(picture: Picture): Promise<Fingerprint> {
  const { width, height } = picture.facts;
  const plane = await toLuma(picture);
  const longer = Math.max(plane.width, plane.height);
  const keypoints = findSpots(plane)
    .toSorted((one, other) => other.contrast - one.contrast)
    .slice(0, maxKeypoints)
    .map(({ level, x, y, sigma, pixel }) => ({
      ...describe(level, x, y, describedRadius * sigma),
      x: ((x + 0.5) * pixel) / longer,
      y: ((y + 0.5) * pixel) / longer,
      size: (sigma * pixel) / longer,
    }));
  return { width, height, keypoints };
}

async function toLuma({ rgb, facts: { width, height } }: Picture): Promise<Plane> {
  const scale = Math.min(1, Math.sqrt(maxPixels / (width * height)));
  const size = scaledSize({ width, height }, scale);
  // Loaded only here, because programs that compare keypoints need not open pictures.
  const { scalePixels } = await import('./codec.ts');
  const small = scale < 1 ? (await scalePixels({ width, height, rgb }, size)).rgb : rgb;
  const values = new Float32Array(size.width * size.height);
  for (let at = 0, from = 0; at < values.length; at++, from += 3) {
    values[at] = 0.299 * small[from]! + 0.587 * small[from + 1]! + 0.114 * small[from + 2]!;
  }
  return { ...size, values };
}

interface Spot {
  /** The blurred picture in which the spot was found; `x`, `y` and `sigma` are in pixels of that picture. */
  readonly level: Plane;
  readonly x: number;
  readonly y: number;
  readonly sigma: number;
  /** Side of a pixel of `level`, in pixels of the first octave. */
  readonly pixel: number;
  readonly contrast: number;
}

function findSpots(plane: Plane): Spot[] {
  const found: Spot[] = [];
  let base = { ...plane, values: blur(plane, firstSigma) };
  for (let octave = 0; octave < octaves && Math.min(base.width, base.height) > 16; octave++) {
    const blurred: Plane[] = [base];
    for (let n = 1; n < levels + 3; n++) {
      const before = blurred[n - 1]!;
      const added = sigmaAt(n - 1) * Math.sqrt(2 ** (2 / levels) - 1);
      blurred.push({ ...before, values: blur(before, added) });
    }
    const differences = blurred.slice(1).map(({ values }, n) => less(values, blurred[n]!.values));
    for (let n = 1; n <= levels; n++) {
      const level = blurred[n]!;
      const sigma = sigmaAt(n);
      forEachExtremum(differences.slice(n - 1, n + 2), level, Math.ceil(3 * sigma), (x, y, value) =>
        found.push({ level, x, y, sigma, pixel: 2 ** octave, contrast: Math.abs(value) }),
      );
    }
    base = halve(blurred[levels]!);
  }
  return found;
}

function less(values: Float32Array, subtracted: Float32Array): Float32Array {
  const differences = new Float32Array(values.length);
  for (let at = 0; at < values.length; at++) differences[at] = values[at]! - subtracted[at]!;
  return differences;
}

function sigmaAt(level: number): number {
  return firstSigma * 2 ** (level / levels);
}

/** @param planes - three consecutive differences of Gaussians; extrema are sought in the middle one. */
function forEachExtremum(
  planes: readonly Float32Array[],
  { width, height }: Plane,
  margin: number,
  take: (x: number, y: number, value: number) => void,
): void {
  const middle = planes[1]!;
  const neighbours = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1];
  for (let y = margin; y < height - margin; y++) {
    for (let x = margin; x < width - margin; x++) {
      const at = y * width + x;
      const value = middle[at]!;
      if (Math.abs(value) < minContrast) continue;
      // Leaves most pixels out quickly.
      if (value > 0 === middle[at + 1]! >= value || value > 0 === middle[at - 1]! >= value)
        continue;
      if (isExtremum(planes, at, neighbours) && !isOnEdge(middle, at, width)) take(x, y, value);
    }
  }
}

/** A separate function, because a closure in that loop would need memory for every pixel. */
function isExtremum(planes: readonly Float32Array[], at: number, neighbours: readonly number[]) {
  const value = planes[1]![at]!;
  const isBeyond = (other: number) => (value > 0 ? other < value : other > value);
  return planes.every(
    (plane, n) =>
      (n === 1 || isBeyond(plane[at]!)) && neighbours.every((step) => isBeyond(plane[at + step]!)),
  );
}

function isOnEdge(values: Float32Array, at: number, width: number): boolean {
  const twice = 2 * values[at]!;
  const xx = values[at + 1]! + values[at - 1]! - twice;
  const yy = values[at + width]! + values[at - width]! - twice;
  const diagonal = values[at + width + 1]! + values[at - width - 1]!;
  const xy = (diagonal - values[at + width - 1]! - values[at - width + 1]!) / 4;
  const determinant = xx * yy - xy * xy;
  return determinant <= 0 || (xx + yy) ** 2 > maxEdge * determinant;
}

/** Samples along each side of the square that is described. */
const samples = 12;

/** Horizontal and vertical frequencies, lowest first; the mean is left out, because the brightness may change. */
const frequencies = Array.from({ length: 8 }, (_, sum) =>
  Array.from({ length: sum + 1 }, (__, down) => ({ across: sum - down, down })),
)
  .flat()
  .slice(1, 33);
const cosines = Array.from({ length: 8 }, (_, frequency) =>
  Float32Array.from({ length: samples }, (__, at) =>
    Math.cos(((at + 0.5) * frequency * Math.PI) / samples),
  ),
);

/** Bits of a key that flip when the picture is mirrored: the signs of odd horizontal frequencies. */
const mirroredBits = toBits(frequencies.map(({ across }) => across % 2 === 1));

/** The key of the same spot in the mirrored picture. */
export function mirrorKey(key: number): number {
  return (key ^ mirroredBits) >>> 0;
}

function describe(level: Plane, x: number, y: number, radius: number) {
  const square = new Float32Array(samples * samples);
  const step = (2 * radius) / samples;
  const first = step / 2 - radius;
  for (let row = 0, at = 0; row < samples; row++) {
    for (let column = 0; column < samples; column++, at++) {
      square[at] = interpolate(level, x + first + column * step, y + first + row * step);
    }
  }
  const amounts = frequencies.map(({ across, down }) => {
    let sum = 0;
    for (let row = 0, at = 0; row < samples; row++) {
      for (let column = 0; column < samples; column++, at++) {
        sum += square[at]! * cosines[across]![column]! * cosines[down]![row]!;
      }
    }
    return sum;
  });
  const byAmount = [...amounts.keys()].toSorted(
    (one, other) => Math.abs(amounts[one]!) - Math.abs(amounts[other]!),
  );
  return {
    key: toBits(amounts.map((amount) => amount > 0)),
    weakBits: [byAmount[0]!, byAmount[1]!] as const,
  };
}

function toBits(flags: readonly boolean[]): number {
  return flags.reduce((bits, isSet, n) => (isSet ? bits | (1 << n) : bits), 0) >>> 0;
}

/** Bilinear interpolation; past the edge, the nearest pixel. */
function interpolate({ width, height, values }: Plane, x: number, y: number): number {
  const left = Math.min(width - 2, Math.max(0, Math.floor(x)));
  const top = Math.min(height - 2, Math.max(0, Math.floor(y)));
  const right = Math.min(1, Math.max(0, x - left));
  const down = Math.min(1, Math.max(0, y - top));
  const at = top * width + left;
  const upper = values[at]! * (1 - right) + values[at + 1]! * right;
  const lower = values[at + width]! * (1 - right) + values[at + width + 1]! * right;
  return upper * (1 - down) + lower * down;
}

function halve({ width, height, values }: Plane): Plane {
  const size = { width: width >> 1, height: height >> 1 };
  const half = new Float32Array(size.width * size.height);
  for (let y = 0, at = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, at++) half[at] = values[2 * y * width + 2 * x]!;
  }
  return { ...size, values: half };
}

/** Truncated at three times its width; past the edge, the nearest pixel. V8 optimises a call per row best. */
function blur({ width, height, values }: Plane, sigma: number): Float32Array {
  const weights = halfGaussian(sigma);
  const reach = weights.length - 1;
  const across = new Float32Array(values.length);
  const padded = new Float32Array(width + 2 * reach);
  const rowOf = (plane: Float32Array, y: number) => {
    const start = Math.min(height - 1, Math.max(0, y)) * width;
    return plane.subarray(start, start + width);
  };
  for (let y = 0; y < height; y++) {
    const row = rowOf(values, y);
    padded.fill(row[0]!, 0, reach).set(row, reach);
    padded.fill(row[width - 1]!, reach + width);
    blurRow(padded, weights, rowOf(across, y));
  }
  const both = new Float32Array(values.length);
  for (let y = 0; y < height; y++) {
    const out = rowOf(both, y);
    const row = rowOf(across, y);
    for (let x = 0; x < width; x++) out[x] = weights[0]! * row[x]!;
    for (let step = 1; step <= reach; step++) {
      addRows(out, rowOf(across, y - step), rowOf(across, y + step), weights[step]!);
    }
  }
  return both;
}

function blurRow(padded: Float32Array, weights: Float32Array, out: Float32Array): void {
  const reach = weights.length - 1;
  for (let x = 0; x < out.length; x++) {
    const middle = x + reach;
    let sum = weights[0]! * padded[middle]!;
    for (let step = 1; step <= reach; step++) {
      sum += weights[step]! * (padded[middle - step]! + padded[middle + step]!);
    }
    out[x] = sum;
  }
}

function addRows(out: Float32Array, one: Float32Array, other: Float32Array, weight: number): void {
  for (let x = 0; x < out.length; x++) out[x]! += weight * (one[x]! + other[x]!);
}

/** The centre and one side of a kernel whose sum is 1. */
function halfGaussian(sigma: number): Float32Array {
  const weights = Float32Array.from({ length: Math.ceil(3 * sigma) + 1 }, (_, step) =>
    Math.exp((-step * step) / (2 * sigma * sigma)),
  );
  const total = 2 * weights.reduce((sum, weight) => sum + weight) - weights[0]!;
  return weights.map((weight) => weight / total);
}

const headerBytes = 8;
const bytesPerKeypoint = 12;
const wholeShare = 0xffff;
/** The largest size that can occur; stored sizes are shares of it. */
const largestSize = 0.125;

/** Layout: width and height, then 12 bytes per keypoint: key, x, y, size, weak bits; little-endian. */
export function packFingerprint({ width, height, keypoints }: Fingerprint): Uint8Array {
  const bytes = Buffer.alloc(headerBytes + keypoints.length * bytesPerKeypoint);
  bytes.writeUInt32LE(width, 0);
  bytes.writeUInt32LE(height, 4);
  keypoints.forEach(({ key, weakBits, x, y, size }, n) => {
    const at = headerBytes + n * bytesPerKeypoint;
    bytes.writeUInt32LE(key, at);
    bytes.writeUInt16LE(Math.round(x * wholeShare), at + 4);
    bytes.writeUInt16LE(Math.round(y * wholeShare), at + 6);
    bytes.writeUInt16LE(Math.round(Math.min(1, size / largestSize) * wholeShare), at + 8);
    bytes.writeUInt8(weakBits[0], at + 10);
    bytes.writeUInt8(weakBits[1], at + 11);
  });
  return bytes;
}

export function unpackFingerprint(bytes: Uint8Array): Fingerprint {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Math.floor((bytes.length - headerBytes) / bytesPerKeypoint);
  const keypoints = Array.from({ length }, (_, n): Keypoint => {
    const at = headerBytes + n * bytesPerKeypoint;
    return {
      key: view.readUInt32LE(at),
      x: view.readUInt16LE(at + 4) / wholeShare,
      y: view.readUInt16LE(at + 6) / wholeShare,
      size: (view.readUInt16LE(at + 8) / wholeShare) * largestSize,
      weakBits: [view.readUInt8(at + 10), view.readUInt8(at + 11)],
    };
  });
  return { width: view.readUInt32LE(0), height: view.readUInt32LE(4), keypoints };
}
