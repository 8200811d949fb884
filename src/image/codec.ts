/**
 * The only code that passes untrusted bytes to sharp: for JPEG and PNG, only the segments or chunks that pixels need.
 * Metadata, colour profiles (except for CMYK) and trailing bytes therefore cannot influence or break decoding.
 */

import sharp from 'sharp';
import { openContainer } from './container.ts';
import { isQuarterTurn, turnUpright } from './orientation.ts';
import type { Limits } from './picture.ts';
import type { Size, Pixels, RawPixels } from './pixels.ts';

/** A file to decode, with the size that its header states. */
export interface PixelRequest extends Size {
  readonly bytes: Uint8Array;
  /** The EXIF orientation, 1..8, that decoding must undo. */
  readonly orientation: number;
  /** Applies the embedded colour profile, or else a built-in one, because only CMYK has no RGB values of its own. */
  readonly isCmyk: boolean;
}

/**
 * @param failOn - `warning`: fail on any warning; `error`: fail if pixels are lost; `none`: decode whatever there is.
 * @returns `warnings` from libjpeg, which gives only the text of the first.
 * @throws {Error} with the decoder's message, or if the size differs from that in the header.
 */
export async function decodeWithSharp(
  { bytes, width, height, orientation, isCmyk }: PixelRequest,
  failOn: 'none' | 'error' | 'warning',
): Promise<{ readonly pixels: RawPixels; readonly warnings: readonly string[] }> {
  openCodec();
  const picture = sharp(bytes, { failOn, limitInputPixels: width * height, ignoreIcc: !isCmyk });
  const warnings: string[] = [];
  picture.on('warning', (warning: string) => warnings.push(warning));
  const { data, info } = await turnUpright(picture, orientation)
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const [expectedWidth, expectedHeight] = isQuarterTurn(orientation)
    ? [height, width]
    : [width, height];
  if (info.width !== expectedWidth || info.height !== expectedHeight) {
    throw new Error('The decoded size differs from the size in the header.');
  }
  const pixels = {
    width: info.width,
    height: info.height,
    channels: info.channels,
    data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
  return { pixels, warnings };
}

/** Versions of the decoding libraries: other versions may round pixels differently. */
export function codecVersions(): { readonly sharp: string; readonly libvips: string } {
  return { sharp: sharp.versions.sharp, libvips: sharp.versions.vips };
}

let isOpen = false;

const loaders = ['Jpeg', 'Png', 'Webp', 'Heif', 'Tiff', 'Nsgif'];

/** One thread per picture, because the pool runs a process for each core; no cache; only loaders of used formats. */
function openCodec(): void {
  if (isOpen) return;
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}Buffer`) });
  isOpen = true;
}

export type Samples = NonNullable<Awaited<ReturnType<typeof readSamples>>>;

/** As stored, to compare heatmaps without rounding; null unless grey or RGB, with 8 or 16 bits per sample. */
export async function readSamples(bytes: Uint8Array, limits: Limits) {
  try {
    const { format, file } = openContainer(bytes, limits);
    if (format !== 'png') return null;
    const { width, height, bitsPerSample: bits, pixelBytes } = file;
    const isGrey = file.colourSpace === 'grey';
    if ((bits !== 8 && bits !== 16) || file.hasAlpha) return null;
    openCodec();
    const decoded = sharp(pixelBytes ?? bytes, {
      failOn: 'warning',
      limitInputPixels: width * height,
    });
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

// What happens to a picture when it is shared: scaling, and saving as JPEG.

/** Cubic interpolation; averages when shrinking. Sides are positive; deterministic for a given version of libvips. */
export async function scalePixels(pixels: Pixels, { width, height }: Size): Promise<Pixels> {
  const scaled = fromPixels(pixels).resize({ width, height, fit: 'fill', kernel: 'cubic' });
  const data = await scaled.raw({ depth: 'uchar' }).toBuffer();
  return { width, height, rgb: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** Baseline JPEG with libjpeg's tables and 4:2:0, as most services save. @param quality - 1..100, libjpeg's scale. */
export async function saveJpeg(pixels: Pixels, quality: number): Promise<Uint8Array> {
  return fromPixels(pixels).jpeg({ quality, chromaSubsampling: '4:2:0' }).toBuffer();
}

function fromPixels({ width, height, rgb }: Pixels) {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

/** The pixels are grey or RGB. */
export async function savePng({ data, ...raw }: RawPixels & { readonly channels: 1 | 3 }) {
  return sharp(data, { raw }).png().toBuffer();
}
