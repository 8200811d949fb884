/** Two pictures of the same thing, side by side: cropped and rotated to match, with frames around differences. */

import sharp from 'sharp';
import type { SeenBefore } from '../../contract/seen-before.ts';
import type { Region, Size } from '../../detectors/regions.ts';
import { comparedSide, differingParts } from '../../detectors/thumbnail-difference.ts';
import { scalePixels } from '../../image/codec.ts';
import { type Pixels, scaledSize, toLuma } from '../../image/pixels.ts';
import { drawFrames } from './frames.ts';

export interface AlignedPictures {
  /** A JPEG: `one` on the left, `other` on the right. */
  readonly jpeg: Uint8Array;
  /** Number of framed parts. */
  readonly differing: number;
}

/** Size of each picture: 200 dpi for a figure 8 cm wide. */
const maxPixels = 250_000;

/** @param alignment - the position of `one` in `other`. */
export async function layBeside(
  one: Pixels,
  other: Pixels,
  alignment: NonNullable<SeenBefore['alignment']>,
): Promise<AlignedPictures> {
  const [own, its] = cutAlike(one, other, alignment);
  const scale = Math.min(1, Math.sqrt(maxPixels / (own.width * own.height)));
  const size = scaledSize(own, scale);
  const left = await cut(one, own, size);
  const right = await cut(other, its, size, alignment.isMirrored);
  const coarse = scaledSize(size, Math.min(1, comparedSide / Math.max(size.width, size.height)));
  const parts = differingParts(toPlane(left), toPlane(await scalePixels(right, coarse)));
  const gap = Math.max(4, Math.round(size.width / 50));
  const raw = { ...size, channels: 3 } as const;
  const input = Buffer.from(framed(right, parts));
  const jpeg = await sharp(framed(left, parts), { raw })
    .extend({ right: gap + size.width, background: '#fff' })
    .composite([{ input, raw, left: size.width + gap, top: 0 }])
    .jpeg({ quality: 82 })
    .toBuffer();
  return { jpeg, differing: parts.length };
}

/** The area that both pictures show, in pixels of each. */
function cutAlike(
  one: Size,
  other: Size,
  { isMirrored, scale, left, top }: NonNullable<SeenBefore['alignment']>,
) {
  const [longer, itsLonger] = [one, other].map((each) => Math.max(each.width, each.height));
  const along = (length: number, itsLength: number, offset: number) => {
    const from = Math.max(0, -offset / scale);
    const to = Math.min(length / longer!, (itsLength / itsLonger! - offset) / scale);
    return { from, length: to - from, itsFrom: scale * from + offset };
  };
  const x = along(one.width, other.width, left);
  const y = along(one.height, other.height, top);
  const ownLeft = isMirrored ? one.width / longer! - x.from - x.length : x.from;
  const box = (by: number, fromX: number, fromY: number, factor: number) => ({
    left: by * fromX,
    top: by * fromY,
    width: by * factor * x.length,
    height: by * factor * y.length,
  });
  return [box(longer!, ownLeft, y.from, 1), box(itsLonger!, x.itsFrom, y.itsFrom, scale)] as const;
}

async function cut(
  { rgb, width, height }: Pixels,
  box: Omit<Region, 'share'>,
  size: Size,
  isMirrored = false,
): Promise<Pixels> {
  const left = Math.min(width - 1, Math.round(box.left));
  const top = Math.min(height - 1, Math.round(box.top));
  const cutting = sharp(rgb, { raw: { width, height, channels: 3 } })
    .extract({
      left,
      top,
      width: Math.max(1, Math.min(width - left, Math.round(box.width))),
      height: Math.max(1, Math.min(height - top, Math.round(box.height))),
    })
    .flop(isMirrored)
    .resize({ ...size, fit: 'fill', kernel: 'cubic' });
  return { ...size, rgb: await cutting.raw({ depth: 'uchar' }).toBuffer() };
}

function toPlane(pixels: Pixels) {
  return { width: pixels.width, height: pixels.height, luma: toLuma(pixels.rgb) };
}

function framed({ width, height, rgb }: Pixels, parts: readonly Region[]): Uint8Array {
  const indices = new Uint8Array(width * height);
  // The report prints two pictures at half the usual size.
  drawFrames({ width, height, blockPx: 1, indices }, parts, { black: 1, white: 2 }, 200);
  return rgb.map((value, at) => [value, 0, 255][indices[Math.floor(at / 3)]!]!);
}
