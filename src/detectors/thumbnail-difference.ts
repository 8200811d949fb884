/**
 * Finds where a thumbnail differs from its picture by more than the making of thumbnails explains:
 * different brightness and contrast, another filter, a subpixel shift, sharpening. All of these are
 * fitted, and the remaining difference is compared with the scatter of matching cells.
 *
 * @see E. Kee and H. Farid, "Digital image authentication from thumbnails", SPIE Media Forensics
 *   and Security (2010), for the steps of making a thumbnail.
 */

import type { LumaPlane, Size } from '../image/pixels.ts';
import { solveSymmetric } from './copy-move/affine.ts';
import { type CellGrid, largestParts, type Region } from './regions.ts';

/** Side of a cell in thumbnail pixels: half the side of a JPEG block, so that ringing is averaged out. */
const thumbnailPx = 4;
const maxCells = 128;

/** A grid of cells over the picture, as fine as the thumbnail can resolve. */
export function cellsFor({ width, height }: Size, thumbnail: Size): CellGrid {
  const scale = Math.max(width / thumbnail.width, height / thumbnail.height);
  const cellPx = Math.ceil(Math.max(thumbnailPx * scale, Math.max(width, height) / maxCells));
  return { cellPx, columns: Math.ceil(width / cellPx), rows: Math.ceil(height / cellPx) };
}

/**
 * @param cells - cells of `picture`; `thumbnail` shows all of it in the same orientation.
 * @returns `deviations`: the difference of each cell, 0 or more, relative to what is usual at its contrast; `scatter`: the
 *   standard deviation of matching cells, in grey levels; `likeness`: 1 for the same picture, near 0 for a different one.
 */
export function compareThumbnail(picture: LumaPlane, thumbnail: LumaPlane, cells: CellGrid) {
  const { cellPx } = cells;
  const own = measureCells(picture, cells, { across: cellPx, down: cellPx });
  const small = measureCells(thumbnail, cells, {
    across: (cellPx * thumbnail.width) / picture.width,
    down: (cellPx * thumbnail.height) / picture.height,
  });
  const bounds = small.grain.map((grain, cell) =>
    Math.hypot(contrastShare * contrastAround(own, cells, cell), grainShare * grain),
  );
  const fits = curves.map((powers) => fitRobustly(fitTerms(own, cells, powers), small.means));
  const deviations = Float32Array.from(bounds, (bound, cell) =>
    Math.min(...fits.map((fit) => Math.abs(fit.residuals[cell]!) / Math.hypot(fit.scatter, bound))),
  );
  const scatter = Math.min(...fits.map((fit) => fit.scatter));
  const middle = median(small.means);
  // Standard deviation estimated from the median, so that a few outliers hardly affect it.
  const spread = 1.4826 * median(small.means.map((value) => Math.abs(value - middle)));
  return { deviations, scatter, likeness: 1 - scatter / Math.max(minScatter, spread) };
}

/** Longer side of the smaller picture, so coarse that an alignment error of half a per cent makes no difference. */
export const comparedSide = 256;
/** Minimum deviation of a changed cell, as in `thumbnail.ts`; minimum number of cells and maximum number of parts. */
const minDeviation = 8;
/** Minimum deviation of a cell beside it: 99% of the cells of matching pictures deviate by less than 1. */
const minAround = 3;
const minCells = 4;
const maxParts = 9;

/** The parts of `picture` that a smaller picture of the same thing shows differently, in pixels of `picture`. */
export function differingParts(picture: LumaPlane, smaller: LumaPlane): readonly Region[] {
  const cells = cellsFor(picture, smaller);
  const values = compareThumbnail(picture, smaller, cells).deviations;
  const minShare = (minCells * cells.cellPx ** 2) / (picture.width * picture.height);
  const find = (from: number) => largestParts({ ...cells, values }, from, picture, values.length);
  const changed = find(minDeviation);
  const sure = changed.filter(({ share }) => share >= minShare);
  const around = find(minAround).filter((part) => changed.some((one) => areNear(part, one, 0)));
  // Pictures that differ slightly everywhere have no parts around.
  const parts = joinNear(around.length > 0 ? around : sure, 2 * cells.cellPx);
  return parts.filter((part) => sure.some((one) => areNear(part, one, 0))).slice(0, maxParts);
}

