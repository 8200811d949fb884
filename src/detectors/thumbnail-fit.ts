/** Measures brightness and grain of a picture in cells whose width may be fractional. */

/** Row-major luma, 0..255. */

export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
}

export interface CellSize {
  readonly cellPx: number;
  readonly columns: number;
  readonly rows: number;
}

export interface Cells {
  readonly means: Float64Array;
  /** Standard deviation of the pixels in each cell. */
  readonly grain: Float64Array;
}

/** @param box - size of a cell in pixels, which may be fractional but is at least 1. */
export function measureCells(
  { width, height, luma }: Plane,
  { columns, rows }: CellSize,
  box: { readonly across: number; readonly down: number },
): Cells {
  // An extra last column takes what remains after rounding.
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

/** For each pixel, the cell in which it starts and the share of it that lies there; the rest lies in the next cell. */
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

/** Iterations of the fit; the first ones minimise absolute differences, which a changed part hardly affects. */
const rounds = { absolute: 8, all: 14 };
/**
 * Cells further off than this many standard deviations are excluded from the fit: Tukey's biweight, 95 % efficient for
 * normal errors.
 */
const tukey = 4.685;
/** In grey levels: the minimum left by the thumbnail's JPEG compression and rounding. */
const minScatter = 0.7;

export function fitRobustly(terms: readonly Float64Array[], values: Float64Array) {
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

/** Weighted least squares by the normal equations; a small ridge term keeps a uniform picture solvable. */
function fitWeighted(
  terms: readonly Float64Array[],
  values: Float64Array,
  weights: Float64Array,
): Float64Array {
  const count = terms.length;
  const system = Array.from({ length: count }, () => new Float64Array(count + 1));
  for (let i = 0; i < count; i++) {
    const [row, one] = [system[i]!, terms[i]!];
    for (let j = 0; j <= count; j++) {
      const other = j === count ? values : terms[j]!;
      let sum = 0;
      for (let cell = 0; cell < values.length; cell++) {
        sum += weights[cell]! * one[cell]! * other[cell]!;
      }
      row[j] = sum;
    }
    row[i]! += 1e-3;
  }
  return solve(system);
}

/**
 * Gaussian elimination with pivoting. @param system - augmented rows of the matrix, with the right side last; overwritten.
 */
function solve(system: readonly Float64Array[]): Float64Array {
  const rows = [...system];
  const count = rows.length;
  for (let step = 0; step < count; step++) {
    const best = rows.reduce(
      (at, row, i) => (i >= step && Math.abs(row[step]!) > Math.abs(rows[at]![step]!) ? i : at),
      step,
    );
    [rows[step], rows[best]] = [rows[best]!, rows[step]!];
    const pivot = rows[step]!;
    for (let below = step + 1; below < count; below++) {
      const row = rows[below]!;
      const factor = row[step]! / pivot[step]!;
      for (let j = step; j <= count; j++) row[j]! -= factor * pivot[j]!;
    }
  }
  const answer = new Float64Array(count);
  for (let i = count - 1; i >= 0; i--) {
    let sum = rows[i]![count]!;
    for (let j = i + 1; j < count; j++) sum -= rows[i]![j]! * answer[j]!;
    answer[i] = sum / rows[i]![i]!;
  }
  return answer;
}

/** Robust standard deviation from the median, which a few outliers hardly affect. */
export function robustSpread(values: Float64Array): number {
  const middle = median(values);
  return Math.max(minScatter, 1.4826 * median(values.map((value) => Math.abs(value - middle))));
}

function median(values: Float64Array): number {
  const sorted = values.toSorted();
  return sorted[sorted.length >> 1]!;
}
