/** How far the two places of a motion agree, from some cells on. */

import { type Affine, moved } from './affine.ts';
import { type Plane, valueAt } from './details.ts';
import { gridPx } from './match-field.ts';

/** Difference of the two places over their mean energy, in a window: 0.6 is a correlation of 0.7. */
const mostDifference = 0.6;
const windowCells = 2;

interface Spread {
  readonly plane: Plane;
  readonly cells: Int32Array;
  /** Cells in a row of the field. */
  readonly columns: number;
  /** What moves less is the same object. */
  readonly leastPx: number;
}

/** Those of the cells that agree, and all that agree and touch them. */
export function spreadFrom({ plane, cells, columns, leastPx }: Spread, affine: Affine): Int32Array {
  const rows = Math.floor(plane.height / gridPx);
  const seen = new Uint8Array(columns * rows);
  const taken: number[] = [];
  const offer = (cell: number) => {
    if (seen[cell] !== 0) return;
    seen[cell] = 1;
    const [x, y] = [(cell % columns) * gridPx, Math.floor(cell / columns) * gridPx];
    const [toX, toY] = moved(affine, x, y);
    if (Math.hypot(toX - x, toY - y) < leastPx) return;
    if (agrees(x, y, plane, affine)) taken.push(cell);
  };
  for (const cell of cells) offer(cell);
  for (let n = 0; n < taken.length; n++) {
    const cell = taken[n]!;
    for (const step of [1, -1, columns, -columns]) offer(cell + step);
  }
  return Int32Array.from(taken);
}

/** Whether the window about (x, y) looks like where it goes; no where either leaves the picture. */
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
  // Not a number where the other place lies outside, and no number is below that.
  return difference <= mostDifference * energy;
}
