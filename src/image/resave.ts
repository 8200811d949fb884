/** What happens to a picture on its way from hand to hand: its pixels are scaled and saved as a JPEG anew. */

import sharp from 'sharp';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Row-major RGB, 8 bits a sample, `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
}

/**
 * The pixels in another size, by cubic interpolation that averages where it shrinks. The same pixels give the same
 * answer with the same version of libvips.
 *
 * @param size - whole numbers from 1 up; the shape is not kept for its own sake.
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
