/** The samples of a PNG file as it stores them, 8 or 16 bits each: for comparing drawings, where nothing may be rounded. */

import sharp from 'sharp';
import { openCodec } from './codec.ts';
import { openPng } from './container.ts';
import type { Limits } from './limits.ts';

export interface Samples {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bits: 8 | 16;
  /** Row-major, `width * height * channels` of them. */
  readonly values: Uint8Array | Uint16Array;
}

/** Null for what is no readable PNG file of 8 or 16 bits, grey or RGB. */
export async function readSamples(bytes: Uint8Array, limits: Limits): Promise<Samples | null> {
  try {
    const { facts, pixelBytes } = openPng(bytes, limits);
    const { storedWidth: width, storedHeight: height, bitsPerSample: bits } = facts;
    const isGrey = facts.colourSpace === 'grey';
    if ((bits !== 8 && bits !== 16) || facts.hasAlpha || facts.colourSpace === 'palette')
      return null;
    openCodec();
    const decoded = sharp(pixelBytes, { failOn: 'warning', limitInputPixels: width * height });
    const space = { 8: isGrey ? 'b-w' : 'srgb', 16: isGrey ? 'grey16' : 'rgb16' }[bits];
    const { data, info } = await decoded
      .toColourspace(space)
      .raw({ depth: bits === 8 ? 'uchar' : 'ushort' })
      .toBuffer({ resolveWithObject: true });
    const values = bits === 8 ? data : new Uint16Array(new Uint8Array(data).buffer);
    return { width, height, channels: info.channels, bits, values };
  } catch {
    return null;
  }
}
