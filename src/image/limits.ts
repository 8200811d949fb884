/** How large a picture may be, and the messages when it is not. */

import { maxSidePx, minSidePx } from '../contract/limits.ts';
import { ForensicsError } from '../errors.ts';

export interface Limits {
  /** Smallest and largest width and height in pixels, both allowed themselves. */
  readonly minSidePx: number;
  readonly maxSidePx: number;
  /** Largest file in bytes, allowed itself. */
  readonly maxBytes: number;
}

const bytesPerMegabyte = 1_000_000;

export const defaultLimits: Limits = {
  minSidePx,
  maxSidePx,
  maxBytes: 50 * bytesPerMegabyte,
};

/** @throws {ForensicsError} `image_empty`, `image_too_many_bytes`. */
export function checkSizeBytes(sizeBytes: number, limits: Limits): void {
  if (sizeBytes === 0) {
    throw new ForensicsError('image_empty', 'The file is empty: it holds 0 bytes.');
  }
  if (sizeBytes > limits.maxBytes) {
    throw new ForensicsError(
      'image_too_many_bytes',
      `The file has ${inMegabytes(sizeBytes)}; at most ${inMegabytes(limits.maxBytes)} can be examined.`,
    );
  }
}

/** @throws {ForensicsError} `image_too_small`, `image_too_large`. */
export function checkDimensions(width: number, height: number, limits: Limits): void {
  const { minSidePx: min, maxSidePx: max } = limits;
  const range = `each side must have ${min} to ${max} pixels`;
  const size = `The picture has ${width} x ${height} pixels`;
  if (width < min || height < min) {
    throw new ForensicsError('image_too_small', `${size}; ${range}.`);
  }
  if (width > max || height > max) {
    throw new ForensicsError('image_too_large', `${size}; ${range}.`);
  }
}

/** Rounded up, so that a file just above the limit is not said to have the limit's size. */
function inMegabytes(sizeBytes: number): string {
  return `${Math.ceil((sizeBytes / bytesPerMegabyte) * 10) / 10} MB`;
}
