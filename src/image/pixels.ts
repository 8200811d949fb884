/** Parts and smaller copies of a picture, without a file of their own. */

import type { Picture } from './picture.ts';
import { toLuma } from './planes.ts';
import type { Pixels } from './resave.ts';

/** What can be read of a picture for its traces: pixels and their luma, of the whole, a part or a copy. */
export type Planes = Pick<Picture, 'rgb' | 'luma'> & {
  readonly facts: Pick<Picture['facts'], 'width' | 'height'>;
};

export function toPlanes({ width, height, rgb }: Pixels): Planes {
  return { facts: { width, height }, rgb, luma: toLuma(rgb) };
}

/** In pixels. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** @param box - inside the picture. */
export function cutPixels({ rgb, facts }: Pick<Planes, 'rgb' | 'facts'>, box: PixelBox): Pixels {
  const { left, top, width, height } = box;
  const cut = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 3 * ((top + y) * facts.width + left);
    cut.set(rgb.subarray(from, from + 3 * width), 3 * y * width);
  }
  return { width, height, rgb: cut };
}

/** Half of each side, rounded down: the mean of 2 x 2 pixels, rounded half up. */
export function halvePixels({ rgb, facts }: Pick<Planes, 'rgb' | 'facts'>): Pixels {
  const [width, height] = [facts.width >> 1, facts.height >> 1];
  const half = new Uint8Array(3 * width * height);
  const below = 3 * facts.width;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = 2 * y * below; x < width; x++, from += 6) {
      for (let colour = from; colour < from + 3; colour++) {
        const sum =
          rgb[colour]! + rgb[colour + 3]! + rgb[colour + below]! + rgb[colour + below + 3]!;
        half[to++] = (sum + 2) >> 2;
      }
    }
  }
  return { width, height, rgb: half };
}
