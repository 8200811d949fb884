/** How alike the two places of a match are, in numbers that tell a copy from things that merely look alike. */

import { type Affine, after, inverseOf, isMirrored, scaleOf } from './affine.ts';
import { type Details, type Plane, valueAt } from './details.ts';
import { gridPx, type MatchField } from './match-field.ts';
import type { Refined } from './refine.ts';
import type { Region } from './regions.ts';

export interface Likeness {
  /** Share of the picture, 0..1. */
  readonly share: number;
  /** Correlations -1..1 of the region with its match. */
  readonly fine: number;
  readonly middle: number;
  /** Of the matched places: share 0..1 that matches back. */
  readonly mutual: number;
  /**
   * Greatest correlation of the middle details with where the same step leads once more, forth or back: high in rows of
   * like things. A mirrored match leads back to itself, so it counts for less, as nature is full of symmetry.
   */
  readonly onward: number;
  readonly scale: number;
  /** What a free fit adds to the motion, see `refine`. */
  readonly shear: number;
  readonly isMirrored: boolean;
}

/** Matches back: within so many pixels. */
const backPx = 4;
/** Fewer pixels give no correlation worth its name. */
const leastPixels = 50;

export function likenessOf(region: Refined, details: Details, field: MatchField): Likeness {
  const { affine, cells, shear } = region;
  const { width, height } = details.fine;
  const along = (plane: Plane, motion: Affine) => correlate(plane, cells, field.columns, motion);
  return {
    share: (cells.length * gridPx * gridPx) / (width * height),
    fine: along(details.fine, affine),
    middle: along(details.middle, affine),
    mutual: mutualShare(region, field, width, height),
    onward: Math.max(
      along(details.middle, after(affine, affine)),
      along(details.middle, inverseOf(affine)),
    ),
    scale: scaleOf(affine),
    shear,
    isMirrored: isMirrored(affine),
  };
}

/** Of every pixel of the cells with where the motion takes it; 0 when too few stay inside. */
function correlate(plane: Plane, cells: Int32Array, columns: number, motion: Affine): number {
  const { a, b, c, d, e, f } = motion;
  let [n, sumS, sumT, squareS, squareT, product] = [0, 0, 0, 0, 0, 0];
  for (const cell of cells) {
    const left = (cell % columns) * gridPx;
    const top = Math.floor(cell / columns) * gridPx;
    for (let y = top; y < Math.min(top + gridPx, plane.height); y++) {
      for (let x = left; x < Math.min(left + gridPx, plane.width); x++) {
        const t = valueAt(plane, a * x + b * y + c, d * x + e * y + f);
        if (Number.isNaN(t)) continue;
        const s = plane.values[y * plane.width + x]!;
        n++;
        sumS += s;
        sumT += t;
        squareS += s * s;
        squareT += t * t;
        product += s * t;
      }
    }
  }
  if (n < leastPixels) return 0;
  const spread = (squareS - (sumS * sumS) / n) * (squareT - (sumT * sumT) / n);
  return (product - (sumS * sumT) / n) / Math.sqrt(spread + 1e-9);
}

function mutualShare({ cells, affine }: Region, field: MatchField, width: number, height: number) {
  const { a, b, c, d, e, f } = affine;
  let back = 0;
  for (const cell of cells) {
    const x = (cell % field.columns) * gridPx;
    const y = Math.floor(cell / field.columns) * gridPx;
    const u = Math.round(a * x + b * y + c);
    const v = Math.round(d * x + e * y + f);
    if (u < 0 || v < 0 || u >= width || v >= height) continue;
    const match = field.target[Math.floor(v / gridPx) * field.columns + Math.floor(u / gridPx)]!;
    if (match < 0) continue;
    const tx = match % width;
    if (Math.abs(tx - x) <= backPx && Math.abs((match - tx) / width - y) <= backPx) back++;
  }
  return back / cells.length;
}