/** Joins nearby parts: one change often appears as several, because some of it resembles the original. */
function joinNear([part, ...others]: readonly Region[], gap: number): readonly Region[] {
  if (part === undefined) return [];
  const near = others.find((other) => areNear(part, other, gap));
  if (near === undefined) return [part, ...joinNear(others, gap)];
  const left = Math.min(part.left, near.left);
  const top = Math.min(part.top, near.top);
  const joined = {
    left,
    top,
    width: Math.max(part.left + part.width, near.left + near.width) - left,
    height: Math.max(part.top + part.height, near.top + near.height) - top,
    share: part.share + near.share,
  };
  return joinNear([joined, ...others.filter((other) => other !== near)], gap);
}

function areNear(one: Region, other: Region, gap: number): boolean {
  const across = Math.max(other.left - one.left - one.width, one.left - other.left - other.width);
  const down = Math.max(other.top - one.top - one.height, one.top - other.top - other.height);
  return Math.max(across, down) <= gap;
}

/**
 * Highest power of brightness in each fit: 1 for brightness and contrast alone, 4 for the tone curves of cameras and
 * programs. A cell counts as different only to the degree that it differs in both fits, because a changed part that
 * contains most of the bright areas would bend the fitted curve towards itself.
 */
const curves = [1, 4] as const;

/**
 * How much a matching cell may differ, as shares of its contrast with the surrounding cells and of the contrast between
 * the thumbnail's pixels inside it. Fitted on 500 untouched crops of the calibration set, with thumbnails of 96 to 320
 * pixels made with five filters, different brightness, gamma and sharpness, and JPEG quality 50 to 95.
 */
const contrastShare = 0.06;
const grainShare = 0.25;

/** A tone curve, the gradients (for a shift), and the difference from the neighbours (for blur and sharpening). */
function fitTerms({ means }: Cells, { columns, rows }: CellGrid, powers: number) {
  const tone = Array.from({ length: powers + 1 }, (_, power) =>
    means.map((mean) => ((mean - 128) / 128) ** power),
  );
  const [slopesX, slopesY, laplacians] = Array.from(
    { length: 3 },
    () => new Float64Array(means.length),
  );
  for (let row = 0, cell = 0; row < rows; row++) {
    const up = row === 0 ? 0 : -columns;
    const down = row === rows - 1 ? 0 : columns;
    for (let column = 0; column < columns; column++, cell++) {
      const left = means[column === 0 ? cell : cell - 1]!;
      const right = means[column === columns - 1 ? cell : cell + 1]!;
      const [upper, lower] = [means[cell + up]!, means[cell + down]!];
      slopesX![cell] = (right - left) / 128;
      slopesY![cell] = (lower - upper) / 128;
      laplacians![cell] = (left + right + upper + lower - 4 * means[cell]!) / 128;
    }
  }
  return [...tone, slopesX!, slopesY!, laplacians!];
}

/** Standard deviation of the cell and its eight neighbours. */
function contrastAround({ means }: Cells, { columns, rows }: CellGrid, cell: number): number {
  const column = cell % columns;
  const row = (cell - column) / columns;
  let [sum, squares, count] = [0, 0, 0];
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
      const value = means[y * columns + x]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}

// Brightness and grain of a picture in cells whose width may be fractional.

type Cells = ReturnType<typeof measureCells>;

/**
 * @param box - size of a cell in pixels, possibly fractional, but at least 1.
 * @returns also `grain`: the standard deviation of the pixels in each cell.
 */
