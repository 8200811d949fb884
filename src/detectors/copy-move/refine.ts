/**
 * A region from the match field is a rough guess: too small, and with a transform that is off by
 * about a pixel. This alternately fits the transform to the pixels and grows the region as far as
 * the pixels match. A true copy improves, but something that merely looks like a copy does not.
 *
 * @see Lucas and Kanade, "An iterative image registration technique", IJCAI 1981, for the fit.
 */

import {
  type Affine,
  isMirrored,
  moved,
  affineScale,
  affineShear,
  solveSymmetric,
} from './affine.ts';
import { type Details, type Plane, valueAt } from './features.ts';
import { gridPx } from './match-field.ts';
import { centre, type Point, type Region } from './regions.ts';

const turns = 3;
const steps = 4;
/** Maximum number of sampled cells: more would make the fit slower, but no better. */
const maxSampled = 2000;
/** Copies are rarely scaled by more than this, but false matches usually are. */
const maxScaling = 2.5;

/** Minimum number of cells after growing, because smaller regions match by chance. */
const minCells = 15;

/**
 * @param columns - cells per row of the field.
 * @param minPx - minimum displacement: anything displaced by less is the same object.
 * @returns the region with an angle-preserving transform, and `shear`, which is the shear of an unconstrained fit: near
 *   0 for a copy, arbitrary for a chance match. Null if too few cells match.
 */
export function refine(
  region: Region,
  { middle, coarse }: Details,
  columns: number,
  minPx: number,
): Refined | null {
  let { cells } = region;
  let affine = withoutShear(region.affine, centre(cells, columns));
  for (let turn = 0; turn < turns; turn++) {
    if (Math.abs(Math.log(affineScale(affine))) > Math.log(maxScaling)) return null;
    affine = align({ plane: coarse, cells, columns, unknowns: 4 }, affine);
    cells = spreadFrom({ plane: middle, cells, columns, minPx }, affine);
    if (cells.length < minCells) return null;
  }
  affine = align({ plane: middle, cells, columns, unknowns: 4 }, affine);
  const free = align({ plane: coarse, cells, columns, unknowns: 6 }, affine);
  return { cells, affine, shear: affineShear(free) };
}

export interface Refined extends Region {
  readonly shear: number;
}

interface Fit {
  readonly plane: Plane;
  readonly cells: Int32Array;
  readonly columns: number;
  /** Number of fitted parameters: 4 for shift, rotation and scale; 6 to include shear. */
  readonly unknowns: 4 | 6;
}

/** Gauss-Newton on the squared difference; if it diverges, the best transform so far is kept. */
function align(fit: Fit, start: Affine): Affine {
  let [best, motion, least] = [start, start, Infinity];
  for (let step = 0; step <= steps; step++) {
    const { error, next } = stepFrom(fit, motion);
    if (!(error < least)) break;
    least = error;
    best = motion;
    if (next === null) break;
    motion = next;
  }
  return best;
}

/**
 * The parameters: shift along x and y, scale, rotation; then stretch and skew; all about the cells' centre.
 *
 * @returns `error`, the mean squared difference under the given transform, and `next`, the transform that the gradients
 *   suggest; null if they do not determine one.
 */
function stepFrom({ plane, cells, columns, unknowns }: Fit, motion: Affine) {
  const { a, b, c, d, e, f } = motion;
  const [middleX, middleY] = centre(cells, columns);
  const side = isMirrored(motion) ? -1 : 1;
  const every = Math.max(1, Math.floor(cells.length / maxSampled));
  const normal = new Float64Array(unknowns * unknowns);
  const right = new Float64Array(unknowns);
  const slopes = new Float64Array(6);
  let [sum, count] = [0, 0];
  for (let n = 0; n < cells.length; n += every) {
    const x = (cells[n]! % columns) * gridPx;
    const y = Math.floor(cells[n]! / columns) * gridPx;
    const [u, v] = [a * x + b * y + c, d * x + e * y + f];
    const off = plane.values[y * plane.width + x]! - valueAt(plane, u, v);
    const slopeX = (valueAt(plane, u + 1, v) - valueAt(plane, u - 1, v)) / 2;
    const slopeY = (valueAt(plane, u, v + 1) - valueAt(plane, u, v - 1)) / 2;
    if (Number.isNaN(off + slopeX + slopeY)) continue;
    sum += off * off;
    count++;
    const [fromX, fromY] = [x - middleX, side * (y - middleY)];
    slopes[0] = slopeX;
    slopes[1] = slopeY;
    slopes[2] = slopeX * fromX + slopeY * fromY;
    slopes[3] = slopeY * fromX - slopeX * fromY;
    slopes[4] = slopeX * fromX - slopeY * fromY;
    slopes[5] = slopeY * fromX + slopeX * fromY;
    for (let i = 0; i < unknowns; i++) {
      right[i]! += slopes[i]! * off;
      for (let j = 0; j < unknowns; j++) normal[unknowns * i + j]! += slopes[i]! * slopes[j]!;
    }
  }
  const change = solveSymmetric(normal, right);
  if (count === 0 || change === null) return { error: Infinity, next: null };
  return { error: sum / count, next: changed(motion, change, [middleX, middleY]) };
}

/** @param change - of the parameters in `stepFrom`, in the same order. */
function changed(motion: Affine, change: Float64Array, middle: Point): Affine {
  const side = isMirrored(motion) ? -1 : 1;
  const [size, turn, stretch, skew] = [change[2]!, change[3]!, change[4] ?? 0, change[5] ?? 0];
  const linear = {
    a: motion.a + size + stretch,
    b: motion.b + side * (skew - turn),
    d: motion.d + turn + skew,
    e: motion.e + side * (size - stretch),
  };
  return through(linear, motion, middle, [change[0]!, change[1]!]);
}

/** The transform with this linear part that moves `middle` as `motion` does, and then by `shift`. */
function through(
  linear: Pick<Affine, 'a' | 'b' | 'd' | 'e'>,
  motion: Affine,
  [x, y]: Point,
  [shiftX, shiftY]: Point,
): Affine {
  const [toX, toY] = moved(motion, x, y);
  const c = toX + shiftX - linear.a * x - linear.b * y;
  const f = toY + shiftY - linear.d * x - linear.e * y;
  return { ...linear, c, f };
}

/** The nearest angle-preserving transform that moves `middle` to the same place. */
function withoutShear(affine: Affine, middle: Point): Affine {
  const side = isMirrored(affine) ? -1 : 1;
  const size = (affine.a + side * affine.e) / 2;
  const turn = (affine.d - side * affine.b) / 2;
  return through({ a: size, b: -side * turn, d: turn, e: side * size }, affine, middle, [0, 0]);
}

// Finds how far the two regions of a transform match.

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
function spreadFrom({ plane, cells, columns, minPx }: Spread, affine: Affine): Int32Array {
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
