/** A picture and its heatmap in a few pixels, for a terminal. */

import sharp from 'sharp';
import type { CellMaps, MapName } from '../engine/result.ts';
import type { Picture } from '../image/picture.ts';
import type { Size } from './heatmap/colour-map.ts';
import { drawValues } from './heatmap/heatmap.ts';

/** Both of the same size, row-major RGB, `3 * width * height` bytes each. */
export interface Preview extends Size {
  readonly picture: Uint8Array;
  readonly heatmap: Uint8Array;
}

/**
 * As large as fits into `box` with the picture's proportions, and never larger than the picture.
 *
 * @throws {RangeError} when the maps do not belong to a picture of this size.
 */
export async function drawPreview(
  picture: Picture,
  { maps, name, box }: { readonly maps: CellMaps; readonly name: MapName; readonly box: Size },
): Promise<Preview> {
  const { width, height } = picture.facts;
  const scale = Math.min(1, box.width / width, box.height / height);
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const reduce = async (rgb: Uint8Array) => {
    const full = sharp(rgb, { raw: { width, height, channels: 3 } });
    return new Uint8Array(
      await full
        .resize({ ...size, fit: 'fill' })
        .raw()
        .toBuffer(),
    );
  };
  return {
    ...size,
    picture: await reduce(picture.rgb),
    heatmap: await reduce(drawValues(picture, maps, maps.values[name])),
  };
}
