/** How far a match reaches: descriptors look 8 px around, so a region found by them ends before its edge. */

import { gridPx } from './match-field.ts';
import type { Region } from './regions.ts';
import type { WorkingPicture } from './working-picture.ts';

/** As far as a descriptor sees and the window of the plane reaches, in cells. */
const mostGrowth = 6;
/** A neighbour belongs to it while the two places differ there by no more than so many times what they do inside. */
const mostTimes = 2;
/** Grey levels by which a match may always differ: grain and compression. */
const leastLimit = 3;
/** Differences are means over squares of so many pixels to every side. */
const windowPx = 2;

/** The region's cells, and those around it that match under the same motion about as well as they do. */
export function extentOf(region: Region, picture: WorkingPicture, columns: number): Int32Array {
  const differenceAt = differing(region, picture, columns);
  const inside = region.cells.reduce((sum, cell) => sum + differenceAt(cell), 0);
  const limit = Math.max(leastLimit, (mostTimes * inside) / region.cells.length);
  const taken = new Set(region.cells);
  let edge: readonly number[] = [...region.cells];
  for (let round = 0; round < mostGrowth; round++) {
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

/** Grey levels by which a cell differs from where the region's motion takes it; infinite when either lies outside. */
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
