/** The picture and its heatmaps at the size a page can show, as JPEG, and the checksums of the heatmap files. */

import { createHash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import type { MapName } from '../engine/result.ts';
import type { Stance } from '../image/orientation.ts';
import type { Picture } from '../image/picture.ts';
import { turnUpright } from '../image/turn.ts';
import type { Size } from './upsample.ts';

export interface PrintPictures {
  readonly original: Uint8Array;
  readonly heatmaps: Readonly<Record<MapName, Uint8Array>>;
  /** SHA-256 of each full-size heatmap file, lower-case hex. */
  readonly digests: Readonly<Record<MapName, string>>;
}

/**
 * 300 dots an inch for a figure 8 cm wide and as high. Pixels in all rather than a longest side: a strip of 65 x 4096
 * keeps every pixel.
 */
const mostPixels = 600_000;
const jpegOptions = { quality: 82, chromaSubsampling: '4:2:0', mozjpeg: false } as const;

type Heatmaps = Readonly<Record<MapName, Uint8Array>>;

/** Shared by the reports of all languages; forgotten together with the heatmaps they were made from. */
const made = new WeakMap<Heatmaps, { picture: Picture; pictures: Promise<PrintPictures> }>();

/** @param stance - How the heatmaps lie. All are printed upright. */
export function printPictures(
  picture: Picture,
  heatmaps: Heatmaps,
  stance: Stance = 'upright',
): Promise<PrintPictures> {
  const known = made.get(heatmaps);
  if (known?.picture === picture) return known.pictures;
  const pictures = shrinkAll(picture, heatmaps, stance);
  made.set(heatmaps, { picture, pictures });
  return pictures;
}

async function shrinkAll(
  picture: Picture,
  heatmaps: Heatmaps,
  stance: Stance,
): Promise<PrintPictures> {
  const { width, height, orientation } = picture.facts;
  const shrink = (image: Sharp) => shrinkTo(image, { width, height }, mostPixels);
  const open = (name: MapName) =>
    stance === 'upright' ? sharp(heatmaps[name]) : turnUpright(sharp(heatmaps[name]), orientation);
  const digest = (name: MapName) => createHash('sha256').update(heatmaps[name]).digest('hex');
  const original = await shrink(sharp(picture.rgb, { raw: { width, height, channels: 3 } }));
  // One after the other: at 12 megapixels each decoded heatmap is 36 MB.
  const real = await shrink(open('real'));
  const fake = await shrink(open('fake'));
  const compression = await shrink(open('compression'));
  const anomaly = await shrink(open('anomaly'));
  return {
    original,
    heatmaps: { real, fake, compression, anomaly },
    digests: {
      real: digest('real'),
      fake: digest('fake'),
      compression: digest('compression'),
      anomaly: digest('anomaly'),
    },
  };
}

/** A JPEG of no more than `pixels`, with the proportions of `size`. */
export function shrinkTo(
  image: Sharp,
  { width, height }: Size,
  pixels: number,
): Promise<Uint8Array> {
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)));
  const small = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  return image
    .resize({ ...small, fit: 'fill', kernel: 'cubic' })
    .jpeg(jpegOptions)
    .toBuffer();
}
