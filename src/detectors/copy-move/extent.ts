/** Finds how far the two regions of a transform match, growing from some initial cells. */

import { type Affine, moved } from './affine.ts';
import { type Plane, valueAt, type WorkingPicture } from './features.ts';
import { gridPx } from './match-field.ts';
import type { Region } from './regions.ts';

/** Maximum difference of two windows, relative to their mean energy: 0.6 corresponds to a correlation of 0.7. */
const maxDifference = 0.6;
const windowCells = 2;

interface Spread {
  readonly plane: Plane;
  readonly cells: Int32Array;
  readonly columns: number;
  /** Minimum displacement: anything displaced by less is the same object. */
  readonly minPx: number;
}

/** Those of the given cells that match, and all matching cells connected to them. */
export function spreadFrom({ plane, cells, columns, minPx }: Spread, affine: Affine): Int32Array {
  const rows = Math.floor(plane.height / gridPx);
  const seen = new Uint8Array(columns * rows);
  const taken: number[] = [];
  const offer = (cell: number) => {
    if (seen[cell] !== 0) return;
    seen[cell] = 1;
    const [x, y] = [(cell % columns) * gridPx, Math.floor(cell / columns) * gridPx];
    const [toX, toY] = moved(affine, x, y);
    if (Math.hypot(toX - x, toY - y) < minPx) return;
    if (agrees(x, y, plane, affine)) taken.push(cell);
  };
  for (const cell of cells) offer(cell);
  for (let n = 0; n < taken.length; n++) {
    const cell = taken[n]!;
    for (const step of [1, -1, columns, -columns]) offer(cell + step);
  }
  return Int32Array.from(taken);
}

/** Whether the window around (x, y) resembles its destination; false if either lies outside the picture. */
function agrees(x: number, y: number, plane: Plane, { a, b, c, d, e, f }: Affine): boolean {
  const reach = windowCells * gridPx;
  if (Math.min(x, y) < reach) return false;
  if (x >= plane.width - reach || y >= plane.height - reach) return false;
  let [difference, energy] = [0, 0];
  for (let py = y - reach; py <= y + reach; py += gridPx) {
    for (let px = x - reach; px <= x + reach; px += gridPx) {
      const s = plane.values[py * plane.width + px]!;
      const t = valueAt(plane, a * px + b * py + c, d * px + e * py + f);
      difference += (s - t) * (s - t);
      energy += (s * s + t * t) / 2;
    }
  }
  // If the destination is outside the picture, this is NaN, and comparisons with NaN are false.
  return difference <= maxDifference * energy;
}

/** Maximum growth in cells: the radius of a descriptor plus the radius of the window in the plane. */
const maxGrowth = 6;
/** A neighbouring cell is added if its difference is at most this many times the mean difference inside the region. */
const maxTimes = 2;
/** Difference in grey levels that is always allowed, because of grain and compression. */
const minLimit = 3;
/** Radius in pixels of the squares over which differences are averaged. */
const windowPx = 2;

/** The region's cells, and the surrounding cells that match about as well under the same transform. */
export function growExtent(region: Region, picture: WorkingPicture, columns: number): Int32Array {
  const differenceAt = differing(region, picture, columns);
  const inside = region.cells.reduce((sum, cell) => sum + differenceAt(cell), 0);
  const limit = Math.max(minLimit, (maxTimes * inside) / region.cells.length);
  const taken = new Set(region.cells);
  let edge: readonly number[] = [...region.cells];
  for (let round = 0; round < maxGrowth; round++) {
    const next: number[] = [];
    for (const cell of edge) {
      for (const step of [1, -1, columns, -columns]) {
        if (taken.has(cell + step) || differenceAt(cell + step) > limit) continue;
        taken.add(cell + step);
        next.push(cell + step);
      }
    }
    edge = next;
  }
  return Int32Array.from(taken);
}

/** Difference in grey levels between the surroundings of a cell and its destination; infinite outside the picture. */
function differing({ affine }: Region, { width, height, luma }: WorkingPicture, columns: number) {
  const { a, b, c, d, e, f } = affine;
  return (cell: number): number => {
    const left = (cell % columns) * gridPx;
    const top = Math.floor(cell / columns) * gridPx;
    let sum = 0;
    for (let y = top - windowPx; y <= top + windowPx; y++) {
      for (let x = left - windowPx; x <= left + windowPx; x++) {
        const u = Math.round(a * x + b * y + c);
        const v = Math.round(d * x + e * y + f);
        const isInside =
          Math.min(x, y, u, v) >= 0 && Math.max(x, u) < width && Math.max(y, v) < height;
        if (!isInside) return Infinity;
        sum += Math.abs(luma[y * width + x]! - luma[v * width + u]!);
      }
    }
    return sum / (2 * windowPx + 1) ** 2;
  };
}
