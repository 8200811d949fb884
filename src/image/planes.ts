/** From decoded samples to the planes that everybody reads. */

import type { RawPixels } from './codec.ts';

/**
 * RGB from three samples a pixel, or from four by laying the picture over white.
 *
 * @returns `hadTransparency`: at least one pixel let the white through.
 */
export function toRgb({ data, channels }: Pick<RawPixels, 'data' | 'channels'>): {
  readonly rgb: Uint8Array;
  readonly hadTransparency: boolean;
} {
  if (channels === 3) return { rgb: data, hadTransparency: false };
  if (channels !== 4) throw new RangeError('Decoded pictures have three or four channels.');
  const pixels = data.length / 4;
  const rgb = new Uint8Array(3 * pixels);
  let hadTransparency = false;
  for (let i = 0, from = 0, to = 0; i < pixels; i++, from += 4, to += 3) {
    const alpha = data[from + 3]!;
    const white = 255 * (255 - alpha) + 127;
    hadTransparency ||= alpha !== 255;
    rgb[to] = ((data[from]! * alpha + white) / 255) | 0;
    rgb[to + 1] = ((data[from + 1]! * alpha + white) / 255) | 0;
    rgb[to + 2] = ((data[from + 2]! * alpha + white) / 255) | 0;
  }
  return { rgb, hadTransparency };
}

/**
 * Luma, 0.299 R + 0.587 G + 0.114 B, rounded half up, one sample a pixel.
 *
 * @see ITU-R BT.601-7, 2.5.1; JFIF 1.02 uses it at full range.
 */
export function toLuma(rgb: Uint8Array): Uint8Array {
  const pixels = rgb.length / 3;
  const luma = new Uint8Array(pixels);
  for (let i = 0, from = 0; i < pixels; i++, from += 3) {
    const thousandfold = 299 * rgb[from]! + 587 * rgb[from + 1]! + 114 * rgb[from + 2]!;
    luma[i] = ((thousandfold + 500) / 1000) | 0;
  }
  return luma;
}
