/**
 * The only way foreign bytes reach sharp. Of JPEG and PNG it sees nothing but the segments or chunks that pixels need: no
 * metadata, no colour profile (but of CMYK), no trailing bytes, so that none of it can steer or break the decoding.
 */

import sharp from 'sharp';
import { openContainer } from './container.ts';
import { isQuarterTurn, turnUpright } from './orientation.ts';
import type { Limits } from './picture.ts';
import type { Pixels, RawPixels } from './pixels.ts';

export interface PixelRequest {
  readonly bytes: Uint8Array;
  /** Size in pixels as the file's header states it. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation 1..8 to be undone. */
  readonly orientation: number;
  /** True to apply the profile inside the bytes, or a built-in one: only ever for CMYK, which has no RGB otherwise. */
  readonly isCmyk: boolean;
}

/**
 * @param failOn - `warning`: at the first oddity; `error`: where pixels are lost; `none`: shows what there is.
 * @returns `warnings`: libjpeg's, of which it words the first alone.
 * @throws {Error} what the decoder says, or that the size is another than that of the header.
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
    throw new Error('The decoded size is not the size of the header.');
  }
  const pixels = {
    width: info.width,
    height: info.height,
    channels: info.channels,
    data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
  return { pixels, warnings };
}

/** Versions of the libraries that decode: other versions may round pixels differently. */
export function codecVersions(): { readonly sharp: string; readonly libvips: string } {
  return { sharp: sharp.versions.sharp, libvips: sharp.versions.vips };
}

let isOpen = false;

const loaders = [
  'JpegBuffer',
  'PngBuffer',
  'WebpBuffer',
  'HeifBuffer',
  'TiffBuffer',
  'NsgifBuffer',
];

/** One thread a picture, because the pool runs a process a core; no cache; no loader but those of the formats. */
function openCodec(): void {
  if (isOpen) return;
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}`) });
  isOpen = true;
}

/** The samples of a PNG file as stored, 8 or 16 bits each: for comparing drawings, where nothing may be rounded. */
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
    const { format, container } = openContainer(bytes, limits);
    if (format !== 'png') return null;
    const { facts, pixelBytes } = container;
    const { storedWidth: width, storedHeight: height, bitsPerSample: bits } = facts;
    const isGrey = facts.colourSpace === 'grey';
    if ((bits !== 8 && bits !== 16) || facts.hasAlpha) return null;
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

// What sharing does to a picture: its pixels are scaled and saved as a JPEG again.

/**
 * The pixels in another size, by cubic interpolation that averages where it shrinks. Deterministic for one version of
 * libvips.
 *
 * @param size - whole numbers from 1 up; the aspect ratio may change.
 */
export async function scalePixels(
  pixels: Pixels,
  size: { readonly width: number; readonly height: number },
): Promise<Pixels> {
  const { width, height } = size;
  const scaled = fromPixels(pixels).resize({ width, height, fit: 'fill', kernel: 'cubic' });
  const data = await scaled.raw({ depth: 'uchar' }).toBuffer();
  return { width, height, rgb: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/**
 * A baseline JPEG of the pixels with the tables of libjpeg, as most services write them: chroma halved both ways.
 *
 * @param quality - 1..100, libjpeg's scale.
 */
export async function saveJpeg(pixels: Pixels, quality: number): Promise<Uint8Array> {
  return fromPixels(pixels).jpeg({ quality, chromaSubsampling: '4:2:0' }).toBuffer();
}

function fromPixels({ width, height, rgb }: Pixels) {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

/** @param pixels - row-major samples, 8 bits each, grey or RGB. */
export async function savePng(pixels: {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly data: Uint8Array;
}): Promise<Uint8Array> {
  const { data, ...raw } = pixels;
  return sharp(data, { raw }).png().toBuffer();
}
