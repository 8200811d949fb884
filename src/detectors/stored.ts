/**
 * A picture as its file holds it, before EXIF orientation: there the blocks of a JPEG begin in the upper left corner. What
 * a method finds on it is turned to lie over the upright picture.
 */

import type { Picture } from '../image/picture.ts';
import type { PlaceMap } from './finding.ts';

export interface StoredPlane {
  readonly width: number;
  readonly height: number;
  /** Row-major luma, 0..255. */
  readonly luma: Uint8Array;
}

type Turned = Pick<Picture['facts'], 'width' | 'height' | 'storedWidth' | 'orientation'>;

/** The picture's own luma where nothing was turned. */
export function storedLuma({ facts, luma }: Picture): StoredPlane {
  const { storedWidth: width, storedHeight: height, orientation } = facts;
  if (orientation === 1) return { width, height, luma };
  const stored = new Uint8Array(luma.length);
  for (let y = 0; y < facts.height; y++) {
    for (let x = 0; x < facts.width; x++) {
      stored[storedIndex(facts, x, y)] = luma[y * facts.width + x]!;
    }
  }
  return { width, height, luma: stored };
}

/** Row-major RGB in the same way; the picture's own where nothing was turned. */
export function storedRgb({ facts, rgb }: Picture): Uint8Array {
  if (facts.orientation === 1) return rgb;
  const stored = new Uint8Array(rgb.length);
  for (let y = 0; y < facts.height; y++) {
    for (let x = 0; x < facts.width; x++) {
      const from = 3 * (y * facts.width + x);
      stored.set(rgb.subarray(from, from + 3), 3 * storedIndex(facts, x, y));
    }
  }
  return stored;
}

/** @param map - over the stored picture. Each cell of the answer is the one that its middle lies in. */
export function toUpright(map: PlaceMap, facts: Turned): PlaceMap {
  if (facts.orientation === 1) return map;
  const { cellPx } = map;
  const [columns, rows] = [Math.ceil(facts.width / cellPx), Math.ceil(facts.height / cellPx)];
  const middle = (cell: number, length: number) =>
    Math.min(cell * cellPx + (cellPx >> 1), length - 1);
  const values = Float32Array.from({ length: columns * rows }, (_, at) => {
    const x = middle(at % columns, facts.width);
    const y = middle(Math.floor(at / columns), facts.height);
    const stored = storedIndex(facts, x, y);
    const row = Math.floor(Math.floor(stored / facts.storedWidth) / cellPx);
    return map.values[row * map.columns + Math.floor((stored % facts.storedWidth) / cellPx)]!;
  });
  return { cellPx, columns, rows, values };
}

/** Where the file keeps the pixel that stands upright at (x, y). @see EXIF 2.32, tag 0x0112. */
function storedIndex({ width, height, storedWidth, orientation }: Turned, x: number, y: number) {
  const [right, bottom] = [width - 1 - x, height - 1 - y];
  switch (orientation) {
    case 2:
      return y * storedWidth + right;
    case 3:
      return bottom * storedWidth + right;
    case 4:
      return bottom * storedWidth + x;
    case 5:
      return x * storedWidth + y;
    case 6:
      return right * storedWidth + y;
    case 7:
      return right * storedWidth + bottom;
    case 8:
      return x * storedWidth + bottom;
    default:
      return y * storedWidth + x;
  }
}
