/** Where single methods point, drawn over the picture at the size that a page shows them in, as JPEG by method. */

import sharp from 'sharp';
import type { CellMaps } from '../engine/result.ts';
import type { Picture } from '../image/picture.ts';
import { drawValues } from './heatmap.ts';
import { shrinkTo } from './print-pictures.ts';

export type MethodPictures = Readonly<Record<string, Uint8Array>>;

/** 300 dots an inch for a figure 4 cm wide and 3 cm high. */
const mostPixels = 160_000;

/** Shared by the reports of all languages; forgotten together with the maps they were made from. */
const made = new WeakMap<CellMaps, { picture: Picture; pictures: Promise<MethodPictures> }>();

/** Upright, whatever the stance of the heatmap files. */
export function printMethods(picture: Picture, maps: CellMaps): Promise<MethodPictures> {
  const known = made.get(maps);
  if (known?.picture === picture) return known.pictures;
  const pictures = drawAll(picture, maps);
  made.set(maps, { picture, pictures });
  return pictures;
}

async function drawAll(picture: Picture, maps: CellMaps): Promise<MethodPictures> {
  const { width, height } = picture.facts;
  const pictures: Record<string, Uint8Array> = {};
  // One after the other: at 12 megapixels each drawing is 36 MB.
  for (const [method, values] of Object.entries(maps.methods)) {
    const drawn = sharp(drawValues(picture, maps, values), { raw: { width, height, channels: 3 } });
    pictures[method] = await shrinkTo(drawn, { width, height }, mostPixels);
  }
  return pictures;
}
