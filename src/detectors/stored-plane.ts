/** A picture before EXIF rotation, where JPEG blocks start at the upper left. Results are then turned like it. */

import { turnsToUpright } from '../image/orientation.ts';
import type { Picture } from '../image/picture.ts';
import type { LumaPlane } from '../image/pixels.ts';
import type { CellMap } from './regions.ts';

type Turned = Pick<Picture['facts'], 'width' | 'height' | 'storedWidth' | 'orientation'>;

/** Keeps the rotated planes while their pictures are in memory, because several methods use the same plane. */
const turnedPlanes = new WeakMap<Picture, LumaPlane>();

/** The picture's own luma if it needs no rotation. */
export function storedLuma(picture: Picture): LumaPlane {
  const { facts, luma } = picture;
  const { storedWidth: width, storedHeight: height, orientation } = facts;
  if (orientation === 1) return { width, height, luma };
  const known = turnedPlanes.get(picture);
  if (known !== undefined) return known;
  const plane = { width, height, luma: inStoredOrder(luma, 1, facts) };
  turnedPlanes.set(picture, plane);
  return plane;
}

/** Row-major RGB in stored orientation; the picture's own array if it needs no rotation. */
export function storedRgb({ facts, rgb }: Pick<Picture, 'rgb'> & { readonly facts: Turned }) {
  return facts.orientation === 1 ? rgb : inStoredOrder(rgb, 3, facts);
}

/** Side of the squares that are copied one by one, because a row of one order may be a column of the other. */
const squarePx = 64;

function inStoredOrder(upright: Uint8Array, channels: 1 | 3, facts: Turned): Uint8Array {
  const stored = new Uint8Array(upright.length);
  const { width, height } = facts;
  const { origin, right, below } = storedSteps(facts);
  for (let top = 0; top < height; top += squarePx) {
    for (let left = 0; left < width; left += squarePx) {
      const [bottom, end] = [Math.min(height, top + squarePx), Math.min(width, left + squarePx)];
      for (let y = top; y < bottom; y++) {
        let from = channels * (y * width + left);
        let to = channels * (origin + y * below + left * right);
        for (let x = left; x < end; x++, from += channels, to += channels * right) {
          stored[to] = upright[from]!;
          if (channels === 1) continue;
          stored[to + 1] = upright[from + 1]!;
          stored[to + 2] = upright[from + 2]!;
        }
      }
    }
  }
  return stored;
}

/** Each cell takes the value of the stored cell at its centre, or the nearest if halving dropped that row or column. */
export function toUpright(map: CellMap, facts: Turned): CellMap {
  const { cellPx } = map;
  const { width, height, storedWidth } = facts;
  const [columns, rows] = [Math.ceil(width / cellPx), Math.ceil(height / cellPx)];
  const isWhole = columns === map.columns && rows === map.rows;
  if (facts.orientation === 1 && isWhole) return map;
  const middle = (cell: number, length: number) =>
    Math.min(cell * cellPx + (cellPx >> 1), length - 1);
  const { origin, right, below } = storedSteps(facts);
  const values = new Float32Array(columns * rows).map((_, at) => {
    const x = middle(at % columns, width);
    const y = middle(Math.floor(at / columns), height);
    const stored = origin + y * below + x * right;
    const column = Math.floor((stored % storedWidth) / cellPx);
    const row = Math.floor(Math.floor(stored / storedWidth) / cellPx);
    return map.values[
      Math.min(row, map.rows - 1) * map.columns + Math.min(column, map.columns - 1)
    ]!;
  });
  return { cellPx, columns, rows, values };
}

/** Index of the first pixel of the upright picture in the stored one, and the steps to those on its right and below it. */
function storedSteps({ width, height, storedWidth, orientation }: Turned) {
  const [isMirrored, degrees] = turnsToUpright(orientation);
  const indexOf = (x: number, y: number) => {
    const [right, bottom] = [width - 1 - x, height - 1 - y];
    // The rotation is undone first, then the mirroring.
    const turned = { 0: [x, y], 90: [y, right], 180: [right, bottom], 270: [bottom, x] } as const;
    const [across, down] = turned[degrees];
    return down * storedWidth + (isMirrored ? storedWidth - 1 - across : across);
  };
  const origin = indexOf(0, 0);
  return { origin, right: indexOf(1, 0) - origin, below: indexOf(0, 1) - origin };
}