export function measureCells(
  { width, height, luma }: LumaPlane,
  { columns, rows }: CellGrid,
  box: { readonly across: number; readonly down: number },
) {
  // The extra last column and row take what rounding leaves over.
  const stride = columns + 1;
  const [areas, sums, squares] = Array.from(
    { length: 3 },
    () => new Float64Array(stride * (rows + 1)),
  );
  const alongX = cellShares(width, box.across, columns);
  const alongY = cellShares(height, box.down, rows);
  for (let y = 0, from = 0; y < height; y++) {
    const row = alongY.cell[y]! * stride;
    const upper = alongY.share[y]!;
    for (let x = 0; x < width; x++, from++) {
      const value = luma[from]!;
      const left = alongX.share[x]!;
      const cell = row + alongX.cell[x]!;
      add(cell, upper * left, value);
      if (left < 1) add(cell + 1, upper * (1 - left), value);
      if (upper === 1) continue;
      add(cell + stride, (1 - upper) * left, value);
      if (left < 1) add(cell + stride + 1, (1 - upper) * (1 - left), value);
    }
  }
  const inside = (totals: Float64Array) =>
    Float64Array.from({ length: columns * rows }, (_, cell) => {
      const at = Math.floor(cell / columns) * stride + (cell % columns);
      return totals[at]! / areas![at]!;
    });
  const means = inside(sums!);
  const grain = inside(squares!).map((square, cell) =>
    Math.sqrt(Math.max(0, square - means[cell]! ** 2)),
  );
  return { means, grain };

  function add(cell: number, area: number, value: number): void {
    areas![cell]! += area;
    sums![cell]! += area * value;
    squares![cell]! += area * value * value;
  }
}

/** For each pixel, the cell in which it starts and the share of the pixel in that cell; the rest is in the next. */
function cellShares(length: number, cellLength: number, count: number) {
  const cell = new Int32Array(length);
  const share = new Float64Array(length);
  for (let at = 0; at < length; at++) {
    cell[at] = Math.min(count - 1, Math.floor(at / cellLength + 1e-9));
    const end = (cell[at]! + 1) * cellLength;
    share[at] = cell[at] === count - 1 ? 1 : Math.min(1, end - at);
  }
  return { cell, share };
}

/** Iterations of the fit; the first of them minimise absolute differences, which a changed part hardly affects. */
const rounds = { absolute: 8, all: 14 };
/** In standard deviations; cells beyond are left out: Tukey's biweight, 95% efficient for normal errors. */
const tukey = 4.685;
/** Minimum scatter in grey levels, because of the thumbnail's JPEG compression and rounding. */
const minScatter = 0.7;

function fitRobustly(terms: readonly Float64Array[], values: Float64Array) {
  const weights = new Float64Array(values.length).fill(1);
  const residuals = new Float64Array(values.length);
  let scatter = minScatter;
  for (let round = 0; round < rounds.all; round++) {
    const factors = fitWeighted(terms, values, weights);
    for (let cell = 0; cell < values.length; cell++) {
      let sum = 0;
      for (let term = 0; term < terms.length; term++) sum += factors[term]! * terms[term]![cell]!;
      residuals[cell] = values[cell]! - Math.min(255, Math.max(0, sum));
    }
    scatter = Math.max(minScatter, 1.4826 * median(residuals.map(Math.abs)));
    for (let cell = 0; cell < values.length; cell++) {
      const off = Math.abs(residuals[cell]!) / scatter;
      if (round < rounds.absolute) weights[cell] = 1 / Math.max(0.5, off);
      else weights[cell] = off >= tukey ? 0 : (1 - (off / tukey) ** 2) ** 2;
    }
  }
  return { residuals, scatter };
}

/** Weighted least squares by the normal equations; a small ridge term makes a uniform picture solvable. */
function fitWeighted(terms: readonly Float64Array[], values: Float64Array, weights: Float64Array) {
  const product = (one: Float64Array, other: Float64Array) => {
    let sum = 0;
    for (let cell = 0; cell < weights.length; cell++) {
      sum += weights[cell]! * one[cell]! * other[cell]!;
    }
    return sum;
  };
  const normal = terms.flatMap((one, i) =>
    terms.map((other, j) => product(one, other) + (i === j ? 1e-3 : 0)),
  );
  const right = Float64Array.from(terms, (one) => product(one, values));
  // Positive definite, because of the ridge term.
  return solveSymmetric(Float64Array.from(normal), right)!;
}

function median(values: Float64Array): number {
  const sorted = values.toSorted();
  return sorted[sorted.length >> 1]!;
}
